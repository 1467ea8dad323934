import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replaceBindings } from "../../src/db/control/bindings.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
interface Refusal {
  error: { code: string; details?: { agents: string[]; more: number } };
}
type Listed = Record<string, unknown> & { nextCursor?: string };
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as ErrorBody).error?.code];

describe("a disabled agent", () => {
  const ask = (method: string, rest: string, body?: unknown) =>
    app.call(method, `/v1/agents/resting${rest}`, body).then(codeOf);

  test("answers neither reads nor writes, keeps its memory, and is there again when it is enabled", async () => {
    await app.put("a.md", "A note that rests", "resting");
    await app.embedded("resting");
    const disabled = await app.call<{ status: string }>("PATCH", "/v1/agents/resting", { disabled: true });
    expect([disabled.status, disabled.body.status]).toEqual([200, "disabled"]);
    const requests: [string, string, unknown?][] = [
      ["POST", "/tools/memory_search", { query: "note" }],
      ["POST", "/tools/memory_get", { path: "a.md" }],
      ["GET", "/files"],
      ["GET", "/files/a.md"],
      ["PUT", "/files/b.md", { content: "x" }],
      ["POST", "/files", { delete: ["a.md"] }],
      ["DELETE", "/files/a.md"],
    ];
    for (const [method, rest, body] of requests)
      expect([method, rest, ...(await ask(method, rest, body))]).toEqual([method, rest, 403, "agent_disabled"]);
    // The agent's administrator still sees it, and may change it.
    expect(await ask("GET", "")).toEqual([200, undefined]);
    expect(await ask("PATCH", "", { settings: { query: { maxResults: 2 } } })).toEqual([200, undefined]);
    expect((await app.call<{ status: string }>("GET", "/v1/agents/resting")).body.status).toBe("disabled");
    expect(await ask("PATCH", "", { disabled: false })).toEqual([200, undefined]);
    for (const [method, rest, body] of requests)
      expect([method, rest, (await ask(method, rest, body))[0]]).toEqual([
        ...[method, rest, method === "DELETE" ? 404 : 200],
      ]);
  });

  test("gets the embeddings that were pending when it is enabled again", async () => {
    const idle = await startTestApp({ worker: false });
    await idle.put("a.md", "Waits for its embedding", "pending");
    await idle.call("PATCH", "/v1/agents/pending", { disabled: true });
    const working = await startTestApp({ on: idle });
    try {
      const unfinished = async () => {
        const { rows } = await idle.db.executeSql<{ n: number }>(
          `SELECT count(*)::int AS n FROM recollect_jobs.job
           WHERE name = 'embed' AND data->>'agentId' = 'pending' AND state <> 'completed'`,
        );
        return rows[0]?.n;
      };
      // The job finds the agent disabled: it does no work and does not fail.
      await expect.poll(unfinished).toBe(0);
      expect(working.embedder.asked).toEqual([]);
      await working.call("PATCH", "/v1/agents/pending", { disabled: false });
      await working.embedded("pending");
      const { results } = await working.search("waits embedding", {}, "pending");
      expect(results[0]?.vectorScore).toBeGreaterThan(0);
    } finally {
      await working.drop();
      await idle.drop();
    }
  });
});

describe("tenants", () => {
  interface Tenant {
    id: string;
    name: string;
    settings: object;
    limits: object;
    disabled: boolean;
  }
  const inTenant = async (id: string, method: string, path: string, body?: unknown) =>
    app.call<Tenant>(method, path, body, await app.key(["admin"], { tenantId: id }));

  test("are made, listed page by page, changed by the operator, and their settings by themselves", async () => {
    const ids = [];
    for (const name of ["cedar", "alder", "beech"]) ids.push(await app.tenant(name));
    const names: string[] = [];
    let path = "/v1/tenants?limit=2";
    for (;;) {
      const { body } = await app.call<{ tenants: Tenant[]; nextCursor?: string }>("GET", path);
      names.push(...body.tenants.map((tenant) => tenant.name));
      if (body.nextCursor === undefined) break;
      path = `/v1/tenants?limit=2&cursor=${body.nextCursor}`;
    }
    expect(names.filter((name) => ["alder", "beech", "cedar", "default"].includes(name))).toEqual([
      ...["alder", "beech", "cedar", "default"],
    ]);
    expect(new Set(names).size).toBe(names.length);
    expect(codeOf(await app.call("POST", "/v1/tenants", { name: "alder" }))).toEqual([409, "tenant_exists"]);
    const [cedar = ""] = ids;
    // A name that is another tenant's id would lead to that tenant.
    expect(codeOf(await app.call("POST", "/v1/tenants", { name: cedar }))).toEqual([400, "invalid_request"]);
    expect(codeOf(await inTenant(cedar, "PATCH", "/v1/tenant", { name: cedar }))).toEqual([400, "invalid_request"]);
    const key = await app.key(["tenant"], { tenantId: cedar });
    for (const change of [{ name: "x" }, { limits: { files: 1 } }, { disabled: true }])
      expect(codeOf(await app.call("PATCH", "/v1/tenant", change, key))).toEqual([403, "forbidden"]);
    const changed = await inTenant(cedar, "PATCH", "/v1/tenant", { name: "oak", limits: { files: 1, agents: 2 } });
    expect(changed).toMatchObject({ status: 200, body: { id: cedar, name: "oak", limits: { files: 1, agents: 2 } } });
    expect(codeOf(await inTenant(cedar, "PATCH", "/v1/tenant", { name: "beech" }))).toEqual([409, "tenant_exists"]);
    const settings = { query: { maxResults: 8 } };
    expect((await app.call("PATCH", "/v1/tenant", { settings }, key)).status).toBe(200);
    expect((await app.call<Tenant>("GET", "/v1/tenant", undefined, key)).body).toMatchObject({
      name: "oak",
      settings,
      limits: { files: 1, agents: 2 },
    });
  });

  test("a disabled tenant's keys are refused, until it is enabled", async () => {
    const id = await app.tenant("paused");
    const [key, admin] = [await app.key(["tenant"], { tenantId: id }), await app.key(["admin"])];
    const set = async (disabled: boolean) => {
      const headers = { authorization: `Bearer ${admin}`, "recollect-tenant": id, "content-type": "application/json" };
      const init = { method: "PATCH", headers, body: JSON.stringify({ disabled }) };
      expect((await app.runtime.app.request("/v1/tenant", init)).status).toBe(200);
    };
    await set(true);
    expect(codeOf(await app.call("GET", "/v1/agents", undefined, key))).toEqual([403, "tenant_disabled"]);
    await set(false);
    expect((await app.call("GET", "/v1/agents", undefined, key)).status).toBe(200);
  });

  test("only an empty tenant is removed, with its keys; its audit log stays, the default tenant too", async () => {
    const id = await app.tenant("leaving");
    const named = { "recollect-tenant": id };
    const admin = await app.key(["admin"], { tenantId: id });
    const key = await app.key(["tenant"], { tenantId: id });
    await app.call("POST", "/v1/agents", { id: "a" }, key);
    await replaceBindings(app.db, id, [
      { agentId: "a", match: { channel: "irc" } },
      { agentId: "main", match: { channel: "mail" } },
    ]);
    const remove = (holder?: string, headers = named) =>
      app.call<Refusal>("DELETE", "/v1/tenant", undefined, holder, headers);
    expect(codeOf(await remove(key))).toEqual([403, "forbidden"]);
    const refused = await remove(admin);
    expect(codeOf(refused)).toEqual([409, "tenant_not_empty"]);
    expect(refused.body.error.details).toEqual({ agents: ["a"], more: 0 });
    await app.call("DELETE", "/v1/agents/a", undefined, key);
    const { status, body } = await remove(admin);
    expect(status).toBe(200);
    expect(body).toEqual({
      removed: true,
      receiptId: expect.stringMatching(UUID),
      tenantId: id,
      tenantName: "leaving",
      removedAt: expect.any(String),
      actor: admin.slice(0, 16),
      counts: { agents: 1, keys: 2, bindings: 1, answers: 0 },
      left: { auditEntries: 6, receipts: 2, usageRows: 0 },
    });
    for (const gone of [key, admin])
      expect(codeOf(await app.call("GET", "/v1/agents", undefined, gone))).toEqual([401, "unauthenticated"]);
    const { rows } = await app.db.executeSql<{ action: string }>(
      "SELECT action FROM recollect.audit_log WHERE tenant_id = $1 ORDER BY id",
      [id],
    );
    expect(rows.at(-1)?.action).toBe("tenant.remove");
    expect(rows.map((row) => row.action)).toContain("agent.erase");
    const main = { "recollect-tenant": "00000000-0000-4000-8000-000000000001" };
    const kept = await remove(undefined, main);
    expect(codeOf(kept)).toEqual([409, "tenant_not_empty"]);
    expect(kept.body.error.details).toBeUndefined();
    expect((await app.tenant("leaving")) !== id).toBe(true);
  });

  test("the operator reads the receipts and the audit log of a tenant that is gone, and nothing else of it", async () => {
    const id = await app.tenant("proven");
    const operator = await app.key(["admin"]);
    const at = (method: string, path: string, holder: string) =>
      app.call<Listed>(method, path, undefined, holder, { "recollect-tenant": id });
    await app.call("POST", "/v1/agents", { id: "a" }, await app.key(["tenant"], { tenantId: id }));
    await at("DELETE", "/v1/agents/a", operator);
    const { receiptId } = (await at("DELETE", "/v1/tenant", operator)).body;
    const listed = (await at("GET", "/v1/erasures", operator)).body.erasures as { agentId: string; counts: object }[];
    expect(listed.map(({ agentId }) => agentId)).toEqual(["", "a"]);
    const receipt = await at("GET", `/v1/erasures/${receiptId}`, operator);
    expect(receipt.body).toMatchObject({ id: receiptId, agentId: "", counts: { agents: 1, keys: 1 }, pathHashes: [] });
    const { entries } = (await at("GET", "/v1/audit", operator)).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: "tenant.remove", target: id }));
    for (const path of ["/v1/tenant", "/v1/agents", "/v1/agents/a", "/v1/audits", "/v1/usage/embeddings"])
      expect([path, (await at("GET", path, operator)).status]).toEqual([path, 404]);
    const stranger = await app.key(["tenant"]);
    expect(codeOf(await at("GET", "/v1/erasures", stranger))).toEqual([403, "forbidden"]);
    const never = { "recollect-tenant": "3b241101-e2bb-4255-8caf-4136c566a962" };
    expect(codeOf(await app.call("GET", "/v1/audit", undefined, operator, never))).toEqual([404, "tenant_not_found"]);
  });

  test("an operator has to name the tenant that is removed or disabled", async () => {
    const ops = await app.tenant("operators");
    const operator = await app.key(["admin"], { tenantId: ops });
    const asks = [
      ["DELETE", undefined],
      ["PATCH", { disabled: true }],
      ["PATCH", { disabled: true, name: "x" }],
    ] as const;
    for (const [method, body] of asks)
      for (const holder of [operator, undefined]) {
        const answer = await app.call<ErrorBody>(method, "/v1/tenant", body, holder);
        expect(codeOf(answer)).toEqual([400, "invalid_request"]);
        expect(answer.body.error.message).toContain("header Recollect-Tenant: <id>");
      }
    expect((await app.call("GET", "/v1/tenant", undefined, operator)).body).toMatchObject({ disabled: false });
    const own = { "recollect-tenant": ops };
    expect((await app.call("PATCH", "/v1/tenant", { disabled: true }, operator, own)).status).toBe(200);
    expect((await app.call("PATCH", "/v1/tenant", { disabled: false }, operator)).status).toBe(200);
    const byName = await app.call<ErrorBody>("DELETE", "/v1/tenant", undefined, operator, {
      "recollect-tenant": "operators",
    });
    expect(codeOf(byName)).toEqual([404, "tenant_not_found"]);
    expect(byName.body.error.message).toContain("takes the id of a tenant");
    expect((await app.call("DELETE", "/v1/tenant", undefined, operator, own)).status).toBe(200);
  });
});

test("the audit log has limits before and after a change, and no values of settings or names of agents", async () => {
  const id = await app.tenant("measured");
  const inTenant = (method: string, path: string, body: unknown) =>
    app.call(method, path, body, undefined, { "recollect-tenant": id });
  const patch = { limits: { files: 1 }, settings: { query: { maxResults: 37 } } };
  const made = await inTenant("POST", "/v1/agents", { id: "one", name: "Heron", limits: { files: 7 } });
  expect(made.status).toBeLessThan(300);
  for (const path of ["/v1/tenant", "/v1/agents/one"]) {
    expect((await inTenant("PATCH", path, patch)).status, path).toBe(200);
    expect((await inTenant("PATCH", path, { limits: { files: null, bytes: 9000 }, name: `${path}-b` })).status).toBe(
      200,
    );
  }
  await inTenant("POST", "/v1/keys", { name: "slow", scopes: ["search"], requestsPerMinute: 30 });
  const { body } = await app.call<{ entries: { action: string; details: object }[] }>(
    "GET",
    "/v1/audit",
    undefined,
    undefined,
    { "recollect-tenant": id },
  );
  const [limits, name] = [["limits.files", "limits.bytes"], "name"];
  expect(body.entries.map(({ action, details }) => [action, details])).toEqual([
    ["key.create", { name: "slow", scopes: ["search"], requestsPerMinute: 30 }],
    [
      "agent.update",
      {
        changed: expect.arrayContaining([...limits, name]),
        before: { "limits.files": 1, "limits.bytes": null },
        after: { "limits.files": null, "limits.bytes": 9000 },
      },
    ],
    [
      "agent.update",
      {
        changed: expect.arrayContaining(["limits.files", "settings.query.maxResults"]),
        before: { "limits.files": 7 },
        after: { "limits.files": 1 },
      },
    ],
    [
      "tenant.update",
      {
        changed: expect.arrayContaining([...limits, name]),
        before: { "limits.files": 1, "limits.bytes": null, name: "measured" },
        after: { "limits.files": null, "limits.bytes": 9000, name: "/v1/tenant-b" },
      },
    ],
    [
      "tenant.update",
      {
        changed: expect.arrayContaining(["limits.files", "settings.query.maxResults"]),
        before: { "limits.files": null },
        after: { "limits.files": 1 },
      },
    ],
    ["agent.create", { limits: { files: 7 } }],
    ["tenant.create", { name: "measured" }],
  ]);
  for (const hidden of ["37", "Heron"])
    expect(JSON.stringify(body.entries.map((entry) => entry.details))).not.toContain(hidden);
});

test("the audit log is read newest first, page by page, by its own tenant", async () => {
  const id = await app.tenant("busy");
  const key = await app.key(["tenant"], { tenantId: id });
  for (let i = 0; i < 5; i++) await app.call("POST", "/v1/agents", { id: `agent-${i}` }, key);
  await app.call("PATCH", "/v1/agents/agent-0", { disabled: true, name: "hunter2" }, key);
  const targets: string[] = [];
  const actors = new Set<string>();
  let path = "/v1/audit?limit=3";
  for (;;) {
    const { body } = await app.call<{
      entries: { id: string; target: string; actor: string; action: string; details: object }[];
      nextCursor?: string;
    }>("GET", path, undefined, key);
    expect(body.entries.length).toBeLessThanOrEqual(3);
    targets.push(...body.entries.map((entry) => `${entry.action} ${entry.target}`));
    for (const entry of body.entries) actors.add(entry.actor);
    // The audit log names the changed settings, but not their values.
    expect(JSON.stringify(body)).not.toContain("hunter2");
    if (body.nextCursor === undefined) break;
    path = `/v1/audit?limit=3&cursor=${body.nextCursor}`;
  }
  expect(targets).toEqual([
    "agent.disable agent-0",
    ...[4, 3, 2, 1, 0].map((i) => `agent.create agent-${i}`),
    `key.create ${key.slice(0, 16)}`,
    `tenant.create ${id}`,
  ]);
  expect(actors).toEqual(new Set(["local", key.slice(0, 16)]));
  // Cursors of an older version, and one of another tenant.
  const cursors = ["x", "-1", "9".repeat(30), "12", Buffer.from("12").toString("base64url"), await strangeCursor()];
  for (const query of ["limit=0", ...cursors.map((cursor) => `cursor=${cursor}`)])
    expect(codeOf(await app.call("GET", `/v1/audit?${query}`, undefined, key))).toEqual([400, "invalid_request"]);

  async function strangeCursor() {
    const other = await app.key(["tenant"], { tenantId: await app.tenant("other-log") });
    const { body } = await app.call<{ nextCursor: string }>("GET", "/v1/audit?limit=1", undefined, other);
    return body.nextCursor;
  }
});

test("no id and no cursor of a tenant's lists counts what all tenants together do", async () => {
  const key = await app.key(["tenant"], { tenantId: await app.tenant("counted") });
  const ask = (method: string, path: string, body?: unknown) => app.call<Listed>(method, path, body, key);
  for (const id of ["one", "two"]) {
    await ask("PUT", `/v1/agents/${id}/files/a.md`, { content: "A note." });
    await ask("POST", `/v1/agents/${id}/tools/memory_search`, { query: "note" });
    await ask("POST", `/v1/agents/${id}/tools/memory_recall`, { query: "note" });
    await ask("POST", "/v1/keys", { name: id, scopes: ["search"] });
    await ask("PATCH", `/v1/agents/${id}`, { disabled: true });
    await ask("PATCH", `/v1/agents/${id}`, { disabled: false });
  }
  await app.runtime.deps.activity.flush();
  for (const id of ["three", "four"]) {
    await ask("PUT", `/v1/agents/${id}/files/a.md`, { content: "A note." });
    await ask("DELETE", `/v1/agents/${id}`);
  }
  const lists = ["audit", "jobs", "keys", "erasures", "usage/embeddings", "agents/one/activity"];
  for (const list of lists) {
    const { status, body } = await ask("GET", `/v1/${list}?limit=1`);
    expect([list, status]).toEqual([list, 200]);
    const rows = Object.values(body).flatMap((value) => (Array.isArray(value) ? (value as { id?: string }[]) : []));
    for (const row of rows) expect([list, row.id ?? UUID]).toEqual([list, expect.stringMatching(UUID)]);
    const position = Buffer.from(body.nextCursor ?? "", "base64url").toString();
    // A cursor consists of a time, the id of a row, or a row's text.
    const rest = position.replace(UUID, "").replace(/^(\d{16} |\[".*\])$/, "");
    expect([list, rest]).toEqual([list, ""]);
  }
});
