import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let whole: TestApp;
/** A process without the feature, and without branches, which need it, on the same database. */
let without: TestApp;
beforeAll(async () => {
  whole = await startTestApp({ worker: false });
  without = await startTestApp({ on: whole, env: { RECOLLECT_FEATURES: "-snapshots,-branches" } });
});
afterAll(async () => {
  await without.drop();
  await whole.drop();
});

test("without the feature no snapshot is taken, and one that was taken still keeps its texts", async () => {
  // Only the snapshot keeps the former text.
  const settings = { history: { retentionDays: 0 } };
  expect((await whole.call("POST", "/v1/agents", { id: "main", settings })).status).toBe(201);
  await whole.put("a.md", "The heron stands in the reeds.");
  expect((await whole.call("POST", "/v1/agents/main/snapshots", { name: "first" })).status).toBe(201);
  expect((await without.call("POST", "/v1/agents/main/snapshots", { name: "second" })).status).toBe(404);
  expect((await without.put("a.md", "The heron has gone.")).status).toBe(200);
  expect((await without.call("POST", "/v1/agents/main/sync", {})).status).toBe(202);
  await without.rested();
  const { body } = await without.call("GET", "/v1/usage/storage?agentId=main");
  expect(body).toMatchObject({ snapshots: { snapshots: 1, versions: 1 } });
  expect((await whole.call("POST", "/v1/agents/main/snapshots/first/rollback", {})).status).toBe(200);
  const { body: file } = await whole.call<{ content: string }>("GET", "/v1/agents/main/files/a.md");
  expect(file.content).toBe("The heron stands in the reeds.");
});
