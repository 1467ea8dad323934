import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";
import { readLanguageSet } from "../support/language-sets.ts";

let database: TestDatabase;
let agent: KeywordAgent;
beforeAll(async () => {
  database = await openTestDatabase();
  agent = await createKeywordAgent(database.db, "packed", "german");
});
afterAll(() => database.drop());

/** The expected content of a segment of all chunks, from their keyword vectors, in SQL. */
const EXPECTED_POSTINGS = `
  SELECT k.lexeme, encode(string_agg(int4send(p.number << 8 | least(greatest(cardinality(k.positions), 1), 255)), '' ORDER BY p.number), 'hex') AS entries
    FROM (SELECT keywords, (row_number() OVER (ORDER BY id) - 1)::int AS number FROM $schema.chunks_1) AS p, unnest(p.keywords) AS k
   GROUP BY k.lexeme ORDER BY k.lexeme COLLATE "C"`;
const EXPECTED_SEGMENT = `
  SELECT min(id) AS first, max(id) AS last, count(*)::int AS count,
         encode(string_agg(int4send((id - f.first)::int), '' ORDER BY id), 'hex') AS offsets,
         encode(string_agg(int4send(length), '' ORDER BY id), 'hex') AS lengths,
         encode(string_agg(substring(int2send(source) FROM 2), '' ORDER BY id), 'hex') AS sources
    FROM $schema.chunks_1, (SELECT min(id) AS first FROM $schema.chunks_1) AS f`;

test("a segment says what the keyword vectors of its chunks say, bit for bit", async () => {
  const passages = ["de", "ja", "ko", "zh"].flatMap((language) => readLanguageSet(language).passages);
  const ids = await agent.add([
    ...passages.map(({ title, text }) => `${title ?? ""} ${text}`),
    "Straßenbahnfahrplanauskunft Übergrößenträger 🦦 👩‍👩‍👧‍👦 𠮷野家 e\u0301 O'Hara's back\\slash \"quoted\" C:\\temp ''",
    "",
    // More lexemes than the code sorts or inserts at once.
    ...Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 200 }, (_, j) => `x${((i * 200 + j) * 7919) % 12_000}`).join(" "),
    ),
  ]);
  // Sources and positions as sessions and facts have them, gaps where chunks were, and lexemes that
  // our own texts never produce.
  await agent.query("UPDATE $schema.chunks_1 SET source = 1 + id % 3, length = length + (id % 5)::int * 70000");
  await agent.remove(ids.filter((_, i) => i % 7 === 3));
  await agent.query(
    `UPDATE $schema.chunks_1 SET keywords = keywords || v || v FROM (
       SELECT ('otter:' || string_agg(n::text, ',' ORDER BY n))::tsvector || array_to_tsvector(
                ARRAY[repeat('ü', 1023), 'it''s', '\\', '''', ' ', E'\\t\\n', chr(1114111), chr(128), chr(255), 'å', 'ｱ', '🦦']) AS v
         FROM generate_series(1, 255) AS n) AS one
      WHERE id % 50 = 0`,
  );
  expect(await agent.pack()).toBe(1);
  const postings = await agent.query<{ lexeme: string }>(
    "SELECT lexeme, encode(entries, 'hex') AS entries FROM $schema.postings_1 ORDER BY lexeme",
  );
  expect(postings.length).toBeGreaterThan(12_000);
  expect(postings).toEqual(await agent.query(EXPECTED_POSTINGS));
  const stored = await agent.query(
    `SELECT first_chunk AS first, last_chunk AS last, chunk_count AS count, encode(offsets, 'hex') AS offsets,
            encode(lengths, 'hex') AS lengths, encode(sources, 'hex') AS sources FROM $schema.segments_1`,
  );
  expect(stored).toEqual(await agent.query(EXPECTED_SEGMENT));
});

test("two that together are large are joined", async () => {
  const other = await createKeywordAgent(database.db, "segments_large");
  for (const count of [5000, 4000]) {
    await other.query(
      `INSERT INTO $schema.chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
       SELECT 1, 1, 0, 1, 1, '', '', '', 1, '' FROM generate_series(1, $1::int)`,
      [count],
    );
    expect(await other.pack()).toBe(1);
  }
  expect(await other.query("SELECT chunk_count AS count FROM $schema.segments_1")).toEqual([{ count: 9000 }]);
});
