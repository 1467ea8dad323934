import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger, type Logger } from "../../src/base/logger.ts";
import type { KeyInUse } from "../../src/client/client.ts";
import { DEFAULT_TENANT_ID } from "../../src/db/control/tenants.ts";
import { ensureAdminKey, readAdminKey } from "../../src/service/admin/manage-keys.ts";
import { authenticate } from "../../src/service/core/authenticate.ts";
import { CLOSE_TIMES, idsOfPages } from "../support/list-pages.ts";
import { ROUTE_TABLE } from "../support/route-table.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

interface Key {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  agentId: string | null;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

describe("API keys", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());

  const make = (body: object, key?: string) => app.call<Key & { key: string }>("POST", "/v1/keys", body, key);
  const refused = async (body: object, key?: string) => {
    const { status, body: answer } = await app.call<ErrorBody>("POST", "/v1/keys", body, key);
    return [status, answer.error.code];
  };
  const keys = async (key?: string) =>
    (await app.call<{ keys: Key[] }>("GET", "/v1/keys", undefined, key)).body.keys ?? [];
  const find = async (key: string) => (await keys()).find((one) => one.prefix === key.slice(0, 16));

  test("a key is listed by its prefix and its scopes once each, and never shown again", async () => {
    const scopes = ["search", "agent:write", "search"];
    const { status, body } = await make({ name: "  tidy  ", scopes, requestsPerMinute: 7 });
    expect(status).toBe(201);
    const { key, ...summary } = body;
    expect(key).toMatch(/^rcl_[0-9a-f]{12}_[0-9a-f]{48}$/);
    expect(summary).toMatchObject({ name: "tidy", prefix: key.slice(0, 16), scopes: ["search", "agent:write"] });
    expect(await find(key)).toEqual(summary);
    expect(JSON.stringify(await keys())).not.toContain(key.slice(17));
  });

  test("a key says its name and tenant, and the tenant in which an operator's key acts", async () => {
    const tenantId = await app.tenant("observed");
    const own = await app.key(["tenant"], { tenantId });
    const ask = (key?: string, headers = {}) => app.call<KeyInUse>("GET", "/v1/key", undefined, key, headers);
    const observed = { id: tenantId, name: "observed" };
    expect((await ask(own)).body).toEqual({
      tenantId,
      tenantName: "observed",
      ownTenant: observed,
      keyName: "test",
      prefix: own.slice(0, own.lastIndexOf("_")),
      expiresAt: null,
      scopes: ["tenant"],
      agentId: null,
    });
    const admin = await app.key(["admin"]);
    const away = await ask(admin, { "recollect-tenant": tenantId });
    expect(away.body).toMatchObject({
      tenantId,
      tenantName: "observed",
      ownTenant: { id: DEFAULT_TENANT_ID, name: "default" },
      keyName: "test",
    });
    expect((await ask(admin)).body).toMatchObject({ tenantId: DEFAULT_TENANT_ID, tenantName: "default" });
    expect((await ask(undefined, { "recollect-tenant": tenantId })).body).toMatchObject({
      tenantName: "observed",
      ownTenant: { name: "default" },
      keyName: null,
      prefix: null,
      scopes: ["admin"],
    });
  });

  test("keys are listed page by page, oldest first, each once", async () => {
    const tenantId = await app.tenant("paged");
    const key = await app.key(["tenant"], { tenantId });
    await app.db.executeSql(
      `INSERT INTO recollect.api_keys (id, tenant_id, name, prefix, hash, scopes, created_at)
       SELECT gen_random_uuid(), $1::uuid, 'paged', 'paged' || n, '', '{search}', ${CLOSE_TIMES} FROM generate_series(1, 7) AS n`,
      [tenantId],
    );
    const { rows } = await app.db.executeSql<{ id: string }>(
      "SELECT id FROM recollect.api_keys WHERE tenant_id = $1 ORDER BY created_at, id",
      [tenantId],
    );
    expect(rows).toHaveLength(8);
    expect(await idsOfPages(app, "/v1/keys?", "keys", key)).toEqual(rows.map(({ id }) => id));
  });

  test("a key is refused from the moment it expires", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { key } = (await make({ name: "short", scopes: ["search"], expiresAt: expiresAt.toISOString() })).body;
    const { deps } = app.runtime;
    const at = (ms: number) => authenticate({ ...deps, clock: () => new Date(expiresAt.getTime() + ms) }, key);
    expect((await at(-1)).caller.scopes).toEqual(["search"]);
    for (const ms of [0, 1, 86_400_000]) await expect(at(ms)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("an expiry that is past, or no instant, is refused; a zone is understood", async () => {
    const base = { name: "x", scopes: ["search"] };
    for (const expiresAt of ["2001-01-01T00:00:00Z", "2097-01-31", "soon", 4_000_000_000])
      expect([expiresAt, ...(await refused({ ...base, expiresAt }))]).toEqual([expiresAt, 400, "invalid_request"]);
    const { body } = await make({ ...base, expiresAt: "2097-01-31T10:00:00+02:00" });
    expect(body.expiresAt).toBe("2097-01-31T08:00:00.000Z");
    expect((await make({ ...base, expiresAt: null })).body.expiresAt).toBeNull();
  });

  test("lastUsedAt is noted, at most once a minute", async () => {
    const key = await app.key(["search"]);
    expect((await find(key))?.lastUsedAt).toBeNull();
    const { deps } = app.runtime;
    const start = Date.now();
    const useAfter = async (ms: number) => {
      await authenticate({ ...deps, clock: () => new Date(start + ms) }, key);
      return new Date((await find(key))?.lastUsedAt ?? 0).getTime() - start;
    };
    expect(await useAfter(0)).toBe(0);
    expect(await useAfter(59_000)).toBe(0);
    expect(await useAfter(60_001)).toBe(60_001);
    await expect(authenticate(deps, `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`)).rejects.toThrow();
    expect(await useAfter(119_000)).toBe(60_001);
  });

  test("a key for one agent: only for one that is there, and not for what concerns all agents", async () => {
    const before = await keys();
    const bound = (agentId: string, ...scopes: string[]) => refused({ name: "bound", scopes, agentId });
    expect(await bound("nobody", "search")).toEqual([404, "agent_not_found"]);
    expect(await bound("No Id", "search")).toEqual([400, "invalid_agent_id"]);
    expect(await bound("main", "admin")).toEqual([400, "invalid_request"]);
    expect(await bound("main", "search", "tenant")).toEqual([400, "invalid_request"]);
    const tenantId = await app.tenant("other");
    const foreign = await app.key(["tenant"], { tenantId });
    await app.call("POST", "/v1/agents", { id: "ours" });
    expect(await refused({ name: "bound", scopes: ["search"], agentId: "ours" }, foreign)).toEqual([
      ...[404, "agent_not_found"],
    ]);
    expect(await keys()).toEqual(before);
    expect(await keys(foreign)).toHaveLength(1);
    expect((await make({ name: "bound", scopes: ["search"], agentId: "ours" })).status).toBe(201);
  });

  test.each([
    ["no name", { scopes: ["search"] }],
    ["an empty name", { name: " ", scopes: ["search"] }],
    ["a name that is too long", { name: "x".repeat(201), scopes: ["search"] }],
    ["no scopes", { name: "x", scopes: [] }],
    ["an unknown scope", { name: "x", scopes: ["root"] }],
    ["a rate of none", { name: "x", scopes: ["search"], requestsPerMinute: 0 }],
    ["an unknown field", { name: "x", scopes: ["search"], tenantId: "x" }],
  ])("%s is refused", async (_what, body) => {
    expect(await refused(body)).toEqual([400, "invalid_request"]);
  });

  test("a tenant's administrator neither makes nor revokes an operator's key, nor another tenant's", async () => {
    const tenantKey = await app.key(["tenant"]);
    expect(await refused({ name: "x", scopes: ["search", "admin"] }, tenantKey)).toEqual([403, "forbidden"]);
    const operator = await make({ name: "operator", scopes: ["admin"] });
    const revoke = (id: string, key: string) => app.call<ErrorBody>("DELETE", `/v1/keys/${id}`, undefined, key);
    const answer = await revoke(operator.body.id, tenantKey);
    expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
    expect((await app.call("GET", "/v1/tenants", undefined, operator.body.key)).status).toBe(200);
    const foreign = await app.key(["tenant"], { tenantId: await app.tenant("foreign") });
    const missed = await revoke(operator.body.id, foreign);
    expect([missed.status, missed.body.error.code]).toEqual([404, "key_not_found"]);
    const own = await make({ name: "own", scopes: ["search"] }, tenantKey);
    expect((await revoke(own.body.id, tenantKey)).status).toBe(200);
    // Revoking a key again keeps the time of the first revocation.
    expect((await revoke(own.body.id, tenantKey)).status).toBe(200);
    expect((await app.call("GET", "/v1/keys", undefined, own.body.key)).status).toBe(401);
  });

  test("the start says that the operator's key is revoked, and a revocation that no such key is left", async () => {
    const { key, id } = (await make({ name: "last", scopes: ["admin"] })).body;
    const said: string[] = [];
    const { db, clock } = app.runtime.deps;
    const logger = { ...createLogger("silent"), warn: (message: unknown) => void said.push(String(message)) } as Logger;
    const start = () => ensureAdminKey({ db, clock, logger }, readAdminKey(key));
    await start();
    expect(said).toEqual([]);
    const { keys: listed } = (
      await app.call<{ keys: (Key & { revokedAt: string | null })[] }>("GET", "/v1/keys?limit=1000")
    ).body;
    const others = listed.filter((one) => one.scopes.includes("admin") && one.revokedAt === null && one.id !== id);
    const revoke = async (keyId: string) =>
      (await app.call<{ warning?: string }>("DELETE", `/v1/keys/${keyId}`)).body.warning;
    for (const other of others) expect(await revoke(other.id)).toBeUndefined();
    expect(await revoke(id)).toMatch(/No key with the scope admin is left/);
    await start();
    expect(said).toEqual([expect.stringMatching(/The key in RECOLLECT_ADMIN_KEY is revoked/)]);
  });

  test("the database holds prefix and hash, and the secret nowhere", async () => {
    const { key } = (await make({ name: "kept", scopes: ["tenant"] })).body;
    await app.call("GET", "/v1/keys", undefined, key);
    const secret = key.slice(17);
    const tables = await app.db.executeSql<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    expect(tables.rows.map((row) => row.name)).toContain("recollect.api_keys");
    const holding = async (text: string) => {
      const names: string[] = [];
      for (const { name } of tables.rows) {
        const { rows } = await app.db.executeSql<{ n: number }>(
          `SELECT count(*)::int AS n FROM ${name} t WHERE strpos(t::text, $1) > 0`,
          [text],
        );
        if (rows[0]?.n) names.push(name);
      }
      return names.sort();
    };
    expect(await holding(secret)).toEqual([]);
    expect(await holding(key.slice(0, 16))).toEqual(["recollect.api_keys", "recollect.audit_log"]);
  });

  test("the audit log says who made and revoked which key, without a secret", async () => {
    const tenantKey = await app.key(["tenant"]);
    const { id, key, prefix } = (await make({ name: "audited", scopes: ["search"] }, tenantKey)).body;
    await app.call("DELETE", `/v1/keys/${id}`, undefined, tenantKey);
    const { entries } = (await app.call<{ entries: object[] }>("GET", "/v1/audit", undefined, tenantKey)).body;
    const actor = tenantKey.slice(0, 16);
    const details = { name: "audited", scopes: ["search"] };
    expect(entries.slice(0, 2)).toEqual([
      expect.objectContaining({ actor, action: "key.revoke", target: prefix, details }),
      expect.objectContaining({ actor, action: "key.create", target: prefix, details }),
    ]);
    expect(JSON.stringify(entries)).not.toContain(key.slice(17));
    expect(JSON.stringify(entries)).not.toContain(tenantKey.slice(17));
  });
});

describe("requests", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());

  const request = async (path: string, headers: Record<string, string>) => {
    const response = await app.runtime.app.request(path, { headers });
    const { error } = (await response.json()) as Partial<ErrorBody>;
    return [response.status, error?.code];
  };

  test("Recollect-Tenant is the operator's alone", async () => {
    const other = await app.tenant("other");
    await app.call("POST", "/v1/agents", { id: "elsewhere" }, await app.key(["tenant"], { tenantId: other }));
    const as = async (scope: string, tenant: string) =>
      request("/v1/agents/elsewhere", {
        authorization: `Bearer ${await app.key([scope])}`,
        "recollect-tenant": tenant,
      });
    expect(await as("admin", other)).toEqual([200, undefined]);
    for (const scope of ["tenant", "agent:read"]) expect(await as(scope, other)).toEqual([403, "forbidden"]);
    // Both are refused in the same way, or the answer would tell which tenants exist.
    expect(await as("tenant", "3b241101-e2bb-4255-8caf-4136c566a962")).toEqual([403, "forbidden"]);
    for (const tenant of ["3b241101-e2bb-4255-8caf-4136c566a962", "other", "", "' OR 1=1 --"])
      expect([tenant, ...(await as("admin", tenant))]).toEqual([tenant, 404, "tenant_not_found"]);
    expect(await request("/v1/agents/elsewhere", { "recollect-tenant": other })).toEqual([200, undefined]);
  });

  test("only a bearer key opens anything, also where none is needed", async () => {
    const key = await app.key(["admin"]);
    for (const authorization of [
      ...[key, "Bearer x", "Basic", `Basic ${key}`, `Bearer ${key} ${key}`],
      ...[`Bearer ${key.toUpperCase()}`, `Bearer ${key.slice(0, -1)}`, `Bearer ${key}0`],
    ])
      expect([authorization, ...(await request("/v1/agents", { authorization }))]).toEqual([
        ...[authorization, 401, "unauthenticated"],
      ]);
    expect(await request("/v1/agents", { authorization: `bearer  ${key}` })).toEqual([200, undefined]);
    const response = await app.runtime.app.request("/v1/agents", { headers: { authorization: "Bearer x" } });
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer /);
  });

  test("a header without a key, as of a variable that is not set, is no key", async () => {
    const strict = await startTestApp({ worker: false, keyless: false, on: app });
    const from = async ({ runtime }: TestApp, authorization: string, more: Record<string, string> = {}) =>
      (await runtime.app.request("/v1/agents", { headers: { authorization, ...more } })).status;
    for (const authorization of ["", "Bearer", "Bearer ", "bearer   "]) {
      expect([authorization, await from(app, authorization)]).toEqual([authorization, 200]);
      expect(await from(app, authorization, { "x-forwarded-for": "10.0.0.1" })).toBe(401);
      expect(await from(app, authorization, { origin: "https://evil.example" })).toBe(401);
      expect(await from(strict, authorization)).toBe(401);
    }
    await strict.drop();
  });

  test("without a key a request must be meant for loopback", async () => {
    const get = async (url: string, headers: Record<string, string> = {}) =>
      (await app.runtime.app.request(url, { headers })).status;
    for (const host of ["localhost:7420", "127.0.0.1", "127.8.9.10:80", "[::1]:7420"])
      expect([host, await get(`http://${host}/v1/agents`)]).toEqual([host, 200]);
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[::2]"])
      expect([host, await get(`http://${host}/v1/agents`)]).toEqual([host, 401]);
    expect(await get("/v1/agents", { "x-forwarded-for": "127.0.0.1" })).toBe(401);
    expect(await get("/v1/agents", { forwarded: "for=127.0.0.1" })).toBe(401);
  });

  test("a server that wants keys refuses every request without one", async () => {
    const strict = await startTestApp({ worker: false, keyless: false, on: app });
    try {
      expect((await strict.call("GET", "/v1/agents")).status).toBe(401);
      expect((await strict.call("GET", "/v1/agents", undefined, await app.key(["admin"]))).status).toBe(200);
      expect((await strict.call("GET", "/health/live")).status).toBe(200);
    } finally {
      await strict.drop();
    }
  });

  test("the reference is a document whose references resolve, and every /v1 operation names its security", async () => {
    type Json = Record<string, unknown>;
    const { status, body } = await app.call<Json>("GET", "/openapi.json");
    expect(status).toBe(200);
    expect(body.openapi).toMatch(/^3\.1\./);
    const at = (pointer: string) =>
      pointer
        .slice(2)
        .split("/")
        .reduce<unknown>((value, key) => (value as Json | undefined)?.[key.replaceAll("~1", "/")], body);
    expect(at("#/components/securitySchemes/apiKey")).toMatchObject({ type: "http", scheme: "bearer" });
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]+)"/g)].map(([, pointer = ""]) => pointer);
    expect(references.length).toBeGreaterThan(0);
    for (const pointer of references) expect([pointer, typeof at(pointer)]).toEqual([pointer, "object"]);
    for (const [path, operations] of Object.entries(body.paths as Record<string, Record<string, Json>>)) {
      for (const [method, operation] of Object.entries(operations)) {
        const named = (operation.parameters as { in: string; name: string }[] | undefined) ?? [];
        const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
        const declared = named.filter((one) => one.in === "path").map((one) => one.name);
        expect([method, path, declared.sort()]).toEqual([method, path, inPath.sort()]);
        expect([method, path, Object.keys(operation.responses as Json).length > 0]).toEqual([method, path, true]);
        const scope = ROUTE_TABLE[`${method.toUpperCase()} ${path}`]?.scope;
        if (!path.startsWith("/v1/")) continue;
        // OpenAPI has scopes only for schemes of OAuth.
        const scopes = scope === "any" ? undefined : expect.any(String);
        const said = [operation.security, operation["x-required-scope"]];
        expect([method, path, ...said]).toEqual([method, path, [{ apiKey: [] }], scopes]);
      }
    }
  });
});
