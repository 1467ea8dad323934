import fc from "fast-check";
import { fromSql, toSql } from "pgvector";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeVector, encodeVector, encodeVectors, readVector } from "../../src/db/vector-codec.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const finite = fc.float({ noNaN: true, noDefaultInfinity: true });
const vectors = fc.integer({ min: 1, max: 40 }).chain((dimensions) =>
  fc.array(
    fc.option(fc.float32Array({ minLength: dimensions, maxLength: dimensions, noNaN: true, noDefaultInfinity: true })),
    {
      minLength: 1,
      maxLength: 12,
    },
  ),
);

describe("vectors in pgvector's binary form", () => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase();
  });
  afterAll(() => opened.drop());

  const through = async (sent: readonly (Float32Array | null)[]) => {
    const { rows } = await opened.db.executeSql<{ text: string | null; vector: string | null }>(
      `SELECT e::text AS text, ${readVector("e")} AS vector FROM unnest($1::vector[]) WITH ORDINALITY AS n (e, i) ORDER BY i`,
      [encodeVectors(sent)],
    );
    return rows;
  };

  test("come back as they were sent, and mean what the package pgvector reads in their text", async () => {
    await fc.assert(
      fc.asyncProperty(vectors, async (sent) => {
        const rows = await through(sent);
        expect(rows.map(({ vector }) => (vector === null ? null : decodeVector(vector)))).toEqual(sent);
        const texts = rows.map(({ text }) => (text === null ? null : Float32Array.from(fromSql(text) as number[])));
        expect(texts).toEqual(sent);
      }),
      { numRuns: 40 },
    );
  });

  test("are what the package pgvector writes", async () => {
    const one = fc.float32Array({ minLength: 1, maxLength: 40, noNaN: true, noDefaultInfinity: true });
    await fc.assert(
      fc.asyncProperty(one, async (vector) => {
        const { rows } = await opened.db.executeSql<{ vector: string; isSame: boolean }>(
          `SELECT ${readVector("$1::vector")} AS vector, $1::vector = $2::vector AS "isSame"`,
          [toSql(Array.from(vector)), encodeVector(vector)],
        );
        const [row] = rows;
        expect(row?.isSame).toBe(true);
        // The text form has no -0, so -0 and 0 are compared as equal.
        expect(decodeVector(row?.vector ?? "").map((value) => value || 0)).toEqual(vector.map((value) => value || 0));
      }),
      { numRuns: 40 },
    );
  });

  test("of the greatest length, and inside a transaction", async () => {
    const [long] = fc.sample(fc.array(finite, { minLength: 16_000, maxLength: 16_000 }), { numRuns: 1, seed: 1 });
    const sent = Float32Array.from(long ?? []);
    const rows = await opened.db.transaction(async (tx) => {
      const answer = await tx.executeSql<{ vector: string }>(
        `SELECT ${readVector("v[1]")} AS vector FROM (SELECT $1::vector[] AS v) AS n`,
        [encodeVectors([sent])],
      );
      return answer.rows;
    });
    expect(decodeVector(rows[0]?.vector ?? "")).toEqual(sent);
  });

  test("of another length than the column's are refused", async () => {
    const cast = opened.db.executeSql("SELECT e::vector(3) FROM unnest($1::vector[]) AS n (e)", [
      encodeVectors([new Float32Array(4)]),
    ]);
    await expect(cast).rejects.toThrow(/expected 3 dimensions, not 4/);
  });
});
