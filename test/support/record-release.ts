/**
 * Records what a release stores, for `test/migrations/release.test.ts`. Run it with the code of the
 * release, on an empty database of a Postgres with pgvector:
 *
 *   DATABASE_URL=… node test/support/record-release.ts test/data/releases/<version>
 *   pg_dump --inserts --rows-per-insert=200 --no-owner --no-acl <database> |
 *     grep -v -e '^[\\]' -e EXTENSION | gzip -n > test/data/releases/<version>/dump.sql.gz
 *
 * It fills the agent `main`, waits until all jobs have ended, and writes the answers and an archive.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import { compose } from "../../src/start/compose.ts";
import { unfinishedJobs } from "./check-service.ts";
import { askMemory, type CallApi, fillMemory } from "./release-memory.ts";
import { until } from "./until.ts";
import { WordEmbedder } from "./word-embedder.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder to write to.");
const { app, deps, close } = await compose(readConfig(), {
  logger: createLogger("warn"),
  worker: true,
  keyless: true,
  embedder: async () => new WordEmbedder(),
});
const call: CallApi = async (method, path, body) => {
  const init = { method, headers: { "content-type": "application/json" }, ...(body && { body: JSON.stringify(body) }) };
  const answer = await app.request(path, init);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as never;
};
await fillMemory(call);
await until(async () => (await unfinishedJobs(deps.db)).length === 0, "the end of all jobs");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "answers.json"), `${JSON.stringify(await askMemory(call), null, 2)}\n`);
const archive = await app.request("/v1/agents/main/archive?vectors=true");
writeFileSync(join(folder, "main.archive"), new Uint8Array(await archive.arrayBuffer()));
await close();
