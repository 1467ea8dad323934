import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { FEATURES } from "../../src/features.ts";
import { loadFeatures } from "../../src/start/load-features.ts";
import { ALL_FEATURES, type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

/** A service without features, on a database in which another process has all of them. */
let all: TestApp;
let core: TestApp;
beforeAll(async () => {
  all = await startTestApp({ env: ALL_FEATURES });
  core = await startTestApp({ on: all, worker: false, env: { RECOLLECT_FEATURES: "none" } });
});
afterAll(async () => {
  await core.drop();
  await all.drop();
});

const pathsOf = async (app: TestApp) => {
  const { body } = await app.call<{ paths: Record<string, object> }>("GET", "/openapi.json");
  return Object.keys(body.paths);
};

test("the core writes, indexes and finds without any feature", async () => {
  expect((await core.put("a.md", "The heron stands in the reeds.", "main")).status).toBe(200);
  const { results } = await core.search("heron", {}, "main");
  expect(results.map(({ path }) => path)).toEqual(["a.md"]);
});

test("a feature that is switched off has no routes, and its tables are left alone", async () => {
  const [inAll, inCore] = [await pathsOf(all), await pathsOf(core)];
  expect(inCore.filter((path) => !inAll.includes(path))).toEqual([]);
  expect(inAll.filter((path) => !inCore.includes(path)).length).toBeGreaterThan(0);
  await all.put("a.md", "A note.", "origin");
  const branch = { as: "copy" };
  expect((await core.call("POST", "/v1/agents/origin/branches", branch)).status).toBe(404);
  expect((await all.call("POST", "/v1/agents/origin/branches", branch)).status).toBe(202);
  // The other process goes on with the branch.
  await all.rested();
  expect((await all.call("GET", "/v1/agents/copy/branch")).status).toBe(200);
  expect((await core.search("note", {}, "copy")).results.map(({ path }) => path)).toEqual(["a.md"]);
});

test("each route of a feature that is switched off is answered with the features that are", async () => {
  const off = FEATURES.map(({ name }) => name).join(", ");
  const named = ` Features that are switched off on this server (RECOLLECT_FEATURES): ${off}.`;
  const operationsOf = async (app: TestApp) => {
    const { body } = await app.call<{ paths: Record<string, object> }>("GET", "/openapi.json");
    return Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
  };
  const inCore = await operationsOf(core);
  const missing = (await operationsOf(all)).filter((operation) => !inCore.includes(operation));
  expect(missing.length).toBeGreaterThan(20);
  for (const operation of missing) {
    const [method = "", path = ""] = operation.split(" ");
    const { status, body } = await core.call<ErrorBody>(method, path.replaceAll(/\{\w+\}/g, "a"));
    expect([404, 405], operation).toContain(status);
    expect(body.error.message, operation).toMatch(/^(There is no such (route|tool)|This path has no)\b/);
    expect(body.error.message.endsWith(named), operation).toBe(true);
  }
  const message = async (app: TestApp, path: string) => (await app.call<ErrorBody>("GET", path)).body.error.message;
  expect(await message(core, "/elsewhere")).toBe("There is no such route; see the API reference.");
  expect(await message(all, "/v1/elsewhere")).toBe("There is no such route; see the API reference.");
});

test("jobs of a feature that is switched off do not make a worker look dead, and are not run again", async () => {
  await core.put("a.md", "A note.", "main");
  await all.rested();
  const { rows } = await all.db.executeSql<{ id: string }>(
    `INSERT INTO recollect_jobs.job (name, data, state, start_after)
     SELECT 'branch', jsonb_build_object('tenantId', tenant_id, 'agentId', id), 'created', now() - interval '1 hour'
       FROM recollect.agents WHERE id = 'main' RETURNING id::text`,
  );
  const [{ id } = { id: "" }] = rows;
  expect(await core.runtime.deps.queue.silentMs()).toBe(0);
  expect(await core.runtime.deps.queue.isWorked()).toBe(true);
  const { status, body } = await core.call<ErrorBody>("POST", `/v1/jobs/${id}/retry`, {});
  expect([status, body.error.message]).toEqual([
    400,
    "This server has no jobs of the kind branch: the feature is switched off.",
  ]);
  expect((await core.call("DELETE", `/v1/jobs/${id}`)).status).toBe(200);
});

test("memories that are shared are left out, and the answer says so", async () => {
  await all.put("rules.md", "The heron rule is strict.", "handbook");
  await all.put("own.md", "A heron stands here.", "reader");
  expect((await all.call("PUT", "/v1/agents/handbook/shares/reader", {})).status).toBe(200);
  expect((await all.call("PUT", "/v1/agents/reader/reads/handbook", {})).status).toBe(200);
  await all.rested();
  const pathsOf = ({ results }: { results: readonly { path: string }[] }) => results.map(({ path }) => path).sort();
  expect(pathsOf(await all.search("heron", {}, "reader"))).toEqual(["@handbook/rules.md", "own.md"]);
  const found = await core.search("heron", {}, "reader");
  expect(pathsOf(found)).toEqual(["own.md"]);
  expect(found.warning).toContain("sharing is switched off");
});

test("a document is refused, and the sentence says how its text can be sent", async () => {
  const headers = { "content-type": "text/csv" };
  const response = await core.runtime.app.request("/v1/agents/main/files/a.csv", {
    method: "PUT",
    headers,
    body: "a;b",
  });
  const { error } = (await response.json()) as ErrorBody;
  expect([response.status, error.message]).toEqual([
    415,
    'Documents are switched off on this server (RECOLLECT_FEATURES). The text of a document can be sent as JSON, {"content": "…"} with the header Content-Type: application/json.',
  ]);
});

test("archives that the operator wants at intervals need their feature", async () => {
  const config = readConfig({ RECOLLECT_EXPORT_DIR: "/backups", RECOLLECT_FEATURES: "-archives,-branches" });
  await expect(loadFeatures(config)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining("RECOLLECT_EXPORT_DIR"),
  });
});
