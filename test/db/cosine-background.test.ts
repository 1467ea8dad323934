import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cosineBackground, meanCosine, nearestWithBackground } from "../../src/db/agent/candidates/vector-search.ts";
import { measureCosines, noteCosines } from "../../src/db/agent/chunks/vectors.ts";
import { type AgentSpace, withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../src/db/agent/schema/generation-tables.ts";
import { insertGeneration } from "../../src/db/agent/schema/generations.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { encodeVector, encodeVectors } from "../../src/db/vector-codec.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { seededRandom } from "../support/seeded-random.ts";

const DIMENSIONS = 16;
const NAME = "agent_cosines";

/**
 * Returns random directions, all a little towards the first axis: cosines are about `towards²`, and
 * vary by about `(1 - towards²) / 4`.
 */
function vectors(count: number, seed: number, towards = 0.5): Float32Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const any = Float32Array.from({ length: DIMENSIONS }, () => random.next() + random.next() + random.next() - 1.5);
    const length = Math.hypot(...any);
    const one = any.map((value, at) => (value / length) * Math.sqrt(1 - towards ** 2) + (at === 0 ? towards : 0));
    return one.map((value) => value / Math.hypot(...one));
  });
}

const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]) => mean(values.map((value) => (value - mean(values)) ** 2));

describe.each([
  { precision: "single", halfVectors: false, digits: 5 },
  { precision: "half", halfVectors: true, digits: 3 },
])("what cosines look like in an index of $precision precision", ({ halfVectors, digits }) => {
  let database: TestDatabase;
  const agent: AgentSpace = { schema: schemaName(NAME), role: roleName(NAME) };
  const table = { schema: agent.schema, generationId: 1, dimensions: DIMENSIONS, halfVectors };
  let file = "";

  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    await createAgentRole(db, agent);
    await createAgentSchema(db, agent, loadAgentMigrations());
    await createGenerationTables(db, agent.schema, agent.role, { id: 1, dimensions: DIMENSIONS, halfVectors });
    const { rows } = await db.executeSql<{ id: string }>(
      `INSERT INTO ${NAME}.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
       VALUES ('a.md', 'a.md', '', '', 0, 0, now(), now(), now()) RETURNING id::text`,
    );
    file = rows[0]?.id ?? "";
  });
  afterAll(() => database.drop());

  /** Replaces all chunks by chunks with these embeddings. */
  const fill = async (embeddings: readonly (Float32Array | null)[], source = 1, keep = false) => {
    if (!keep) await database.db.executeSql(`DELETE FROM ${NAME}.chunks_1`);
    const known = embeddings.filter((one) => one !== null);
    await database.db.executeSql(
      `WITH made AS (
         INSERT INTO ${NAME}.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
         SELECT $1::bigint, $2, n, 1, 1, '', '', '', 1, '' FROM generate_series(1, $3::int) AS n RETURNING id, ordinal
       )
       INSERT INTO ${NAME}.vectors_1 (chunk_id, source, embedding)
       SELECT made.id, $2, e.embedding FROM made LEFT JOIN unnest($4::vector[]) WITH ORDINALITY AS e (embedding, place) ON e.place = made.ordinal`,
      [file, source, embeddings.length, encodeVectors(known)],
    );
  };
  const measured = () => withAgentTransaction(database.db, agent, (tx) => measureCosines(tx, table));

  test("the deviation is that of each chunk's cosines with the others", async () => {
    const all = vectors(16, 1);
    await fill(all);
    const expected = all.map((one) =>
      variance(all.filter((other) => other !== one).map((other) => cosine(one, other))),
    );
    const { count, deviation } = await measured();
    expect(count).toBe(16);
    expect(deviation).toBeCloseTo(Math.sqrt(mean(expected)), digits - 1);
  });

  test("of many chunks some tell it to within a tenth, and say the same each time", async () => {
    const all = vectors(1500, 2);
    await fill(all);
    const sample = all.slice(0, 200);
    const truth = Math.sqrt(
      mean(sample.map((one) => variance(all.filter((other) => other !== one).map((other) => cosine(one, other))))),
    );
    const { count, deviation = 0, centre } = await measured();
    expect(count).toBe(1500);
    expect(Math.abs(deviation / truth - 1)).toBeLessThan(0.1);
    expect(await measured()).toEqual({ count, deviation, centre });
  });

  test("the mean of a question's cosines is known by the centre of the vectors, whatever their lengths", async () => {
    const all = vectors(300, 8);
    await fill([...all.map((one, i) => one.map((value) => value * (1 + (i % 7)))), null]);
    await fill(vectors(50, 9, 0.95), 4, true);
    const [asked = new Float32Array(DIMENSIONS)] = vectors(1, 10);
    const { db } = database;
    const found = await withAgentTransaction(db, agent, async (tx) => {
      const { id } = await insertGeneration(
        tx,
        agent.schema,
        {
          provider: "test",
          model: "test",
          endpoint: null,
          dimensions: DIMENSIONS,
          language: "english",
          chunkTokens: 400,
          chunkOverlap: 80,
          chunkHeadings: true,
          followsText: false,
        },
        { status: "active", now: new Date(), kind: db.kind },
      );
      await noteCosines(tx, agent.schema, id, await measureCosines(tx, table));
      return meanCosine(tx, { ...table, generationId: id }, encodeVector(asked.map((value) => 3 * value)));
    });
    expect(found).toBeCloseTo(mean(all.map((one) => cosine(one, asked))), digits);
  });

  test("it is unknown where there is nothing to compare, or all are alike", async () => {
    await fill([]);
    expect(await measured()).toEqual({ count: 0, deviation: undefined, centre: undefined });
    const [one] = vectors(1, 3);
    await fill([one ?? null]);
    expect(await measured()).toMatchObject({ count: 1, deviation: undefined });
    await fill([...vectors(2, 4), null, null]);
    // A single cosine does not vary.
    expect(await measured()).toMatchObject({ count: 2, deviation: undefined });
  });

  test("copies of a text count once", async () => {
    const all = vectors(40, 11);
    await fill(all);
    const before = await measured();
    const [asked = new Float32Array(DIMENSIONS)] = all;
    const query = { vector: encodeVector(asked), limit: 5, sources: [1] };
    const ask = () =>
      withAgentTransaction(database.db, agent, async (tx) => [
        (await nearestWithBackground(tx, table, query)).background,
        await cosineBackground(tx, table, query.vector, 40),
      ]);
    const [known] = await ask();
    await fill(
      Array.from({ length: 60 }, () => asked),
      1,
      true,
    );
    expect((await measured()).deviation).toBeCloseTo(before.deviation ?? 0, 6);
    for (const background of await ask()) {
      expect(background).toMatchObject({ count: 40, chunks: 100 });
      expect(background.mean).toBeCloseTo(known?.mean ?? 0, 6);
      expect(background.deviation).toBeCloseTo(known?.deviation ?? 0, 6);
    }
  });

  test("facts that are over, and chunks without an embedding, are no part of it", async () => {
    const all = vectors(40, 5);
    await fill(all);
    const before = await measured();
    const [asked = new Float32Array(DIMENSIONS)] = vectors(1, 6);
    const query = { vector: encodeVector(asked), limit: 5, sources: [1, 3] };
    const ask = () =>
      withAgentTransaction(database.db, agent, async (tx) => ({
        near: await nearestWithBackground(tx, table, query),
        sampled: await cosineBackground(tx, table, query.vector, 40),
      }));
    const known = await ask();
    expect(known.near.background.mean).toBeCloseTo(mean(all.map((one) => cosine(one, asked))), digits);
    await fill([...vectors(300, 7, 0.95), null], 4, true);
    const { near, sampled } = await ask();
    // The count includes past facts, because the check whether the number of chunks has changed
    // counts them too.
    expect(await measured()).toMatchObject({ count: 340, deviation: expect.closeTo(before.deviation ?? 0, 6) });
    expect(near.hits).toEqual(known.near.hits);
    for (const background of [near.background, sampled]) {
      expect(background.count).toBe(40);
      expect(background.mean).toBeCloseTo(known.near.background.mean, 6);
      expect(background.deviation).toBeCloseTo(known.near.background.deviation, 6);
    }
  });
});
