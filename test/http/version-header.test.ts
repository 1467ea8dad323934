import { afterAll, beforeAll, expect, test } from "vitest";
import { VERSION } from "../../src/start/version.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.put("a.md", "A note.");
});
afterAll(() => app.drop());

test.each([
  ["/health/live", 200],
  ["/", 200],
  ["/v1/agents/main/status", 200],
  ["/v1/agents/main/archive", 200],
  ["/v1/agents/main/events", 200],
  ["/v1/agents/nobody/status", 404],
  ["/v1/no-such-route", 404],
  ["/no-such-page", 404],
])("the answer to %s names the server's version", async (path, status) => {
  const response = await app.runtime.app.request(path);
  expect([response.status, response.headers.get("recollect-version")]).toEqual([status, VERSION]);
  await response.body?.cancel();
});

test("a request without a valid key is told too, because the version is public at /health/live", async () => {
  const response = await app.runtime.app.request("/v1/key", { headers: { authorization: "Bearer rcl_wrong" } });
  expect([response.status, response.headers.get("recollect-version")]).toEqual([401, VERSION]);
});
