import { afterAll, beforeAll, expect, test } from "vitest";
import { ALL_FEATURES, startTestApp, type TestApp } from "../support/test-app.ts";

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
