import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildVectorIndex } from "../../src/db/agent/chunks/vector-index.ts";
import { schemaName } from "../../src/db/agent/space/schema-name.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { needsPostgres } from "../support/needs.ts";

describe("an HNSW index", needsPostgres("the embedded database has one session, with memory of its own"), () => {
  const schema = schemaName("agent_0123456789ab");
  const table = { schema, generationId: 1, dimensions: 3 };
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
    await buildVectorIndex(database.db, table);
    expect(await isValid()).toBe(true);
    expect(await setting("maintenance_work_mem")).toBe(before);
    expect(await setting("max_parallel_maintenance_workers")).not.toBe("0");
  });

  test("is built by one process where several find no room for what they share", async () => {
    const failed: string[] = [];
    const db = {
      ...database.db,
      executeSql: (async (text, values, options) => {
        const isBuild = text.startsWith("CREATE INDEX");
        // More than any machine has to share: what Postgres then says is what is tested.
        const settings = options?.settings?.map((one) =>
          one.replace(/^maintenance_work_mem.*/, "maintenance_work_mem = '1TB'"),
        );
        return database.db
          .executeSql(text, values, {
            ...options,
            ...(isBuild ? { settings: [...(settings ?? []), "min_parallel_table_scan_size = 0"] } : {}),
          })
          .catch((error: unknown) => {
            failed.push(text);
            throw error;
          });
      }) as typeof database.db.executeSql,
    };
    await database.db.executeSql(`DROP INDEX ${schema}.vectors_1_hnsw`);
    await buildVectorIndex(db, table);
    expect(failed).toHaveLength(1);
    expect(await isValid()).toBe(true);
  });
});
