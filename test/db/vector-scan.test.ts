import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { measureVectorScan, vectorScan } from "../../src/db/agent/candidates/vector-scan.ts";
import { schemaName } from "../../src/db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

describe.each([
  { type: "vector", halfVectors: false },
  { type: "halfvec", halfVectors: true },
])("how wide a scan of an HNSW index of $type is to be", ({ type, halfVectors }) => {
  const schema = schemaName("agent_0123456789ab");
  const DIMENSIONS = 24;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.db.executeSql(`CREATE SCHEMA ${schema}`);
    // Random directions: in 24 dimensions most of them are about equally far from each other.
    await database.db.executeSql(
      `CREATE TABLE ${schema}.vectors_1 (chunk_id bigint PRIMARY KEY, embedding ${type}(${DIMENSIONS}));
       INSERT INTO ${schema}.vectors_1
         SELECT i, (SELECT array_agg(hashint8extended(i * 100 + d, 1) / 1e19) FROM generate_series(1, ${DIMENSIONS}) AS d)::vector
           FROM generate_series(1, 3000) AS i;
       ANALYZE ${schema}.vectors_1`,
    );
  });
  afterAll(() => database.drop());

  const measured = async (index: string) => {
    await database.db.executeSql(`DROP INDEX IF EXISTS ${schema}.vectors_1_hnsw`);
    await database.db.executeSql(
      `CREATE INDEX vectors_1_hnsw ON ${schema}.vectors_1 USING hnsw (embedding ${type}_cosine_ops) WITH (${index})`,
    );
    const read = <T>(fn: (sql: SqlExecutor) => Promise<T>, setup: readonly string[]) =>
      database.db.transaction(fn, { setup });
    return measureVectorScan(read, { schema, generationId: 1, dimensions: DIMENSIONS, halfVectors });
  };

  test("is the least that finds the nearest: more in an index whose neighbours know fewer of each other", async () => {
    const fine = await measured("m = 24, ef_construction = 200");
    const coarse = await measured("m = 2, ef_construction = 4");
    expect(fine).toBe(100);
    expect(coarse).toBeGreaterThan(100);
  });

  test("is never less than what is asked for, and an index that was not measured has one too", () => {
    expect(vectorScan(100, 32)[0]).toBe("SET LOCAL hnsw.ef_search = 100");
    expect(vectorScan(100, 80)[0]).toBe("SET LOCAL hnsw.ef_search = 128");
    expect(vectorScan(null)[0]).toBe("SET LOCAL hnsw.ef_search = 200");
  });

  test("texts that are there many times do not make it greater", async () => {
    await database.db.executeSql(
      `INSERT INTO ${schema}.vectors_1 SELECT chunk_id + 10000 * copy, embedding
         FROM ${schema}.vectors_1, generate_series(1, CASE WHEN chunk_id % 100 = 0 THEN 40 ELSE 1 END) AS copy WHERE chunk_id <= 1000`,
    );
    expect(await measured("m = 24, ef_construction = 200")).toBe(100);
  });

  test("of an index without vectors it is the least", async () => {
    await database.db.executeSql(`TRUNCATE ${schema}.vectors_1`);
    expect(await measured("m = 16, ef_construction = 64")).toBe(100);
  });
});
