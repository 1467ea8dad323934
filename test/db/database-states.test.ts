import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInContext } from "../../src/base/request-context.ts";
import { withAgentReads, withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";
import { until } from "../support/until.ts";

/** States of Postgres by SQLSTATE, and the client's error code and message. */
const STATES: [what: string, state: string, code: string, remedy: RegExp][] = [
  ["a statement over its time limit", "57014", "database_timeout", /less at a time/],
  ["a transaction that was idle for too long", "25P03", "database_timeout", /try again/],
  ["a transaction over its time limit", "25P04", "database_timeout", /transaction_timeout/],
  ["a lock that another holds", "55P03", "database_busy", /try again/],
  ["a deadlock", "40P01", "database_busy", /try again/],
  ["a serialisation failure", "40001", "database_busy", /try again/],
  ["too many connections", "53300", "database_busy", /max_connections/],
  ["no memory", "53200", "database_busy", /memory/],
  ["a full disk", "53100", "database_full", /disk/],
  ["a limit for temporary files", "53400", "database_full", /temp_file_limit/],
  ["a read-only server", "25006", "database_read_only", /primary/],
  ["a server that starts or recovers", "57P03", "database_unavailable", /recover/],
  ["a server that stops", "57P01", "database_unavailable", /try again/],
  ["a password that is wrong", "28P01", "database_unavailable", /DATABASE_URL/],
  ["a login that is refused", "28000", "database_unavailable", /DATABASE_URL/],
  ["a database that is not there", "3D000", "database_unavailable", /DATABASE_URL/],
  ["a lost connection", "08006", "database_unavailable", /try again/],
];

describe("a state of the database has a code and a remedy", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.drop());

  const raise = (sql: SqlExecutor, state: string) =>
    sql.executeSql(`DO $$ BEGIN RAISE EXCEPTION 'a state' USING ERRCODE = '${state}'; END $$`);

  test.each(STATES)("%s (%s) is %s", async (_what, state, code, remedy) => {
    const { db } = database;
    const alone = await raise(db, state).catch((error: unknown) => error);
    expect(alone).toMatchObject({ code, message: expect.stringMatching(remedy) });
    // The translated error still has the SQLSTATE, for code that depends on it.
    expect(sqlState(alone)).toBe(state);
    await expect(db.transaction((tx) => raise(tx, state))).rejects.toMatchObject({ code });
    expect((await db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  test("a fault that is no state of the server stays what it is", async () => {
    for (const state of ["22012", "42P01", "XX000"])
      await expect(raise(database.db, state)).rejects.toMatchObject({ code: state });
  });

  test("a write in a transaction that only reads is a fault of ours, not a read-only server", async () => {
    const { db } = database;
    const { rows } = await db.executeSql<{ name: string }>("SELECT current_user AS name");
    const space = { schema: schemaName("nobody"), role: roleName(rows[0]?.name ?? "") };
    const write = "CREATE TABLE no_place (id int)";
    await expect(withAgentReads(db, space, (tx) => tx.executeSql(write))).rejects.toMatchObject({ code: "25006" });
  });

  test("a conflict that ten tries did not end is one of load", async () => {
    const { db } = database;
    const { rows } = await db.executeSql<{ name: string }>("SELECT current_user AS name");
    const space = { schema: schemaName("nobody"), role: roleName(rows[0]?.name ?? "") };
    let tries = 0;
    const conflict = withAgentTransaction(db, space, (tx) => {
      tries++;
      return raise(tx, "40P01");
    });
    await expect(conflict).rejects.toMatchObject({ code: "database_busy" });
    expect(tries).toBe(10);
  });
});

const SERVER_ONLY = needsPostgres("the embedded database has one session, without timers and locks of others");

describe("what a server does by itself", SERVER_ONLY, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.db.executeSql("CREATE TABLE things (id int PRIMARY KEY); INSERT INTO things VALUES (1), (2)");
  });
  afterAll(() => database.drop());

  /** Runs `act` while another transaction holds a lock on a row. */
  const beside = (id: number, act: () => Promise<unknown>) =>
    database.db.transaction(async (tx) => {
      await tx.executeSql("SELECT * FROM things WHERE id = $1 FOR UPDATE", [id]);
      return act();
    });

  test("statement_timeout", async () => {
    const slow = database.db.transaction((tx) => tx.executeSql("SELECT pg_sleep(300)"), {
      setup: ["SET LOCAL statement_timeout = '20ms'"],
    });
    await expect(slow).rejects.toMatchObject({ code: "database_timeout" });
  });

  test("idle_in_transaction_session_timeout", async () => {
    const { db } = database;
    const isGone = async (pid: number | undefined) =>
      (await db.executeSql("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid])).rows.length === 0;
    const idle = db.transaction(
      async (tx) => {
        const { rows } = await tx.executeSql<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        await until(() => isGone(rows[0]?.pid));
        await tx.executeSql("SELECT 1");
      },
      { setup: ["SET LOCAL idle_in_transaction_session_timeout = '20ms'"] },
    );
    await expect(idle).rejects.toMatchObject({ code: "database_timeout" });
    expect((await db.executeSql("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
  });

  test("lock_timeout", async () => {
    const waits = () =>
      database.db.transaction((tx) => tx.executeSql("SELECT * FROM things WHERE id = 1 FOR UPDATE"), {
        setup: ["SET LOCAL lock_timeout = '20ms'"],
      });
    await expect(beside(1, waits)).rejects.toMatchObject({ code: "database_busy" });
  });

  test("a lock on a table of the service, which a statement outside a transaction waits for", async () => {
    const limits = { lockMs: 20 };
    const url = database.url ?? "";
    const db = openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined, limits });
    const look = () => runInContext({ requestId: "r", statements: 0 }, () => db.executeSql("SELECT * FROM things"));
    try {
      const beside = database.db.transaction(async (tx) => {
        await tx.executeSql("LOCK TABLE things IN ACCESS EXCLUSIVE MODE");
        await expect(look()).rejects.toMatchObject({ code: "database_busy" });
      });
      await beside;
      expect((await look()).rows).toHaveLength(2);
    } finally {
      await db.close();
    }
  });

  test("a deadlock", async () => {
    const both = [1, 2].map(() => Promise.withResolvers<void>());
    const lock = async (first: number, second: number) => {
      const [mine, other] = [both[first - 1], both[second - 1]];
      return database.db.transaction(async (tx) => {
        await tx.executeSql("SELECT * FROM things WHERE id = $1 FOR UPDATE", [first]);
        mine?.resolve();
        await other?.promise;
        await tx.executeSql("SELECT * FROM things WHERE id = $1 FOR UPDATE", [second]);
      });
    };
    const ended = await Promise.allSettled([lock(1, 2), lock(2, 1)]);
    const failed = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(failed).toMatchObject([{ code: "database_busy" }]);
  });

  test("no connection left", async () => {
    const full = await openTestDatabase();
    const url = new URL(full.url ?? "");
    try {
      await full.db.executeSql(`ALTER DATABASE ${url.pathname.slice(1)} CONNECTION LIMIT 0`);
      const late = openPostgres({ connectionString: url.href, maxConnections: 1, onIdleError: () => undefined });
      await expect(late.executeSql("SELECT 1")).rejects.toMatchObject({ code: "database_busy" });
      await late.close();
    } finally {
      await full.drop();
    }
  });
});

describe("a server that takes no logins yet", () => {
  let server: Server;
  beforeAll(async () => {
    // The answer of Postgres while it replays its log after a crash.
    const fields = ["SFATAL", "VFATAL", "C57P03", "Mthe database system is in recovery mode", ""].join("\0");
    const body = Buffer.from(`${fields}\0`);
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    server = createServer((socket) => {
      socket.once("data", () => socket.end(Buffer.concat([Buffer.from("E"), length, body])));
      socket.on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => server.close());

  test("is away, and says that it recovers", async () => {
    const { port } = server.address() as { port: number };
    const db = openPostgres({
      connectionString: `postgres://nobody@127.0.0.1:${port}/none`,
      maxConnections: 1,
      onIdleError: () => undefined,
    });
    await expect(db.executeSql("SELECT 1")).rejects.toMatchObject({
      code: "database_unavailable",
      message: expect.stringMatching(/recover/),
    });
    await db.close();
  });
});
