import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClusterNodes } from "../../src/db/citus/cluster-nodes.ts";
import { openConnections } from "../../src/db/pg-connections.ts";
import { PG_LIMITS } from "../../src/db/pg-limits.ts";
import type { Server } from "../../src/db/pg-statement.ts";
import { runTransaction } from "../../src/db/pg-transaction.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

describe("a transaction of an agent on a cluster", needsPostgres("its connections are what is tested"), () => {
  let database: TestDatabase;
  let server: Server;
  const node = { answers: true, unanswered: 0 };
  beforeAll(async () => {
    database = await openTestDatabase();
    // One server is both the coordinator and the worker.
    const coordinator = { executeSql: async () => ({ rows: [{ host: "worker", port: 5432 }] }) };
    server = {
      connections: openConnections({
        pool: { connectionString: database.url ?? "", max: 2 },
        isPooled: false,
        limits: PG_LIMITS,
        isRunning: async () => true,
        onIdleError: () => undefined,
        onNoAnswer: () => {
          node.unanswered++;
        },
      }),
      limits: PG_LIMITS,
      isPooled: false,
      isCluster: true,
      askCluster: async () => true,
      nodes: new ClusterNodes(coordinator as never, async () => node.answers),
      onStatementLost: () => undefined,
    };
  });
  afterAll(async () => {
    server.nodes.close();
    await server.connections.close();
    await database.drop();
  });

  const run = (sql: string) => runTransaction(server, (tx) => tx.executeSql(sql), { agent: "agent_a", readOnly: true });
  const isFree = () => until(async () => server.connections.stats().busy === 0);

  test("that waits for a silent node is ended, and its connection is closed; later ones are refused until the node answers", async () => {
    node.answers = false;
    await expect(run("SELECT pg_sleep(60)")).rejects.toMatchObject({ code: "database_unavailable" });
    expect(node.unanswered).toBe(1);
    await expect(run("SELECT 1")).rejects.toMatchObject({ code: "database_unavailable" });
    await isFree();
    node.answers = true;
    await until(() =>
      run("SELECT 1").then(
        () => true,
        () => false,
      ),
    );
  });

  test("of a node that answers goes on as long as it takes, and gives its connection back", async () => {
    await run("SELECT pg_sleep(1.5)");
    await isFree();
    expect(node.unanswered).toBe(1);
  });
});
