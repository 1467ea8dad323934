import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

const CLIENTS = 50;
/**
 * RECOLLECT_STRESS_SECONDS=120 runs two minutes on Postgres. The embedded database has one session,
 * so there is less to find.
 */
const SECONDS = Number(process.env.RECOLLECT_STRESS_SECONDS ?? 15);
const AGENTS = ["alpha", "beta", "gamma", "delta", "main"];
const FILES = 6;

/**
 * Returns the mark of a tenant and agent. Every text that is ever sent carries it, so the test can
 * check any answer without knowing what other clients have done meanwhile.
 */
const mark = (tenant: string, agent: string) => `${tenant}${agent}mark`;

/** Returns the marks and ids of other agents and tenants that an answer for this agent contains. */
function foreignTo(tenant: string, agent: string, answer: string, tenants: Record<string, string>): string[] {
  const marks = Object.keys(tenants).flatMap((name) => AGENTS.map((id) => mark(name, id)));
  const ids = Object.keys(tenants).filter((name) => name !== tenant);
  const foreign = [...marks.filter((one) => one !== mark(tenant, agent)), ...ids.map((name) => tenants[name] ?? "")];
  return foreign.filter((one) => answer.includes(one));
}

interface Client {
  tenant: string;
  key: string;
  app: TestApp;
}

describe("fifty clients on two tenants and two processes", () => {
  let apps: TestApp[];
  beforeAll(async () => {
    // If a request fails because of a fault, only the log says why. The answer never does.
    const env = { RECOLLECT_LOG_LEVEL: "error" };
    const first = await startTestApp({ env });
    apps = [first, await startTestApp({ on: first, env })];
  });
  afterAll(async () => {
    for (const app of apps.toReversed()) await app.drop();
  });

  test(
    "no answer holds another agent's data, none is a fault",
    async () => {
      const [app] = apps as [TestApp, TestApp];
      const tenants = { red: await app.tenant("red"), blue: await app.tenant("blue") };
      const keys: Record<string, string> = {};
      for (const [name, tenantId] of Object.entries(tenants))
        keys[name] = await app.key(["tenant"], { tenantId, requestsPerMinute: 1_000_000 });
      const problems: string[] = [];
      const done: Record<string, number> = {};
      const statuses: Record<number, number> = {};
      let serial = 0;
      const step = async ({ tenant, key, app: on }: Client) => {
        const agent = AGENTS[randomInt(AGENTS.length)] as string;
        const path = `f${randomInt(FILES)}.md`;
        const base = `/v1/agents/${agent}`;
        const own = mark(tenant, agent);
        const text = () => `# Note ${++serial}\n${own} common words about the deploy and the billing job ${serial}`;
        const actions: [string, number, () => Promise<{ status: number; body: unknown }>][] = [
          ["write", 30, () => on.call("PUT", `${base}/files/${path}`, { content: text() }, key)],
          [
            "batch",
            8,
            () =>
              on.call(
                "POST",
                `${base}/files`,
                {
                  put: [
                    { path: "b1.md", content: text() },
                    { path: "b2.md", content: text() },
                  ],
                  delete: [path],
                },
                key,
              ),
          ],
          ["search", 30, () => on.call("POST", `${base}/tools/memory_search`, { query: "deploy billing mark" }, key)],
          ["foreign", 6, () => on.call("POST", `${base}/tools/memory_search`, { query: mark("red", "alpha") }, key)],
          ["get", 10, () => on.call("POST", `${base}/tools/memory_get`, { path }, key)],
          ["list", 4, () => on.call("GET", `${base}/files`, undefined, key)],
          ["agents", 2, () => on.call("GET", "/v1/agents", undefined, key)],
          ["status", 2, () => on.call("GET", `${base}/status`, undefined, key)],
          ["settings", 4, () => on.call("PATCH", base, { settings: { query: { maxResults: randomInt(1, 20) } } }, key)],
          // Other chunk settings make the service build a new index beside the one in use.
          [
            "reindex",
            2,
            () =>
              on.call("PATCH", base, { settings: { chunking: { tokens: 60 + 40 * randomInt(4), overlap: 20 } } }, key),
          ],
          ["create", 2, () => on.call("POST", "/v1/agents", { id: agent }, key)],
          ["erase", 2, () => on.call("DELETE", base, undefined, key)],
        ];
        let roll = randomInt(actions.reduce((sum, [, weight]) => sum + weight, 0));
        const chosen = actions.find(([, weight]) => {
          roll -= weight;
          return roll < 0;
        }) as (typeof actions)[number];
        const { status, body } = await chosen[2]();
        done[chosen[0]] = (done[chosen[0]] ?? 0) + 1;
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (![200, 201, 404, 409].includes(status))
          problems.push(`${chosen[0]} ${agent}: ${status} ${(body as ErrorBody).error?.code}`);
        for (const mistake of foreignTo(tenant, agent, JSON.stringify(body), tenants))
          problems.push(`${chosen[0]} of ${tenant}/${agent} answered with ${mistake}`);
      };

      const until = Date.now() + SECONDS * 1000;
      await Promise.all(
        Array.from({ length: CLIENTS }, async (_, i) => {
          const tenant = i % 2 ? "red" : "blue";
          const client = { tenant, key: keys[tenant] as string, app: apps[Math.floor(i / 2) % 2] as TestApp };
          while (Date.now() < until && problems.length < 20) await step(client);
        }),
      );
      process.stdout.write(`${CLIENTS} clients, ${SECONDS} s: ${JSON.stringify(done)} ${JSON.stringify(statuses)}\n`);
      expect(problems).toEqual([]);
      for (const action of ["write", "search", "erase", "create", "settings", "reindex"])
        expect(done[action]).toBeGreaterThan(0);
      await check(app);
    },
    (SECONDS + 300) * 1000,
  );

  /**
   * Checks after the load that counters are exact, and that every schema and role belongs to an
   * agent.
   */
  async function check(app: TestApp) {
    const { rows } = await app.db.executeSql<{ schema: string; files: string; bytes: string; chunks: string }>(
      `SELECT a.schema_name AS schema, u.files, u.bytes, u.chunks FROM recollect.agents a
         JOIN recollect.usage u ON u.tenant_id = a.tenant_id AND u.agent_id = a.id WHERE a.status = 'active'`,
    );
    for (const { schema, ...usage } of rows) {
      const active = await app.db.executeSql<{ id: number }>(
        `SELECT id FROM ${schema}.generations WHERE status = 'active'`,
      );
      const chunks = `${schema}.chunks_${active.rows[0]?.id}`;
      const counted = await app.db.executeSql(
        `SELECT count(*)::text AS files, coalesce(sum(size_bytes), 0)::text AS bytes,
                (SELECT count(*)::text FROM ${chunks}) AS chunks FROM ${schema}.files`,
      );
      expect({ schema, ...usage }).toEqual({ schema, ...counted.rows[0] });
      // Each file has all its chunks, in order, and none twice.
      const broken = await app.db.executeSql(
        `SELECT f.path FROM ${schema}.files f LEFT JOIN ${chunks} c ON c.file_id = f.id GROUP BY f.id, f.path
         HAVING count(c.id) = 0 OR max(c.ordinal) + 1 <> count(c.id) OR count(DISTINCT c.ordinal) <> count(c.id)`,
      );
      expect(broken.rows).toEqual([]);
    }
    const orphans = await app.db.executeSql(
      `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'agent\\_%'
          AND nspname NOT IN (SELECT schema_name FROM recollect.agents)`,
    );
    expect(orphans.rows).toEqual([]);
  }
});
