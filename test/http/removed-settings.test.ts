import { afterAll, beforeAll, expect, test } from "vitest";
import { REMOVED_SETTINGS } from "../../src/base/removed-keys.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

/** Settings with every removed key, and one that there is. */
const stored = {
  model: "m",
  facts: {
    capture: { languages: ["de"] },
    recall: { corpus: "facts" },
    ingest: { overlap: 30 },
    duplicateDistance: 0.1,
  },
};
const paths = ["model", ...REMOVED_SETTINGS.keys()];

/** Writes settings where an earlier release has stored them. */
async function store(table: "agents" | "tenants", id: string, settings: object): Promise<void> {
  await app.db.executeSql(`UPDATE recollect.${table} SET settings = $1 WHERE id = $2`, [JSON.stringify(settings), id]);
}

function leaves(value: object, prefix = ""): string[] {
  return Object.entries(value).flatMap(([key, child]) =>
    typeof child === "object" && !Array.isArray(child) ? leaves(child, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

test("the stored settings of this test have every removed key", () => {
  expect(leaves(stored).toSorted()).toEqual(paths.toSorted());
});

test("a request that sets a removed setting is refused with the reason, wherever it is sent", async () => {
  await app.call("POST", "/v1/agents", { id: "new" });
  const tenantKey = await app.key(["tenant"], { tenantId: await app.tenant("new") });
  const settings = { facts: { duplicateDistance: 0.05 } };
  const answers = [
    await app.call<ErrorBody>("POST", "/v1/agents", { id: "other", settings }),
    await app.call<ErrorBody>("PATCH", "/v1/agents/new", { settings }),
    await app.call<ErrorBody>("PATCH", "/v1/tenant", { settings }, tenantKey),
    await app.call<ErrorBody>("POST", "/v1/tenants", { name: "another", settings }),
  ];
  for (const { status, body } of answers) {
    expect([status, body.error.code]).toEqual([400, "invalid_settings"]);
    expect(body.error.message).toBe(
      `The settings are not valid. settings.facts.duplicateDistance is no longer a setting: ${REMOVED_SETTINGS.get("facts.duplicateDistance")}.`,
    );
  }
});

test("an agent whose stored settings have removed keys answers, shows none of them, and can be changed", async () => {
  await app.call("POST", "/v1/agents", { id: "old" });
  await app.put("a.md", "The lantern stands in the hall.", "old");
  await store("agents", "old", { ...stored, model: undefined });
  expect((await app.search("lantern", {}, "old")).results).toHaveLength(1);
  const shown = await app.call<{ settings: object; own: object; origins: object }>("GET", "/v1/agents/old/settings");
  expect(shown.status).toBe(200);
  for (const path of REMOVED_SETTINGS.keys()) {
    expect(leaves(shown.body.settings)).not.toContain(path);
    expect(shown.body.origins).not.toHaveProperty([path]);
    expect(leaves(shown.body.own)).not.toContain(path);
  }
  const patched = await app.call("PATCH", "/v1/agents/old", { settings: { citations: "on" } });
  expect(patched).toMatchObject({ status: 200, body: { settings: { citations: "on" } } });
  const { rows } = await app.db.executeSql<{ settings: object }>(
    "SELECT settings FROM recollect.agents WHERE id = 'old'",
  );
  expect(leaves(rows[0]?.settings ?? {})).toEqual(["citations"]);
});

test("a tenant whose stored settings have removed keys can be changed, and its agents answer", async () => {
  const tenantId = await app.tenant("old");
  const key = await app.key(["tenant", "read", "write"], { tenantId });
  await store("tenants", tenantId, { ...stored, model: undefined });
  expect((await app.call("PUT", "/v1/agents/main/files/a.md", { content: "A lantern." }, key)).status).toBe(200);
  const settings = await app.call<{ origins: object }>("GET", "/v1/agents/main/settings", undefined, key);
  for (const path of REMOVED_SETTINGS.keys()) expect(settings.body.origins).not.toHaveProperty([path]);
  const patched = await app.call<{ settings: object }>("PATCH", "/v1/tenant", { settings: { citations: "on" } }, key);
  expect([patched.status, leaves(patched.body.settings)]).toEqual([200, ["citations"]]);
});
