import { afterAll, beforeAll, expect, test } from "vitest";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

const agent = "/v1/agents/pasted";

test("settings of an OpenClaw configuration are translated, and the answer names each that has no effect", async () => {
  const settings = { inputType: "q", store: { driver: "sqlite" }, query: { maxResults: 7 } };
  type Warned = { settings: object; warnings?: string[] };
  const expected = { queryInputType: "q", documentInputType: "q", query: { maxResults: 7 } };
  const warnings = ["settings.store.driver: memory is stored in Postgres (DATABASE_URL)"];
  const made = await app.call<Warned>("POST", "/v1/agents", { id: "pasted", settings });
  expect(made.body).toMatchObject({ settings: expected, warnings });
  const changed = await app.call<Warned>("PATCH", agent, {
    settings: { sync: { sessions: { postCompactionForce: true } } },
  });
  expect(changed.body).toMatchObject({
    settings: expected,
    warnings: [expect.stringContaining("postCompactionForce")],
  });
  expect(await app.call<Warned>("PATCH", agent, { settings: { store: null, query: null } })).not.toHaveProperty(
    "body.warnings",
  );
  const key = await app.key(["tenant"], { tenantId: await app.tenant("pasted") });
  const tenant = await app.call<Warned>("PATCH", "/v1/tenant", { settings }, key);
  expect(tenant.body).toMatchObject({ settings: expected, warnings });
  const refused = await app.call<ErrorBody>("PATCH", agent, { settings: { stores: {} } });
  expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_settings"]);
});
