import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Findings } from "../../src/client/client.ts";
import { readConfig } from "../../src/config/config.ts";
import { placeOf } from "../../src/db/citus/place-agents.ts";
import { prepareDatabase } from "../../src/db/prepare-database.ts";
import { runCluster } from "../../src/start/cluster.ts";
import { type ClusterDatabase, openClusterDatabase } from "../support/citus.ts";
import { needsCluster } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("recollect cluster", needsCluster(), () => {
  let database: ClusterDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await openClusterDatabase({ workers: 1 });
    app = await startTestApp({ on: database });
    for (const agent of ["one", "two"]) await app.put("a.md", `The gate of ${agent}.`, agent);
    await app.rested();
  });
  afterAll(async () => {
    await app?.runtime.close();
    await database?.drop();
  });

  const run = async (task: Parameters<typeof runCluster>[1]) => {
    const steps: string[] = [];
    const state = await runCluster(readConfig(database.env), task, (step) => void steps.push(step));
    return { steps, state };
  };
  const prepare = () => prepareDatabase(database.db, new Date(), () => undefined);
  const [W1, W2] = [0, 1].map((i) => () => {
    const all = database.allWorkers[i];
    if (!all) throw new Error("The cluster of TEST_CITUS_URL has too few workers.");
    return all;
  }) as [() => { host: string; port: number }, () => { host: string; port: number }];

  test("init may be run again and changes nothing", async () => {
    const { steps, state } = await run({ do: "init", nodes: [W1()] });
    expect(steps.join("\n")).toContain("is a node of the cluster already");
    expect(state.workers).toMatchObject([{ agents: 2, isOpen: false, prepared: 0 }]);
    await prepare();
  });

  test("every server knows its own name, by which certificates name it, where Citus would call itself localhost", async () => {
    const [coordinator] = await database.asSuperuser<{ host: string }>(
      "SELECT nodename AS host FROM pg_dist_node WHERE groupid = 0",
    );
    const named = await database.asSuperuser("SELECT current_setting('citus.local_hostname') AS host");
    expect(named).toEqual([{ host: coordinator?.host }]);
    expect(await database.asSuperuser("SELECT current_setting('citus.local_hostname') AS host", W1())).toEqual([
      { host: W1().host },
    ]);
  });

  test("the coordinator looks every few seconds for commits that a lost worker has not carried out", async () => {
    // Until then the acknowledged write is not readable, and the agent's next writes time out.
    const [settled] = await database.asSuperuser<{ seconds: number }>(
      "SELECT extract(epoch FROM current_setting('citus.recover_2pc_interval')::interval)::int AS seconds",
    );
    expect(settled?.seconds).toBeGreaterThan(0);
    expect(settled?.seconds).toBeLessThanOrEqual(5);
  });

  test("init keeps the data role's password, which the servers that use the cluster have", async () => {
    const secret = () =>
      database.asSuperuser("SELECT authinfo FROM pg_dist_authinfo WHERE rolename = 'recollect_data'");
    const before = await secret();
    const env = { ...database.env, DATABASE_URL: database.env.DATABASE_URL.replace("for-tests-only", "another") };
    await runCluster(readConfig(env), { do: "init", nodes: [W1()] }, () => undefined);
    expect(await secret()).toEqual(before);
    await run({ do: "init", nodes: [W1()] });
    await prepare();
  });

  test("no process starts while the data role inherits on a worker; init mends it", async () => {
    await database.asSuperuser("SET citus.enable_ddl_propagation TO off; ALTER ROLE recollect_data INHERIT", W1());
    await expect(prepare()).rejects.toMatchObject({
      code: "database_unsupported",
      message: expect.stringContaining("recollect cluster init"),
    });
    await run({ do: "init", nodes: [W1()] });
    await prepare();
  });

  test("a worker builds an index with as much memory as the server has for its pages", async () => {
    // A session's setting does not reach a worker, and pgvector builds ten times as slowly once the
    // graph is larger than this memory.
    const { rows } = await database.db.executeSql<{ memory: string; pages: string }>(
      `SELECT m.result AS memory, p.result AS pages
         FROM run_command_on_workers('SELECT pg_size_bytes(current_setting(''maintenance_work_mem''))') AS m
         JOIN run_command_on_workers('SELECT pg_size_bytes(current_setting(''shared_buffers''))') AS p USING (nodename, nodeport)`,
    );
    expect(rows).toHaveLength(1);
    for (const { memory, pages } of rows) expect(Number(memory)).toBeGreaterThanOrEqual(Number(pages));
  });

  test("no process starts while the coordinator takes agents", async () => {
    await database.asSuperuser(
      "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid = 0",
    );
    await expect(prepare()).rejects.toMatchObject({ code: "database_unsupported" });
    await run({ do: "init", nodes: [W1()] });
    await prepare();
  });

  test("a node joins a cluster that has agents, and an agent moves there while it is read and written", async () => {
    const { state } = await run({ do: "add-node", node: W2(), reserved: true });
    expect(state.workers).toMatchObject([{ agents: 2 }, { agents: 0, takesAgents: false, isOpen: false }]);
    let isMoving = true;
    const statuses = new Set<number>();
    let longestMs = 0;
    const use = async () => {
      for (let i = 0; isMoving; i++) {
        const began = performance.now();
        statuses.add((await app.put(`moving/${i}.md`, `Written while it moves, ${i}.`, "one")).status);
        longestMs = Math.max(longestMs, performance.now() - began);
        expect((await app.search("gate", {}, "one")).results.length).toBeGreaterThan(0);
      }
    };
    const using = use();
    await run({ do: "move", agent: "one", node: W2() });
    isMoving = false;
    await using;
    expect([...statuses]).toEqual([200]);
    expect(longestMs).toBeLessThan(10_000);
    const after = await run({ do: "status" });
    expect(after.state.workers).toMatchObject([{ agents: 1 }, { agents: 1 }]);
    await app.rested();
    expect((await app.search("Written while it moves", {}, "one")).results.length).toBeGreaterThan(0);
    expect(await app.call("GET", "/v1/agents/two/status")).toMatchObject({ status: 200 });
  });

  test("new agents go to the emptiest worker, by what the agents on it hold", async () => {
    await database.asSuperuser(
      "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node WHERE groupid <> 0",
    );
    // Agent "one" is alone on its worker.
    await database.db.executeSql("UPDATE recollect.usage SET bytes = bytes + 1e6 WHERE agent_id = 'one'");
    for (let i = 0; i < 4; i++) await app.put("a.md", "A note", `light-${i}`);
    await database.db.executeSql("UPDATE recollect.usage SET bytes = bytes + 2e9 WHERE agent_id = 'two'");
    for (let i = 0; i < 4; i++) await app.put("a.md", "A note", `heavy-${i}`);
    const { rows } = await database.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents ORDER BY id",
    );
    const places = await Promise.all(
      rows.map(async ({ id, schema }) => [id, (await placeOf(database.db, schema))?.host]),
    );
    const [one, two] = [W2().host, W1().host];
    expect(Object.fromEntries(places)).toEqual({
      one,
      two,
      ...Object.fromEntries([0, 1, 2, 3].map((i) => [`light-${i}`, two])),
      ...Object.fromEntries([0, 1, 2, 3].map((i) => [`heavy-${i}`, one])),
    });
  });

  test("schemas are made ahead on the worker that has become emptier, and a new agent takes one there", async () => {
    // The agent "two" made the other worker 2 GB fuller, so no agent takes the spare schemas on
    // that worker now.
    await app.put("a.md", "A note", "asks-for-more");
    await app.rested();
    const ahead = async () => {
      const { rows } = await database.db.executeSql<{ schema: string }>(
        "SELECT schema_name AS schema FROM recollect.spare_spaces",
      );
      return Promise.all(
        rows.map(async ({ schema }) => ({ schema, host: (await placeOf(database.db, schema))?.host })),
      );
    };
    const there = (await ahead()).filter(({ host }) => host === W2().host).map(({ schema }) => schema);
    expect(there.length).toBeGreaterThanOrEqual(16);
    // With a smaller difference the spare schemas of both workers may be taken, and those of the
    // emptier worker are taken first.
    await database.db.executeSql("UPDATE recollect.usage SET bytes = bytes - 1.5e9 WHERE agent_id = 'two'");
    for (let i = 0; i < 3; i++) await app.put("a.md", "A note", `emptier-${i}`);
    const { rows } = await database.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id LIKE 'emptier-%'",
    );
    expect(rows).toHaveLength(3);
    for (const { schema } of rows) expect(there).toContain(schema);
  });

  test("doctor writes as an agent of each worker, takes it back, and says where that fails", async () => {
    const diagnose = async () => {
      const { body } = await app.call<Findings>("GET", "/v1/doctor");
      return body.findings.filter(({ check }) => check === "cluster");
    };
    expect(await diagnose()).toMatchObject([{ state: "ok" }]);
    expect((await app.call("GET", "/v1/agents/one/files/recollect-doctor.md")).status).toBe(404);
    const { rows } = await database.db.executeSql<{ schema: string; role: string }>(
      "SELECT schema_name AS schema, role_name AS role FROM recollect.agents",
    );
    const change = async (what: string, to: string) => {
      for (const { schema, role } of rows)
        await database.asSuperuser(`${what} INSERT ON ${schema}.files ${to} ${role}`);
    };
    await change("REVOKE", "FROM");
    const failing = await diagnose();
    expect(failing.find(({ state }) => state === "failed")).toMatchObject({
      message: expect.stringMatching(/^A trial write .* failed with SQLSTATE 42501/),
    });
    expect(failing.filter(({ state }) => state === "ok")).toEqual([]);
    await change("GRANT", "TO");
    expect(await diagnose()).toMatchObject([{ state: "ok" }]);
  });

  test("a move between servers that refuse each other's password says so", async () => {
    await database.asSuperuser("UPDATE pg_dist_authinfo SET authinfo = 'password=wrong' WHERE rolename = 'postgres'");
    const moved = await run({ do: "move", agent: "one", node: W1() }).catch((error: unknown) => error);
    expect(moved).toMatchObject({
      code: "database_unavailable",
      message: expect.stringMatching(/cannot connect to another/),
    });
    const broken = await run({ do: "status" });
    expect(broken.steps).toContainEqual(expect.stringMatching(/ cannot connect to .* no agent moves between them/));
    await run({ do: "init", nodes: [W1(), W2()] });
    const mended = await run({ do: "status" });
    expect(mended.steps).not.toContainEqual(expect.stringMatching(/cannot connect/));
    await run({ do: "move", agent: "one", node: W1() });
    await run({ do: "move", agent: "one", node: W2() });
  });

  test("stopping a rebalancing when there is none says so", async () => {
    const { steps } = await run({ do: "stop-rebalance" });
    expect(steps).toEqual(["no rebalancing is under way"]);
  });

  test("moving to where it is does nothing", async () => {
    const { steps } = await run({ do: "move", agent: "one", node: W2() });
    expect(steps).toEqual([expect.stringContaining("already")]);
  });
});
