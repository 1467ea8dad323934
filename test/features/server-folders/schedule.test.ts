import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ExtraFolder, extraFolder } from "../../support/extra-folder.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

let root: ExtraFolder;
let app: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  root = extraFolder();
  env = { RECOLLECT_EXTRA_PATH_ROOTS: root.path };
  app = await startTestApp({ worker: false, env });
  await app.call("POST", "/v1/agents", {
    id: "quiet",
    settings: { extraPaths: [root.path], sync: { onSearch: false } },
  });
  await app.call("POST", "/v1/agents", { id: "bare", settings: {} });
});
afterAll(async () => {
  await app.drop();
  root.remove();
});

test("workers that start have the folders synced", async () => {
  root.write("a.md", "A zeppelin");
  await app.db.executeSql("DELETE FROM recollect_jobs.job WHERE name IN ('sync', 'schedule')");
  const workers = [await startTestApp({ on: app, env }), await startTestApp({ on: app, env })];
  await until(async () => (await app.search("zeppelin", {}, "quiet")).results.length > 0);
  for (const worker of workers) await worker.drop();
  const { rows } = await app.db.executeSql(
    "SELECT 1 FROM recollect_jobs.job WHERE name = 'schedule' AND state = 'created'",
  );
  expect(rows.length).toBeLessThanOrEqual(2);
});

test("an agent that only the operator's file knows is made and synced", async () => {
  const home = extraFolder();
  root.write("filed/c.md", "A gondola");
  const agent = { id: "filed", memorySearch: { extraPaths: [root.at("filed")] } };
  home.write(".recollect/config.yaml", JSON.stringify({ extraPathRoots: [root.path], agents: { list: [agent] } }));
  const worker = await startTestApp({ env: { HOME: home.path } });
  await until(async () => (await worker.search("gondola", {}, "filed")).results.length > 0);
  await worker.drop();
  home.remove();
});

test("a folder that is taken from a whole tenant is forgotten", async () => {
  mkdirSync(root.at("shared"));
  root.write("shared/b.md", "A balloon");
  await app.call("PATCH", "/v1/tenant", { settings: { extraPaths: [root.at("shared")] } });
  const worker = await startTestApp({ on: app, env });
  await until(async () => (await app.search("balloon", {}, "bare")).results.length > 0);
  await app.call("PATCH", "/v1/tenant", { settings: { extraPaths: null } });
  await until(async () => (await app.search("balloon", {}, "bare")).results.length === 0);
  await worker.drop();
});
