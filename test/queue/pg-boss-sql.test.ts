import { readFileSync } from "node:fs";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEAD_LETTER, QUEUE_SCHEMA } from "../../src/queue/pg-boss-sql.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const QUEUE = "contract";
const KEY = "tenant:agent";
const DATA = { tenantId: "tenant", agentId: "agent" };
/** The columns that `src/queue/pg-boss-sql.ts` names, with their types in information_schema. */
const COLUMNS = {
  id: "uuid",
  name: "text",
  state: "USER-DEFINED",
  data: "jsonb",
  output: "jsonb",
  priority: "integer",
  group_id: "text",
  dead_letter: "text",
  retry_count: "integer",
  blocked: "boolean",
  start_after: "timestamp with time zone",
  created_on: "timestamp with time zone",
  started_on: "timestamp with time zone",
  completed_on: "timestamp with time zone",
  heartbeat_on: "timestamp with time zone",
  source_name: "text",
  source_retry_count: "integer",
  source_output: "jsonb",
};

/**
 * The parts of pg-boss's private table that we rely on. A failure after an update of pg-boss shows
 * which assumption of pg-boss-sql.ts no longer holds.
 */
describe("the table that pg-boss keeps its jobs in", () => {
  let database: TestDatabase;
  let boss: PgBoss;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    boss = new PgBoss({ db, backend: db.kind, schema: QUEUE_SCHEMA, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue(DEAD_LETTER, {});
    await boss.createQueue(QUEUE, { retryLimit: 1, retryDelay: 0, deadLetter: DEAD_LETTER });
  });
  afterAll(async () => {
    await boss.stop({ graceful: false });
    await database.drop();
  });

  const rowOf = async (id: string | null) => {
    const sql = `SELECT *, start_after > now() AS "isLater" FROM ${QUEUE_SCHEMA}.job WHERE id = $1`;
    return (await database.db.executeSql(sql, [id])).rows[0];
  };
  const set = (id: string | null, assignment: string) =>
    database.db.executeSql(`UPDATE ${QUEUE_SCHEMA}.job SET ${assignment} WHERE id = $1`, [id]);
  const take = async () => (await boss.fetch(QUEUE))[0]?.id;
  const forgetAll = () => database.db.executeSql(`DELETE FROM ${QUEUE_SCHEMA}.job`);

  test("is that of the version we name, with the columns we name", async () => {
    const { version } = JSON.parse(readFileSync("node_modules/pg-boss/package.json", "utf8"));
    const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(version).toBe(devDependencies["pg-boss"]);
    const { rows } = await database.db.executeSql<{ column: string; type: string }>(
      `SELECT column_name AS column, data_type AS type FROM information_schema.columns
        WHERE table_schema = $1 AND table_name = 'job'`,
      [QUEUE_SCHEMA],
    );
    expect(Object.fromEntries(rows.map(({ column, type }) => [column, type]))).toMatchObject(COLUMNS);
  });

  test("has states in an order in which those that wait come before active", async () => {
    const { rows } = await database.db.executeSql(`SELECT enum_range(NULL::${QUEUE_SCHEMA}.job_state)::text AS states`);
    expect(rows).toEqual([{ states: "{created,retry,active,completed,cancelled,failed}" }]);
  });

  test("says of a job what was sent, and where it stands until it is done", async () => {
    const id = await boss.send(QUEUE, DATA, { group: { id: KEY } });
    expect(await rowOf(id)).toMatchObject({
      name: QUEUE,
      data: DATA,
      group_id: KEY,
      priority: 0,
      state: "created",
      retry_count: 0,
      blocked: false,
      dead_letter: DEAD_LETTER,
      started_on: null,
      completed_on: null,
      isLater: false,
    });
    expect(await take()).toBe(id);
    expect(await rowOf(id)).toMatchObject({ state: "active", started_on: expect.any(Date), completed_on: null });
    await boss.complete(QUEUE, id ?? "", { well: "done" });
    expect(await rowOf(id)).toMatchObject({
      state: "completed",
      completed_on: expect.any(Date),
      output: { well: "done" },
    });
    const cancelled = await boss.send(QUEUE, DATA);
    await boss.cancel(QUEUE, cancelled ?? "");
    expect(await rowOf(cancelled)).toMatchObject({ state: "cancelled", group_id: null });
  });

  test("keeps a job that fails to be tried again, then as failed and beside it as a dead letter", async () => {
    await forgetAll();
    const id = await boss.send(QUEUE, DATA);
    for (const state of ["retry", "failed"]) {
      await set(id, "start_after = now()");
      expect(await take()).toBe(id);
      await boss.fail(QUEUE, id ?? "", { message: "out of order" });
      expect(await rowOf(id)).toMatchObject({ state, output: { message: "out of order" } });
    }
    const { rows } = await database.db.executeSql(`SELECT * FROM ${QUEUE_SCHEMA}.job WHERE name = $1`, [DEAD_LETTER]);
    expect(rows).toMatchObject([
      {
        state: "created",
        data: DATA,
        dead_letter: null,
        source_name: QUEUE,
        source_retry_count: 1,
        source_output: { message: "out of order" },
      },
    ]);
  });

  test("is what decides which job is taken: due, by its priority, then the oldest", async () => {
    await forgetAll();
    const later = await boss.send(QUEUE, DATA, { startAfter: 60 });
    expect(await rowOf(later)).toMatchObject({ state: "created", isLater: true });
    const [first, second, third] = [
      await boss.send(QUEUE, DATA),
      await boss.send(QUEUE, DATA),
      await boss.send(QUEUE, DATA),
    ];
    await set(third, "priority = 1");
    expect([await take(), await take(), await take(), await take()]).toEqual([third, first, second, undefined]);
    await set(later, "start_after = now()");
    expect(await take()).toBe(later);
  });

  test("gives back an active job that is made one to be tried again, and none that was deleted", async () => {
    await forgetAll();
    const [taken, deleted] = [await boss.send(QUEUE, DATA), await boss.send(QUEUE, DATA)];
    expect(await take()).toBe(taken);
    await set(taken, "state = 'retry', start_after = now()");
    await database.db.executeSql(`DELETE FROM ${QUEUE_SCHEMA}.job WHERE id = $1`, [deleted]);
    expect([await take(), await take()]).toEqual([taken, undefined]);
  });
});
