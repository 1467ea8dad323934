import { createClient, RecollectError } from "@recollect/client";

/** Writes, finds, listens and fails with the client, in any JavaScript runtime. */
export async function roundTrip(url, key) {
  const memory = createClient({ url, key }).agent();
  await memory.files.put("lunch.md", "Lunch is at noon.");
  const { results, unavailable } = await memory.search("lunch");
  let files;
  for await (const status of memory.watchStatus()) {
    files = status.files;
    break;
  }
  const code = await memory.files.get("none.md").catch((error) => error instanceof RecollectError && error.code);
  return { found: results.map((hit) => hit.path), unavailable, files, code };
}
