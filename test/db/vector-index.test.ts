import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildVectorIndex } from "../../src/db/agent/chunks/vector-index.ts";
import { createAgentRole, createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { vectorTable } from "../../src/db/agent/schema/generation-tables.ts";
import { activeGeneration } from "../../src/db/agent/schema/generations.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { loadAgentMigrations } from "../../src/db/migrate/agent.ts";
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

  test("is of half precision above 2,000 dimensions, also where a process that did not note it made them", async () => {
    const { db } = database;
    const agent = { schema: schemaName("agent_ba9876543210"), role: roleName("agent_ba9876543210") };
    await createAgentRole(db, agent);
    await createAgentSchema(db, agent, loadAgentMigrations());
    await db.executeSql(
      `INSERT INTO ${agent.schema}.generations (provider, model, dimensions, chunk_tokens, chunk_overlap, language, status, created_at)
       VALUES ('test', 'words', 2500, 400, 80, 'english', 'active', now());
       CREATE TABLE ${agent.schema}.vectors_1 (chunk_id bigint, embedding halfvec(2500))`,
    );
    const generation = await activeGeneration(db, agent.schema);
    if (!generation) throw new Error("no generation");
    expect(generation).toMatchObject({ id: 1, halfVectors: true });
    await buildVectorIndex(db, vectorTable(agent.schema, generation, 2500), 0);
    const sql = `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${agent.schema}.vectors_1_hnsw')`;
    expect((await db.executeSql(sql)).rows).toEqual([{ valid: true }]);
  });
});
