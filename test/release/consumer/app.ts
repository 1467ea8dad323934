// The code of a project that installs Recollect from the registry. package.test.ts compiles and
// runs it in a separate project.
import { createRecollect } from "recollect";
import { createClient, RecollectError, type SearchHit } from "recollect/client";

const paths = (results: readonly SearchHit[]): string[] => results.map((hit) => hit.path);

const embedded = await createRecollect();
const notes = embedded.agent();
await notes.files.put("ports.md", "The gateway listens on 8080.");
for await (const status of notes.watchStatus()) if (status.pendingEmbeddings === 0) break;
const { results: byMeaning } = await notes.search("which network endpoint does the proxy use?", { minScore: 0 });
await embedded.close();

const served = createClient({ url: process.argv[2] ?? "" }).agent();
await served.files.put("lunch.md", "Lunch is at noon.");
const { results: byWord, unavailable, warning, action } = await served.search("lunch");
if (unavailable) throw new Error(`${warning} ${action}`);
const code = await served.files.get("none.md").then(
  () => undefined,
  (error: unknown) => (error instanceof RecollectError ? error.code : undefined),
);
process.stdout.write(JSON.stringify({ byMeaning: paths(byMeaning), byWord: paths(byWord), code }));
