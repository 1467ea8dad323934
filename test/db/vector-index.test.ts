import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildVectorIndex } from "../../src/db/agent/chunks/vector-index.ts";
import { schemaName } from "../../src/db/agent/space/schema-name.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

describe("an HNSW index", needsPostgres("the embedded database has one session, with memory of its own"), () => {
  const schema = schemaName("agent_0123456789ab");
  const table = { schema, generationId: 1, dimensions: 3, halfVectors: false };
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.db.executeSql(`CREATE SCHEMA ${schema}`);
    await database.db.executeSql(`CREATE TABLE ${schema}.vectors_1 (chunk_id bigint, embedding vector(3))`);
    await database.db.executeSql(
      `INSERT INTO ${schema}.vectors_1 SELECT i, ARRAY[sin(i), cos(i), i % 7]::vector FROM generate_series(1, 2000) AS i`,
    );
  });
  afterAll(() => database.drop());

  const isValid = async () =>
    (
      await database.db.executeSql<{ valid: boolean }>(
        `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${schema}.vectors_1_hnsw')`,
      )
    ).rows[0]?.valid;
  const setting = async (name: string) =>
    (await database.db.executeSql<{ is: string }>(`SELECT current_setting('${name}') AS is`)).rows[0]?.is;

  test("is built with memory of its own, which later statements do not have", async () => {
    const before = await setting("maintenance_work_mem");
    await buildVectorIndex(database.db, table, 2000);
    expect(await isValid()).toBe(true);
    expect(await setting("maintenance_work_mem")).toBe(before);
  });

  test("is built finer if it is large", async () => {
    const options = async (vectors: number) => {
      await database.db.executeSql(`DROP INDEX IF EXISTS ${schema}.vectors_1_hnsw`);
      await buildVectorIndex(database.db, table, vectors);
      const sql = `SELECT reloptions AS options FROM pg_class WHERE oid = to_regclass('${schema}.vectors_1_hnsw')`;
      return (await database.db.executeSql<{ options: string[] }>(sql)).rows[0]?.options;
    };
    expect(await options(249_999)).toEqual(["ef_construction=128"]);
    expect(await options(250_000)).toEqual(["ef_construction=256"]);
  });

  test("is of the column's own type, whatever the generation says", async () => {
    await database.db.executeSql(`CREATE TABLE ${schema}.vectors_2 (chunk_id bigint, embedding halfvec(3))`);
    await buildVectorIndex(database.db, { ...table, generationId: 2, halfVectors: false }, 0);
    const sql = `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${schema}.vectors_2_hnsw')`;
    expect((await database.db.executeSql(sql)).rows).toEqual([{ valid: true }]);
  });
});
