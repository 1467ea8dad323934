import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createRateLimiter } from "../../src/db/control/rate-limiter.ts";
import type { Database } from "../../src/db/database.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

interface Usage {
  files: number;
  bytes: number;
  chunks: number;
}

describe("quotas", () => {
  let app: TestApp;
  let second: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    // Another API process on the same database.
    second = await startTestApp({ worker: false, on: app });
  });
  afterAll(async () => {
    await second.drop();
    await app.drop();
  });

  const usage = async (agent: string) => (await app.call<{ usage: Usage }>("GET", `/v1/agents/${agent}`)).body.usage;
  const counted = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
      [agent],
    );
    const schema = rows[0]?.schema;
    const sums = await app.db.executeSql<Usage>(
      `SELECT count(*)::int AS files, coalesce(sum(size_bytes), 0)::int AS bytes,
              (SELECT count(*)::int FROM ${schema}.chunks_1) AS chunks,
              (SELECT coalesce(sum(size_bytes), 0)::int FROM ${schema}.file_versions) AS "historyBytes" FROM ${schema}.files`,
    );
    return sums.rows[0];
  };

  test("usage follows every write: create, replace, delete, both in one batch", async () => {
    const steps: [string, unknown][] = [
      ["PUT a", { put: [{ path: "a.md", content: "# One\nfirst" }], delete: [] }],
      ["replace a", { put: [{ path: "a.md", content: `# Longer\n${"word ".repeat(2000)}` }] }],
      ["same again", { put: [{ path: "a.md", content: `# Longer\n${"word ".repeat(2000)}` }] }],
      ["add b and c", { put: ["b", "c"].map((name) => ({ path: `${name}.md`, content: `Note ${name} é` })) }],
      ["swap", { put: [{ path: "d.md", content: "D" }], delete: ["b.md", "missing.md"] }],
      ["shrink", { put: [{ path: "a.md", content: "x" }] }],
      ["delete all", { delete: ["a.md", "c.md", "d.md"] }],
    ];
    for (const [step, batch] of steps) {
      expect([step, (await app.call("POST", "/v1/agents/counted/files", batch)).status]).toEqual([step, 200]);
      expect([step, await usage("counted")]).toEqual([step, { ...(await counted("counted")), facts: 0 }]);
    }
    expect(await usage("counted")).toMatchObject({ files: 0, bytes: 0, chunks: 0, facts: 0 });
  });

  test("concurrent writers of the same and of different paths, on two processes, leave the counters exact", async () => {
    const apps = [app, second];
    const writes = Array.from({ length: 60 }, (_, i) =>
      (apps[i % 2] as TestApp).put(`f${i % 7}.md`, `Text ${i} ${"word ".repeat(i)}`, "busy"),
    );
    const deletes = Array.from({ length: 10 }, (_, i) =>
      (apps[i % 2] as TestApp).call("DELETE", `/v1/agents/busy/files/f${i % 7}.md`),
    );
    const answers = await Promise.all([...writes, ...deletes]);
    expect(answers.map((answer) => answer.status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect(await usage("busy")).toEqual({ ...(await counted("busy")), facts: 0 });
  });

  test("an agent's limit holds against writers on two processes; reads and deletions go on", async () => {
    await app.call("POST", "/v1/agents", { id: "limited", limits: { files: 10 } });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => (i % 2 ? app : second).put(`n${i}.md`, `Note ${i}`, "limited")),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    const refused = answers.find((answer) => answer.status !== 200)?.body as unknown as ErrorBody;
    expect(refused.error).toMatchObject({ code: "quota_exceeded", details: { limit: "agent.files", most: 10 } });
    expect(statuses.filter((status) => status === 413)).toHaveLength(20);
    expect((await usage("limited")).files).toBe(10);
    expect((await app.search("Note", {}, "limited")).results.length).toBeGreaterThan(0);
    const kept = (await app.call<{ files: { path: string }[] }>("GET", "/v1/agents/limited/files")).body.files[0]?.path;
    expect((await app.call("DELETE", `/v1/agents/limited/files/${kept}`)).status).toBe(200);
    expect((await app.put("fits-again.md", "Note", "limited")).status).toBe(200);
  });

  test("what makes nothing grow is accepted above a limit that was lowered", async () => {
    await app.put("a.md", "A long text ".repeat(50), "lowered");
    await app.put("b.md", "Another", "lowered");
    expect((await app.call("PATCH", "/v1/agents/lowered", { limits: { bytes: 10, files: 1 } })).status).toBe(200);
    expect((await app.put("a.md", "Shorter", "lowered")).status).toBe(200);
    expect((await app.put("a.md", "Longer than it was", "lowered")).status).toBe(413);
    expect((await app.call("PATCH", "/v1/agents/lowered", { limits: { bytes: null } })).status).toBe(200);
    expect((await app.put("a.md", "Longer than it was", "lowered")).status).toBe(200);
  });

  test("a tenant's limit is over all its agents, and one tenant's does not touch another", async () => {
    const tenantId = await app.tenant("small");
    const headers = { "recollect-tenant": tenantId };
    const operator = await app.key(["admin"], { tenantId });
    const patched = await app.call("PATCH", "/v1/tenant", { limits: { files: 12, agents: 3 } }, operator);
    expect(patched.status).toBe(200);
    const key = await app.key(["tenant"], { tenantId });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (i % 2 ? app : second).call("PUT", `/v1/agents/a${i % 3}/files/n${i}.md`, { content: `Note ${i}` }, key),
      ),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(12);
    const one = answers.find((answer) => answer.status !== 200)?.body as unknown as ErrorBody;
    expect(one.error).toMatchObject({ code: "quota_exceeded", details: { limit: "tenant.files", most: 12 } });
    const fourth = await app.call("POST", "/v1/agents", { id: "a3" }, key);
    expect([fourth.status, fourth.body.error.code]).toEqual([413, "quota_exceeded"]);
    const tenant = await app.call<{ usage: Usage & { agents: number } }>("GET", "/v1/tenant", undefined, key);
    expect(tenant.body.usage).toMatchObject({ files: 12, agents: 3 });
    expect((await app.put("elsewhere.md", "Note", "free")).status).toBe(200);
    expect(headers["recollect-tenant"]).toBe(tenantId);
  });

  test("an agent from before usage was kept is counted at its next write", async () => {
    await app.put("a.md", "From before", "older");
    await app.db.executeSql("DELETE FROM recollect.usage WHERE agent_id = 'older'");
    await app.put("b.md", "From now", "older");
    expect(await usage("older")).toEqual({ ...(await counted("older")), facts: 0 });
  });
});

describe("rate limit", () => {
  let app: TestApp;
  let second: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false, env: { RECOLLECT_REQUESTS_PER_MINUTE: "50" } });
    second = await startTestApp({ worker: false, on: app, env: { RECOLLECT_REQUESTS_PER_MINUTE: "50" } });
    await app.put("a.md", "A note");
  });
  afterAll(async () => {
    await second.drop();
    await app.drop();
  });

  test("a key's requests are counted over two processes; another key has its own count", async () => {
    const [key, other] = [await app.key(["search"]), await app.key(["search"], { requestsPerMinute: 3 })];
    const ask = (on: TestApp, by: string) => on.call("POST", "/v1/agents/main/tools/memory_get", { path: "a.md" }, by);
    const answers = await Promise.all(Array.from({ length: 80 }, (_, i) => ask(i % 2 ? app : second, key)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(50);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused).toHaveLength(30);
    expect(refused[0]?.body.error).toMatchObject({ code: "rate_limited", details: { limit: 50 } });
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(app, other)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  test("a large limit is taken in parts, by one process wholly, by two to the last parts", async () => {
    let statements = 0;
    const counting: Database = {
      ...app.db,
      executeSql: (...asked) => {
        statements++;
        return app.db.executeSql(...asked);
      },
    };
    const allowed = async (limiters: ReturnType<typeof createRateLimiter>[], key: string, tries: number) => {
      let count = 0;
      for (let i = 0; i < tries; i++) {
        const state = await (limiters[i % limiters.length] as (typeof limiters)[number]).consume(key, 650);
        if (state.allowed) count++;
      }
      return count;
    };
    expect(await allowed([createRateLimiter(counting)], "alone", 700)).toBe(650);
    expect(statements).toBeLessThan(115);
    const shared = await allowed([createRateLimiter(app.db), createRateLimiter(app.db)], "shared", 900);
    expect(shared).toBe(650);
    const crowd = createRateLimiter(app.db);
    const answers = await Promise.all(Array.from({ length: 900 }, () => crowd.consume("crowd", 650)));
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(650);
  });

  test("many requests at once leave other processes what they do not use themselves", async () => {
    const [one, other] = [createRateLimiter(app.db), createRateLimiter(app.db)];
    const crowd = await Promise.all(Array.from({ length: 100 }, () => one.consume("burst", 1000)));
    expect(crowd.every(({ allowed }) => allowed)).toBe(true);
    let others = 0;
    for (let i = 0; i < 950; i++) if ((await other.consume("burst", 1000)).allowed) others++;
    expect(others).toBeGreaterThanOrEqual(890);
    expect(others).toBeLessThanOrEqual(900);
  });

  test("answers that come together give no more than the limit", async () => {
    let points = 0;
    const answers: (() => void)[] = [];
    const inOne: Pick<Database, "executeSql"> = {
      executeSql: (_text, values = []) =>
        new Promise((resolve) => {
          points += Number(values[1]);
          const row = { points, expire: String(Date.now() + 60_000) };
          if (answers.push(() => resolve({ rows: [row] as never[] })) === 1)
            setImmediate(() => {
              for (const answer of answers.splice(0)) answer();
            });
        }),
    };
    for (const limit of [150, 1000]) {
      points = 0;
      const limiter = createRateLimiter(inOne as Database);
      let allowed = 0;
      for (let round = 0; round < 15; round++) {
        const states = await Promise.all(Array.from({ length: 100 }, () => limiter.consume("key", limit)));
        allowed += states.filter((state) => state.allowed).length;
      }
      expect(allowed).toBe(limit);
    }
  });

  test("processes whose clocks differ count in the same window", async () => {
    const [ours, theirs] = [createRateLimiter(app.db), createRateLimiter(app.db)];
    for (const used of [1, 2]) {
      expect((await ours.consume("skewed", 5)).remaining).toBe(5 - 2 * used + 1);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
      try {
        const state = await theirs.consume("skewed", 5);
        expect(state.remaining).toBe(5 - 2 * used);
        expect(state.resetMs).toBeLessThanOrEqual(60_000);
      } finally {
        vi.useRealTimers();
      }
    }
  });

  test("the answer says what is left and when to go on", async () => {
    const key = await app.key(["search"], { requestsPerMinute: 1 });
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: '{"path": "a.md"}',
    };
    const first = await app.runtime.app.request("/v1/agents/main/tools/memory_get", init);
    expect([first.status, first.headers.get("ratelimit-limit"), first.headers.get("ratelimit-remaining")]).toEqual([
      ...[200, "1", "0"],
    ]);
    const next = await app.runtime.app.request("/v1/agents/main/tools/memory_get", init);
    expect(next.status).toBe(429);
    expect(Number(next.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(next.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });
});
