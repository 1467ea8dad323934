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
  expect(await said(undefined, "search", "x", "--agent", "suport")).toBe(
    "There is no agent suport yet; its first write creates it. Did you mean support?\n",
  );
  expect(await said(undefined, "search", "x", "--agent", "support")).toBe("");
  expect(JSON.parse(await said(undefined, "status", "--agent", "suport", "--json"))).toMatchObject({
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
  expect(await set("capture")).toContain("settings.capture: unknown key, did you mean one of facts.capture.");
  expect(await set("capture")).toMatch(/[a-z]\? \(invalid_settings\)\n$/);
  expect(await set("zebra")).toMatch(/settings\.zebra: unknown key\. \(invalid_settings\)/);
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`query${"x".repeat(index)}`, 1]));
  // Only the few named keys are compared with all known keys.
  const refused = await app.call("PATCH", "/v1/agents/support", { settings: many });
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/and 395 more\.$/)]);
});

test("a list of an agent that does not exist says so, as a search does", async () => {
  const sentence = "There is no agent suport yet; its first write creates it. Did you mean support?\n";
  for (const line of ["facts list", "facts search x", "facts recall x", "facts people", "sessions list"]) {
    expect(await said(undefined, ...line.split(" "), "--agent", "suport")).toBe(sentence);
    expect(await said(undefined, ...line.split(" "), "--agent", "support")).toBe("");
  }
  const { out } = await cliOn(app)("facts", "list", "--agent", "support");
  expect(out).toBe("There are no such facts.\n");
});

test("a file: other letter case, another folder, spelt almost so; and a line beyond the end", async () => {
  await app.put("notes/Plans/summer.md", "one\ntwo", "support");
  const get = (path: string, ...more: string[]) => said(undefined, "get", path, "--agent", "support", ...more);
  expect(await get("A.MD")).toBe("The agent has no file A.MD. Did you mean a.md? (file_not_found)\n");
  expect(await get("Summer.md")).toContain("Did you mean notes/Plans/summer.md?");
  expect(await get("notes/Plans/sumer.md")).toContain("Did you mean notes/Plans/summer.md?");
  expect(await get("zebra.md")).toBe("The agent has no file zebra.md. (file_not_found)\n");
  expect(await get("a.md", "--from", "1000")).toBe("(the file ends before line 1000)\n");
  expect(await said(undefined, "get", "a.md", "--agent", "suport")).toContain("There is no agent suport yet");
});

test("the history of a file that was never there says so, unlike that of a file without versions", async () => {
  const history = async (...argv: string[]) =>
    (await cliOn(app)("files", "history", ...argv, "--agent", "support")).out;
  expect(await history("a.md")).toBe("There are no earlier versions.\n");
  expect(await history("zebra.md")).toBe("The agent has no file zebra.md, and no earlier versions of it.\n");
  expect(await history()).toBe("There are no deleted files.\n");
});
