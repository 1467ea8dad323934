import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInContext } from "../../src/base/request-context.ts";
import { withAgentReads, withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { type RoleName, roleName, type SchemaName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { Database, SqlExecutor } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/pg.ts";
import { takingLong } from "../../src/db/pg-limits.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

const READ_LIMITS = { statement: "10s", lock: "8s", idle: "30s" };
const WRITE_LIMITS = { ...READ_LIMITS, statement: "12s" };
const LONG_LIMITS = { statement: "1h", lock: "0", idle: "30s" };

describe("the time limits of statements", needsPostgres("the embedded database has no timers"), () => {
  let database: TestDatabase;
  let space: { schema: SchemaName; role: RoleName };
  /** A database whose settings say that its connections go through a pooler. */
  let pooled: Database;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { rows } = await database.db.executeSql<{ name: string }>("SELECT current_user AS name");
    space = { schema: schemaName("nobody"), role: roleName(rows[0]?.name ?? "") };
    pooled = openPostgres({
      connectionString: database.url ?? "",
      directConnectionString: database.url ?? "",
      maxConnections: 2,
      onIdleError: () => undefined,
    });
  });
  afterAll(async () => {
    await pooled?.close();
    await database.drop();
  });

  const limits = async (sql: SqlExecutor) => {
    const { rows } = await sql.executeSql(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    return rows[0];
  };
  const request = <T>(fn: () => T) => runInContext({ requestId: "r", statements: 0 }, fn);
  const job = <T>(fn: () => T) => runInContext({ requestId: "r", jobId: "j", statements: 0 }, fn);

  test("of a request are short, for reads shorter than for writes", async () => {
    const { db } = database;
    expect(await request(() => withAgentReads(db, space, limits))).toEqual(READ_LIMITS);
    expect(await request(() => withAgentTransaction(db, space, limits))).toEqual(WRITE_LIMITS);
    expect(await request(() => db.transaction(limits))).toEqual(WRITE_LIMITS);
    expect(await request(() => limits(db))).toMatchObject({ statement: "10s", lock: READ_LIMITS.lock });
  });

  test("of a job, of the service, and of a request that is known to take long are long", async () => {
    const { db } = database;
    expect(await job(() => withAgentTransaction(db, space, limits))).toEqual(LONG_LIMITS);
    expect(await withAgentReads(db, space, limits)).toEqual(LONG_LIMITS);
    expect(await request(() => takingLong(() => db.transaction(limits)))).toEqual(LONG_LIMITS);
    expect(await job(() => limits(db))).toMatchObject({ statement: "1h", lock: LONG_LIMITS.lock });
  });

  test("can be set otherwise with the transaction", async () => {
    const setup = ["SET LOCAL statement_timeout = '4s'"];
    const read = () => withAgentReads(database.db, space, limits, setup);
    expect(await request(read)).toEqual({ ...READ_LIMITS, statement: "4s" });
    expect(await job(read)).toEqual({ ...LONG_LIMITS, statement: "4s" });
  });

  test("of one connection are each statement's own", async () => {
    const one = openPostgres({ connectionString: database.url ?? "", maxConnections: 1, onIdleError: () => undefined });
    try {
      for (let time = 0; time < 2; time++) {
        expect(await request(() => limits(one))).toMatchObject({ statement: "10s", lock: READ_LIMITS.lock });
        expect(await job(() => one.transaction(limits))).toEqual(LONG_LIMITS);
        expect(await job(() => limits(one))).toMatchObject({ statement: "1h", lock: LONG_LIMITS.lock });
        expect(await request(() => one.transaction(limits))).toEqual(WRITE_LIMITS);
      }
    } finally {
      await one.close();
    }
  });

  test("of one connection are each statement's own also where statements are prepared", async () => {
    const one = openPostgres({ connectionString: database.url ?? "", maxConnections: 1, onIdleError: () => undefined });
    const prepared = async () => {
      const sql = "SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock";
      return (await one.executeSql(sql, [], { prepare: true })).rows[0];
    };
    try {
      for (let time = 0; time < 4; time++) {
        expect(await request(prepared)).toEqual({ statement: "10s", lock: READ_LIMITS.lock });
        expect(await job(prepared)).toEqual({ statement: "1h", lock: LONG_LIMITS.lock });
      }
    } finally {
      await one.close();
    }
  });

  describe("behind a pooler of transactions", () => {
    test("are those of a transaction too where there is only a statement", async () => {
      expect(await request(() => limits(pooled))).toEqual(WRITE_LIMITS);
      expect(await job(() => limits(pooled))).toEqual(LONG_LIMITS);
      expect(await job(() => pooled.transaction(limits))).toEqual(LONG_LIMITS);
      expect(
        await job(() => withAgentReads(pooled, space, limits, ["SET LOCAL statement_timeout = '4s'"])),
      ).toMatchObject({
        statement: "4s",
      });
    });

    test("leave nothing on the connection, whoever it is handed to", async () => {
      await job(() => limits(pooled));
      const { rows } = await request(() => pooled.executeSql("SHOW statement_timeout", [], { isAlone: true }));
      expect(rows).toEqual([{ statement_timeout: "0" }]);
    });

    test("let statements of all kinds answer, and a moment be set for the whole of a transaction", async () => {
      expect((await pooled.executeSql("SELECT $1::int AS n", [1], { prepare: true })).rows).toEqual([{ n: 1 }]);
      expect((await pooled.executeSql("SELECT 1 AS n", [], { rowMode: "array" })).rows).toEqual([[1]]);
      // pg-boss sends its statements in this form.
      await pooled.executeSql("BEGIN; CREATE TABLE kept (id int); INSERT INTO kept VALUES (1); COMMIT");
      expect((await pooled.executeSql("SELECT id FROM kept; SELECT 2 AS id")).rows).toEqual([{ id: 1 }, { id: 2 }]);
      await expect(pooled.executeSql("SELECT no_such_column")).rejects.toMatchObject({ code: "42703" });
      await pooled.executeSql("CREATE INDEX CONCURRENTLY kept_id ON kept (id)", [], { isAlone: true });
      const level = await pooled.transaction(async (tx) => (await tx.executeSql("SHOW transaction_isolation")).rows, {
        setup: ["SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"],
      });
      expect(level).toEqual([{ transaction_isolation: "repeatable read" }]);
    });
  });
});
