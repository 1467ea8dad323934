import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTE_TABLE, type RouteCase } from "../support/route-table.ts";
import { type Answer, type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

const SCOPES = ["search", "agent:read", "agent:write", "tenant", "admin"] as const;
/** The scopes of a caller that satisfy a required scope. */
const SUFFICIENT: Record<string, readonly string[]> = {
  any: SCOPES,
  search: ["search", "agent:read", "tenant", "admin"],
  "agent:read": ["agent:read", "tenant", "admin"],
  "agent:write": ["agent:write", "tenant", "admin"],
  tenant: ["tenant", "admin"],
  admin: ["admin"],
};

interface Documented {
  paths: Record<string, Record<string, { security?: { apiKey: string[] }[]; "x-required-scope"?: string }>>;
}

/** Returns the code of an error of ours; undefined for an answer, and for an error of the MCP. */
function codeOf({ error }: { error?: { code: unknown } }): string | undefined {
  return typeof error?.code === "string" ? error.code : undefined;
}

/** Returns status and code of a route's answer for an agent that nobody has written to. */
function absentAnswer(route: string): [status: number, code: string | undefined] {
  const { status, code } = ROUTE_TABLE[route]?.absent ?? { status: 404, code: "agent_not_found" };
  return [status, code];
}

describe("security battery", () => {
  let app: TestApp;
  let documented: Documented;
  const keys = new Map<string, string>();
  const bad = new Map<string, string>();
  let foreign: string;
  let bound: string;
  let foreignWriter: string;

  beforeAll(async () => {
    app = await startTestApp({ worker: false, keyless: true });
    await app.put("a.md", "A secret note of ours", "ours");
    await app.put("a.md", "A secret note of ours", "second");
    const rival = await app.tenant("rival");
    for (const scope of SCOPES) keys.set(scope, await app.key([scope]));
    foreign = await app.key(["tenant"], { tenantId: rival });
    foreignWriter = await app.key(["agent:write"], { tenantId: rival });
    bound = await app.key(["agent:read", "agent:write"], { agentId: "second" });
    bad.set("expired", await app.key(["tenant"], { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }));
    bad.set("revoked", await app.key(["tenant"]));
    bad.set("of a disabled tenant", await app.key(["tenant"], { tenantId: await app.tenant("disabled") }));
    await app.db.executeSql("UPDATE recollect.api_keys SET expires_at = created_at WHERE expires_at IS NOT NULL");
    const { rows } = await app.db.executeSql<{ id: string }>("SELECT id FROM recollect.api_keys WHERE prefix = $1", [
      bad.get("revoked")?.slice(0, 16),
    ]);
    expect((await app.call("DELETE", `/v1/keys/${rows[0]?.id}`)).status).toBe(200);
    await app.db.executeSql("UPDATE recollect.tenants SET disabled_at = now() WHERE name = 'disabled'");
    documented = (await app.call<Documented>("GET", "/openapi.json")).body;
  });
  afterAll(() => app.drop());

  /** Returns the answer of a route that streams events, without its events. */
  const begin = async (path: string, key: string | undefined): Promise<Answer<ErrorBody>> => {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response = await app.runtime.app.request(path, { headers });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    if (!isStream) return { status: response.status, body: (await response.json()) as ErrorBody };
    await response.body?.cancel();
    return { status: response.status, body: {} as ErrorBody };
  };
  const send = (route: string, key: string | undefined, agentId = "ours"): Promise<Answer<ErrorBody>> => {
    const { body, params = {}, query, contentType, absent } = ROUTE_TABLE[route] as RouteCase;
    const [method = "", path = ""] = route.split(" ");
    const filled = `${path.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === "agentId" ? agentId : (params[name] ?? ""),
    )}${query === undefined ? "" : `?${query}`}`;
    if (absent?.isStream) return begin(filled, key);
    return app.call(method, filled, body, key, contentType === undefined ? {} : { "content-type": contentType });
  };
  /** Returns everything that these tests must not change. */
  const state = async () => {
    const { rows } = await app.db.executeSql(
      `SELECT (SELECT count(*)::int FROM recollect.agents) AS agents, (SELECT count(*)::int FROM recollect.api_keys) AS keys,
              (SELECT count(*)::int FROM recollect.tenants) AS tenants, (SELECT count(*)::int FROM recollect.audit_log) AS acts,
              (SELECT sum(files)::int FROM recollect.usage) AS files, (SELECT string_agg(settings::text, ',') FROM recollect.tenants) AS settings`,
    );
    return rows[0];
  };

  test("knows every route that the app answers, and no other", () => {
    const answered = app.runtime.app.routes
      .filter(
        (route) =>
          route.method !== "ALL" &&
          !route.path.startsWith("/reference") &&
          !["/openapi.json", "/", "/console", "/console/*"].includes(route.path),
      )
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)(\{[^}]*\})?/g, "{$1}")}`);
    expect([...new Set(answered)].sort()).toEqual(Object.keys(ROUTE_TABLE).sort());
  });

  test("the reference names the scope that each route needs", () => {
    for (const [route, { scope }] of Object.entries(ROUTE_TABLE)) {
      const [method = "", path = ""] = route.split(" ");
      const found = Object.entries(documented.paths).find(([name]) => name === path)?.[1];
      const { security, "x-required-scope": required } = found?.[method.toLowerCase()] ?? {};
      expect([route, required]).toEqual([route, ["none", "any"].includes(scope) ? undefined : scope]);
      expect([route, security]).toEqual([route, scope === "none" ? [] : [{ apiKey: [] }]]);
    }
  });

  const secured = Object.keys(ROUTE_TABLE).filter((route) => ROUTE_TABLE[route]?.scope !== "none");

  describe.each(secured)("%s", (route) => {
    const { scope, ofAgent } = ROUTE_TABLE[route] as RouteCase;

    test("refuses who has no valid key, and changes nothing", async () => {
      const before = await state();
      const invalid = {
        "not a key": "nonsense",
        "no such key": `rcl_${"0".repeat(12)}_${"0".repeat(48)}`,
        "another secret": `${keys.get("admin")?.slice(0, 17)}${"0".repeat(48)}`,
        expired: bad.get("expired"),
        revoked: bad.get("revoked"),
      };
      const bodies = new Set<string>();
      for (const [what, key] of Object.entries(invalid)) {
        const answer = await send(route, key);
        expect([what, answer.status, answer.body.error.code]).toEqual([what, 401, "unauthenticated"]);
        bodies.add(answer.body.error.message);
      }
      expect(bodies.size).toBe(1);
      const disabled = await send(route, bad.get("of a disabled tenant"));
      expect([disabled.status, disabled.body.error.code]).toEqual([403, "tenant_disabled"]);
      expect(await state()).toEqual(before);
    });

    test("refuses a key without the scope, whether or not the agent exists", async () => {
      const before = await state();
      for (const held of SCOPES) {
        if (SUFFICIENT[scope]?.includes(held)) continue;
        const answers = await Promise.all([send(route, keys.get(held)), send(route, keys.get(held), "nobody")]);
        for (const { status, body } of answers) {
          expect([held, status, body.error.code]).toEqual([held, 403, "forbidden"]);
          expect(body.error.message).toContain(`'${scope}'`);
        }
      }
      expect(await state()).toEqual(before);
    });

    test("accepts every sufficient scope as far as authorisation goes", async () => {
      // The request names a missing agent, so that routes that write change nothing.
      if (!ofAgent || scope === "agent:write") return expect(SUFFICIENT[scope]).toContain("admin");
      for (const held of SUFFICIENT[scope] ?? []) {
        const { status, body } = await send(route, keys.get(held), "nobody");
        expect([held, status, codeOf(body)]).toEqual([held, ...absentAnswer(route)]);
      }
    });
  });

  const ofAgents = secured.filter((route) => ROUTE_TABLE[route]?.ofAgent);
  const withoutId = ({ status, body }: Answer<ErrorBody>) => {
    const told = Object.entries(body).filter(([name]) => !["requestId", "instance"].includes(name));
    return { status, ...Object.fromEntries(told), error: { ...body.error, requestId: "" } };
  };

  test.each(ofAgents)("%s: another tenant's agent is answered like one that never was", async (route) => {
    const before = await state();
    // A tenant's administrator would make the agent with the first write; a key that may only write
    // needs an existing agent.
    const key = ROUTE_TABLE[route]?.scope === "agent:write" ? foreignWriter : foreign;
    const [there, never] = [await send(route, key, "ours"), await send(route, key, "nobody")];
    expect(withoutId(there)).toEqual(withoutId(never));
    expect([there.status, codeOf(there.body)]).toEqual(absentAnswer(route));
    expect(await state()).toEqual(before);
  });

  const forBoundKeys = ofAgents.filter((route) => ROUTE_TABLE[route]?.scope !== "tenant");
  test.each(forBoundKeys)("%s: a key of another agent does not know this one", async (route) => {
    const before = await state();
    const [there, never] = [await send(route, bound, "ours"), await send(route, bound, "nobody")];
    expect(withoutId(there)).toEqual(withoutId(never));
    expect([there.status, there.body.error.code]).toEqual([404, "agent_not_found"]);
    expect(await state()).toEqual(before);
  });

  const ofTenants = secured.filter((route) => ROUTE_TABLE[route]?.ofTenant);
  test.each(ofTenants)("%s: a key of one agent learns nothing about the others", async (route) => {
    const before = await state();
    const { status, body } = await send(route, bound);
    expect([status, body.error.code]).toEqual([403, "forbidden"]);
    expect(await state()).toEqual(before);
  });

  test("an agent's status counts no other's jobs", async () => {
    expect((await send("PUT /v1/agents/{agentId}/files/{path}", foreign, "main")).status).toBe(200);
    const status = await app.call<{ jobs: Record<string, { waiting: number }> }>(
      ...(["GET", "/v1/agents/main/status", undefined, foreign] as const),
    );
    expect(status.body.jobs.embed?.waiting).toBe(1);
    expect(
      (await app.call<{ jobs: Record<string, { waiting: number }> }>("GET", "/v1/fleet")).body.jobs.embed?.waiting,
    ).toBeGreaterThan(1);
  });

  test("an unknown route tells nothing without a key", async () => {
    expect((await app.call("GET", "/v1/nothing", undefined, "nonsense")).status).toBe(401);
  });
});
