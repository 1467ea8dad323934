import { afterAll, beforeAll, expect, test } from "vitest";
import { type ArchiveApp, startArchiveApp } from "../../support/archive-app.ts";

let app: ArchiveApp;
let archive: Uint8Array;
beforeAll(async () => {
  app = await startArchiveApp({ embedder: undefined, worker: false });
  await app.put("a.md", "The lantern hangs by the door.", "main");
  archive = await app.export("main");
});
afterAll(async () => {
  await app?.drop();
});

/**
 * Turns an agent into an unfinished import. The import gave its last sign of life that long ago.
 */
async function leaveHalf(agent: string, secondsAgo: number): Promise<void> {
  expect((await app.import(archive, `?as=${agent}`)).status).toBe(201);
  await app.db.executeSql("UPDATE recollect.agents SET status = 'importing', created_at = $2 WHERE id = $1", [
    agent,
    new Date(Date.now() - secondsAgo * 1000),
  ]);
}

test("an import whose process died can be repeated", async () => {
  await leaveHalf("dead", 31);
  expect((await app.import(archive, "?as=dead")).status).toBe(201);
  expect((await app.search("lantern", {}, "dead")).results).toHaveLength(1);
});

test("an import that goes on is not disturbed", async () => {
  await leaveHalf("alive", 5);
  const { status, body } = await app.import(archive, "?as=alive");
  expect([status, body]).toMatchObject([
    409,
    { code: "agent_exists", detail: expect.stringContaining("half a minute") },
  ]);
});

test("a branch that is being copied is not taken for an import", async () => {
  expect((await app.call("POST", "/v1/agents/main/branches", { as: "branch" })).status).toBe(202);
  await app.db.executeSql("UPDATE recollect.agents SET created_at = '2020-01-01' WHERE id = 'branch'");
  expect((await app.import(archive, "?as=branch")).status).toBe(409);
  const { rows } = await app.db.executeSql("SELECT status FROM recollect.agents WHERE id = 'branch'");
  expect(rows).toEqual([{ status: "importing" }]);
});
