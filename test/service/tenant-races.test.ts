import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

test("of two tenants that are given one name at once, one gets it and the other is told", async () => {
  const ids = await Promise.all(["one", "two", "three", "four"].map((name) => app.tenant(name)));
  const keys = await Promise.all(ids.map((tenantId) => app.key(["admin"], { tenantId })));
  const answers = await Promise.all(keys.map((key) => app.call("PATCH", "/v1/tenant", { name: "same" }, key)));
  expect(answers.map(({ status, body }) => [status, body.error?.code]).sort()).toEqual([
    [200, undefined],
    ...Array.from({ length: 3 }, () => [409, "tenant_exists"]),
  ]);
});
