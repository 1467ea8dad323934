import { afterAll, beforeAll, expect, test } from "vitest";
import { cliOn } from "../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.call("POST", "/v1/agents", { id: "support" });
  await app.put("a.md", "A note", "support");
});
afterAll(() => app.drop());

const said = async (key: string | undefined, ...argv: string[]) => (await cliOn(app, key)(...argv)).err;

test("an agent that is not there: the nearest is offered, as far as the key may know the others", async () => {
  expect(await said(undefined, "status", "--agent", "suport")).toContain("Did you mean support?");
  expect(await said(undefined, "agents", "settings", "supportt")).toContain("Did you mean support?");
  expect(JSON.parse(await said(undefined, "search", "x", "--agent", "suport", "--json"))).toMatchObject({
    code: "agent_not_found",
    status: 404,
    detail: expect.stringContaining("Did you mean support?"),
  });
  expect(await said(undefined, "status", "--agent", "elephants")).not.toContain("Did you mean");
  const bound = await app.key(["agent:read"], { agentId: "support" });
  const reader = await said(bound, "get", "a.md", "--agent", "suport");
  expect(reader).toMatch(/_(found|invalid)|\(forbidden\)/);
});

test("a tenant, in the tenant that is named", async () => {
  await app.tenant("acme");
  expect(await said(undefined, "usage", "--tenant", "acmee")).toContain("There is no tenant acmee. Did you mean acme?");
  await cliOn(app)("agents", "create", "theirs", "--tenant", "acme");
  expect(await said(undefined, "agents", "settings", "theirz", "--tenant", "acme")).toContain("Did you mean theirs?");
});

test("a setting: one spelt almost so, or the only one of that name elsewhere", async () => {
  const set = (key: string) => said(undefined, "agents", "set", "support", key, "3");
  expect(await set("query.maxResult")).toContain(
    "settings.query.maxResult: unknown key, did you mean query.maxResults?",
  );
  expect(await set("maxResults")).toContain("did you mean query.maxResults?");
  expect(await set("zebra")).toMatch(/settings\.zebra: unknown key\. \(invalid_settings\)/);
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`query${"x".repeat(index)}`, 1]));
  // Only the few named keys are compared with all known keys.
  const refused = await app.call("PATCH", "/v1/agents/support", { settings: many });
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/and 395 more\.$/)]);
});
