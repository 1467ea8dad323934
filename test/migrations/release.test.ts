import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { restoreRoles } from "../../src/service/agent/recreate-roles.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { type Answers, askMemory, type CallApi } from "../support/release-memory.ts";
import { ALL_FEATURES, startTestApp, type TestApp } from "../support/test-app.ts";

const RELEASES = "test/data/releases";

let app: TestApp | undefined;
let database: TestDatabase | undefined;
afterEach(async () => {
  await app?.drop();
  await database?.drop();
  app = undefined;
  database = undefined;
});

const callerOf =
  ({ call }: TestApp): CallApi =>
  async (method, path, body) => {
    const answer = await call(method, path, body);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body as never;
  };

/** Statements of pg_dump that change its own session, which a pooled connection must not keep. */
const OF_SESSION = /^(SET |SELECT pg_catalog\.set_config).*\n/gm;

describe.each(readdirSync(RELEASES))("what the release %s stored", (release) => {
  const read = (name: string) => readFileSync(join(RELEASES, release, name));
  const recorded = JSON.parse(read("answers.json").toString()) as Answers;

  test("a dump opens, migrates and answers as before", async () => {
    database = await openTestDatabase({ prepared: false });
    await database.db.executeSql("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public");
    await database.db.executeSql(gunzipSync(read("dump.sql.gz")).toString().replaceAll(OF_SESSION, ""));
    await restoreRoles(database.db);
    app = await startTestApp({ on: database, env: ALL_FEATURES });
    const call = callerOf(app);
    // A fact may now come before a passage of the same score, so only the best hit and what is found
    // must be the same.
    const found = (answers: Answers) => ({
      ...answers,
      searches: Object.entries(answers.searches).map(([query, hits]) => [query, hits[0], hits.toSorted()]),
    });
    expect(found(await askMemory(call))).toEqual(found(recorded));
    // Everything is still as before once the jobs of the migration have ended, and it can be changed.
    await app.rested();
    expect(found(await askMemory(call))).toEqual(found(recorded));
    await app.put("new.md", "The heron waits at the lock.", "main");
    expect((await app.search("heron", {}, "main")).results[0]?.path).toBe("new.md");
  });

  test("an archive is imported with its vectors, and answers as before", async () => {
    app = await startTestApp({ env: ALL_FEATURES });
    const init = { method: "POST", body: new Uint8Array(read("main.archive")) };
    const headers = { "content-type": "application/gzip" };
    const imported = await app.runtime.app.request("/v1/archives", { ...init, headers });
    expect([imported.status, await imported.json()]).toEqual([
      201,
      expect.objectContaining({ id: "main", vectorsUsed: true, pendingEmbeddings: 0 }),
    ]);
    await app.rested();
    const answers = await askMemory(callerOf(app));
    // The statistics that judge weak hits are measured anew, so only the best hits must be the same.
    const best = ({ searches }: Answers) => Object.values(searches).map(([first]) => first);
    expect(best(answers)).toEqual(best(recorded));
    expect({ ...answers, searches: {} }).toEqual({ ...recorded, searches: {} });
  });
});
