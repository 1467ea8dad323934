import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ActivityEntry, ActivityPage, ActivitySummary } from "../../src/client/client.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { insertActivity, pruneActivity, trimActivity } from "../../src/db/control/agent-activity.ts";
import { ACTIVITY_TTL_MS, MAX_ACTIVITY_ROWS } from "../../src/service/core/activity.ts";
import { scheduleSyncs } from "../../src/service/indexing/schedule-syncs.ts";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("the activity of an agent", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    await app.put("a.md", "The pump stands on shelf 42.");
  });
  afterAll(() => app.drop());

  const read = async (agent = "main", query = "", key?: string) => {
    await app.runtime.deps.activity.flush();
    return (await app.call<ActivityPage>("GET", `/v1/agents/${agent}/activity?${query}`, undefined, key)).body;
  };
  /** Takes the oldest agent of the name, because another tenant may have one too. */
  const schemaOf = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = $1 ORDER BY created_at LIMIT 1",
      [agent],
    );
    return rows[0]?.name ?? "";
  };
  const rowsOf = async (schema: string) =>
    (
      await app.db.executeSql<{ n: number }>(
        "SELECT count(*)::int AS n FROM recollect.agent_activity WHERE schema_name = $1",
        [schema],
      )
    ).rows[0]?.n;

  test("says who searched, recalled and read, how often and with how many hits, and no text", async () => {
    const at = "/v1/agents/main";
    const key = await app.key(["agent:read", "agent:write"]);
    const actor = key.slice(0, key.lastIndexOf("_"));
    await app.search("pump");
    await app.search("pump");
    await app.call("POST", `${at}/facts/search`, { query: "a secret question" }, key);
    await app.call("POST", `${at}/recall`, { message: "Where is the pump on shelf 42?" }, key);
    for (const path of ["a.md", "b.md"]) await app.call("POST", `${at}/tools/memory_get`, { path }, key);
    const { activity } = await read("main", "", key);
    // A row sums up the requests of a few seconds, so two requests may be in two rows.
    const sums = new Map<string, { times: number; hits: number }>();
    for (const { actor: by, keyName, kind, times, hits } of activity) {
      const who = `${by} ${keyName} ${kind}`;
      const before = sums.get(who) ?? { times: 0, hits: 0 };
      sums.set(who, { times: before.times + times, hits: before.hits + hits });
    }
    expect(Object.fromEntries(sums)).toEqual({
      "local null search": { times: 2, hits: 2 },
      [`${actor} test recall`]: { times: 1, hits: expect.any(Number) },
      [`${actor} test read`]: { times: 2, hits: 1 },
      [`${actor} test search`]: { times: 1, hits: 0 },
    });
    expect(JSON.stringify(activity)).not.toContain(key);
    const { rows } = await app.db.executeSql("SELECT * FROM recollect.agent_activity");
    expect(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toMatch(
      /secret|pump/,
    );
  });

  test("costs a search no statement", async () => {
    await app.search("shelf");
    await app.runtime.deps.activity.flush();
    expect(await countStatements(app, /agent_activity/, () => app.search("shelf"))).toBe(0);
  });

  test("is read page by page, newest first, each entry once", async () => {
    const { activity } = await read();
    const pages: ActivityEntry[] = [];
    for (let cursor = ""; ; ) {
      const page = await read("main", `limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.activity);
      if (page.nextCursor === undefined) break;
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(activity);
    expect(activity.map(({ at }) => at)).toEqual(
      activity
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    );
    for (const query of [
      "cursor=x",
      "cursor=12",
      `cursor=${Buffer.from("12").toString("base64url")}`,
      "limit=0",
      "limit=1001",
      "other=1",
    ])
      expect((await app.call("GET", `/v1/agents/main/activity?${query}`)).status).toBe(400);
    expect(
      (await app.call<ActivityPage>("GET", "/v1/agents/main/activity", undefined, await app.key(["search"]))).status,
    ).toBe(403);
  });

  test("an agent that was not written to has none, and a tenant sees nothing of another's keys", async () => {
    const tenantId = await app.tenant("rival");
    const rival = await app.key(["tenant"], { tenantId });
    expect(await read("main", "", rival)).toEqual({ activity: [] });
    await app.call("PUT", "/v1/agents/main/files/a.md", { content: "Theirs" }, rival);
    const operator = await app.key(["admin"], { name: "the operator's" });
    await app.call("POST", "/v1/agents/main/tools/memory_search", { query: "theirs" }, operator, {
      "recollect-tenant": tenantId,
    });
    expect((await read("main", "", rival)).activity).toMatchObject([{ kind: "search", keyName: null }]);
  });

  test("of an agent the newest rows are kept, and none for longer than a month", async () => {
    await app.put("a.md", "Busy", "busy");
    const busy = await schemaOf("busy");
    const now = app.runtime.deps.clock().getTime();
    const rows = (count: number, ageMs: number) =>
      Array.from({ length: count }, (_, n) => ({
        schemaName: busy,
        at: new Date(now - ageMs + n),
        actor: "local",
        kind: "search" as const,
        times: 1,
        hits: n,
      }));
    await insertActivity(app.db, [...rows(MAX_ACTIVITY_ROWS, 10_000), ...rows(7, 0)]);
    await trimActivity(app.db, busy, MAX_ACTIVITY_ROWS);
    expect(await rowsOf(busy)).toBe(MAX_ACTIVITY_ROWS);
    expect((await read("busy", "limit=1")).activity).toMatchObject([{ hits: 6 }]);
    await insertActivity(app.db, rows(3, ACTIVITY_TTL_MS + 60_000));
    // Entries that are too old are not shown, even before they are deleted.
    expect((await read("busy", "limit=1")).activity).toMatchObject([{ hits: 6 }]);
    const folders = { reason: "folders", throughMinute: 0 } as const;
    await scheduleSyncs(app.runtime.deps, folders, new AbortController().signal);
    expect(await rowsOf(busy)).toBe(MAX_ACTIVITY_ROWS);
    expect(await pruneActivity(app.db, new Date(now + 60_000), 10)).toBe(10);
  });

  test("goes with its agent, and what comes after the erasure is not kept, also under its name", async () => {
    await app.put("a.md", "Doomed", "doomed");
    await app.search("doomed", {}, "doomed");
    expect((await read("doomed")).activity).toHaveLength(1);
    const schema = await schemaOf("doomed");
    await app.search("doomed", {}, "doomed");
    expect((await app.call("DELETE", "/v1/agents/doomed")).status).toBe(200);
    expect(await rowsOf(schema)).toBe(0);
    await app.put("a.md", "Another of this name", "doomed");
    expect(await read("doomed")).toEqual({ activity: [] });
    expect(await rowsOf(schema)).toBe(0);
  });

  test("a flood of callers is summed up, and waits for a database in bounded room", async () => {
    const { activity } = app.runtime.deps;
    const schema = await schemaOf("main");
    const agent = { schema: schemaName(schema), role: roleName("unused") };
    const caller = { tenantId: randomUUID(), scopes: [] };
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 30_000; n++) activity.note(agent, { ...caller, actor: `key-${n}` }, "search", 2 ** 31);
      await activity.flush();
      expect(await rowsOf(schema)).toBeLessThanOrEqual(MAX_ACTIVITY_ROWS + 10_000);
    }
    activity.note(agent, { ...caller, actor: "last" }, "search", 1);
    await activity.flush();
    expect(await rowsOf(schema)).toBe(MAX_ACTIVITY_ROWS + 1);
    expect((await read("main", "limit=1")).activity).toMatchObject([{ actor: "last" }]);
  });

  test("sums up by hour and day how often, how fast and with what result, for an agent and a tenant", async () => {
    const tenantId = await app.tenant("measured");
    const key = await app.key(["tenant"], { tenantId, name: "the app's" });
    const actor = key.slice(0, key.lastIndexOf("_"));
    const call = (method: string, path: string, body?: unknown) => app.call<ActivitySummary>(method, path, body, key);
    await call("PUT", "/v1/agents/one/files/a.md", { content: "The pump stands on shelf 42." });
    await call("PUT", "/v1/agents/two/files/a.md", { content: "Another" });
    const { activity } = app.runtime.deps;
    const schema = await schemaOf("one");
    const agent = { schema: schemaName(schema), role: roleName("unused") };
    const caller = { tenantId, scopes: [], actor };
    for (const ms of [4, 30, 30, 30, 30, 30, 30, 30, 30, 900]) activity.note(agent, caller, "search", 2, ms);
    activity.note(agent, caller, "search", 0, 12);
    activity.noteFailure(agent, caller, "search", 5200);
    activity.note(agent, { ...caller, actor: "local" }, "recall", 3);
    await activity.flush();
    activity.note(agent, caller, "search", 1, 30);
    await activity.flush();
    const { body } = await call("GET", "/v1/agents/one/activity/summary?per=hour&by=actor");
    const search = { kind: "search", times: 13, hits: 21, failed: 1, empty: 1 };
    const latency = {
      meanMs: expect.any(Number),
      p50Ms: expect.any(Number),
      p95Ms: expect.any(Number),
      slowestMs: 5200,
    };
    expect(body.totals).toEqual([
      { kind: "recall", times: 1, hits: 3, failed: 0, empty: 0, latency: null },
      { ...search, latency },
    ]);
    const measured = body.totals[1]?.latency;
    expect(measured?.p50Ms).toBeGreaterThan(20);
    expect(measured?.p50Ms).toBeLessThanOrEqual(40);
    expect(measured?.p95Ms).toBeGreaterThan(750);
    expect(body.groups).toEqual([
      { actor, keyName: "the app's", ...search, latency },
      { actor: "local", keyName: null, kind: "recall", times: 1, hits: 3, failed: 0, empty: 0, latency: null },
    ]);
    expect(body.buckets.filter(({ kind }) => kind === "search").reduce((sum, { times }) => sum + times, 0)).toBe(13);
    const { activity: entries } = await read("one", "", key);
    expect(entries.filter(({ kind }) => kind === "search")).toMatchObject([
      { times: 1, failed: 0, empty: 0, ms: 30, slowestMs: 30 },
      { times: 12, failed: 1, empty: 1, slowestMs: 5200 },
    ]);
    expect(entries.find(({ kind }) => kind === "recall")).toMatchObject({ ms: null, slowestMs: null });

    await app.call("POST", "/v1/agents/two/tools/memory_search", { query: "another" }, key);
    await activity.flush();
    const all = (await call("GET", "/v1/activity/summary")).body;
    expect(all.groups.filter(({ kind }) => kind === "search")).toMatchObject([
      { agentId: "one", times: 13 },
      { agentId: "two" },
    ]);
    expect(all.groups.find(({ agentId }) => agentId === "two")?.latency?.slowestMs).toBeGreaterThan(0);
    expect((await app.call<ActivitySummary>("GET", "/v1/activity/summary")).body.groups).not.toContainEqual(
      expect.objectContaining({ agentId: "one" }),
    );
    expect((await app.call("GET", "/v1/activity/summary", undefined, await app.key(["agent:read"]))).status).toBe(403);
    expect((await call("GET", "/v1/agents/one/activity/summary?days=91")).status).toBe(400);
    await app.call("DELETE", "/v1/agents/one", undefined, key);
    expect((await call("GET", "/v1/activity/summary")).body.groups).not.toContainEqual(
      expect.objectContaining({ agentId: "one" }),
    );
  });
});
