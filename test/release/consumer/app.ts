// What a project writes that has Recollect from the registry: compiled and run in a project of its own by package.test.ts.
import { createRecollect } from "recollect";
import { createClient, RecollectError, type SearchAnswer, type SearchUnavailable } from "recollect/client";

const paths = (answer: SearchAnswer | SearchUnavailable): string[] => answer.results.map((hit) => hit.path);

const embedded = await createRecollect();
const notes = embedded.agent();
await notes.files.put("ports.md", "The gateway listens on 8080.");
for await (const status of notes.watchStatus()) if (status.pendingEmbeddings === 0) break;
const byMeaning = await notes.search("which network endpoint does the proxy use?", { minScore: 0 });
await embedded.close();

const served = createClient({ url: process.argv[2] ?? "" }).agent();
await served.files.put("lunch.md", "Lunch is at noon.");
const byWord = await served.search("lunch");
const code = await served.files.get("none.md").then(
  () => undefined,
  (error: unknown) => (error instanceof RecollectError ? error.code : undefined),
);
process.stdout.write(JSON.stringify({ byMeaning: paths(byMeaning), byWord: paths(byWord), code }));
