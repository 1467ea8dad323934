import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";
import type { CollectionStats, KeywordTerm } from "./keyword-terms.ts";

/** Postings that a question may read in any index, and in a large one for each chunk: four words that are in every text. */
const MOST_POSTINGS = { least: 200_000, perChunk: 4 };
/** Rows times terms: Postgres takes about a microsecond to see how often a row that is in no segment has a term. */
const MOST_LOOKUPS = 600_000;
/** So many terms are looked for in any number of rows: an ordinary question has fewer. */
const LEAST_TERMS = 8;
/** The rows that tell how common words are in an index that nobody has counted. */
const SAMPLE = 300;

/** Rows whose keyword vectors are read one by one. */
interface ReadRows {
  schema: SchemaName;
  generationId: number;
  /** Only those with greater ids. */
  after?: number | undefined;
  /** Only facts. */
  onlyFacts?: boolean;
  /** Without it they are counted, when the terms are many. */
  atMost?: number;
}

/**
 * The rarest terms whose posting lists together are short enough. The cost of a question must not depend on how common its words are: 64
 * words that are in most of 38,000 chunks took a hundred milliseconds of the process, and many at once everybody's turn.
 *
 * Taking terms by their idf and stopping at a limit is the oldest safeguard of ranked search (Buckley and Lewit 1985; "quit" in Moffat and
 * Zobel 1996): what is left out is worth least. It is left out of the question altogether, so all scores are still exact BM25 and
 * comparable, of a shorter question. MaxScore alone (segments/score-postings.ts) cannot bound it: of words that are all
 * common none is worth so little that it may be skipped.
 *
 * @param terms rarest first
 * @param index `counted`: chunks at the time when the terms were counted; `packed`: chunks in segments now
 */
export function withinPostings(
  terms: readonly KeywordTerm[],
  { counted, packed }: { counted: number; packed: number },
): readonly KeywordTerm[] {
  const most = Math.max(MOST_POSTINGS.least, MOST_POSTINGS.perChunk * packed);
  const growth = Math.max(1, packed / Math.max(1, counted));
  let postings = 0;
  const kept = terms.findIndex(({ df, postings: ofAll = Math.min(df, packed) }) => {
    postings += ofAll * growth;
    return postings > most;
  });
  return kept < 0 ? terms : terms.slice(0, kept);
}

/**
 * The rarest terms that can be looked for in rows one by one: as above, where the cost is rows times terms, whatever the rows have. One
 * statement, when there may be too many of both.
 */
export async function withinRows(
  sql: SqlExecutor,
  terms: readonly KeywordTerm[],
  rows: ReadRows,
): Promise<readonly KeywordTerm[]> {
  const fits = (count: number) => Math.max(LEAST_TERMS, Math.floor(MOST_LOOKUPS / Math.max(1, count)));
  if (terms.length <= fits(rows.atMost ?? Number.POSITIVE_INFINITY)) return terms;
  return terms.slice(0, fits(await countRows(sql, rows)));
}

/** The rarest terms that can be looked for both in the segments of an index and in its newer chunks, which are read one by one. */
export async function affordable(
  sql: SqlExecutor,
  index: ReadRows & { segments: readonly { chunkCount: number; lastChunk: number }[]; newestChunk: number },
  terms: readonly KeywordTerm[],
  { chunks: counted }: CollectionStats,
): Promise<readonly KeywordTerm[]> {
  const { schema, generationId, segments, newestChunk } = index;
  const packed = segments.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  const after = segments.at(-1)?.lastChunk ?? newestChunk;
  const short = withinPostings(terms, { counted, packed });
  return withinRows(sql, short, { schema, generationId, after, atMost: newestChunk - after });
}

/** How many rows there are; more than make no difference are not counted. */
async function countRows(sql: SqlExecutor, { schema, generationId, after = 0, onlyFacts }: ReadRows): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT FROM ${schema}.chunks_${generationId} WHERE id > ${Math.trunc(after)}${onlyFacts ? " AND fact_id IS NOT NULL" : ""}
        LIMIT ${MOST_LOOKUPS / LEAST_TERMS}) AS c`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * The terms of an index that is not counted, rarest first, by its newest rows; those that none of these has keep their order. Only if so
 * many are read that some terms will be left out.
 */
export async function withinUncounted(
  sql: SqlExecutor,
  terms: readonly KeywordTerm[],
  index: Pick<ReadRows, "schema" | "generationId">,
): Promise<readonly KeywordTerm[]> {
  const kept = await withinRows(sql, terms, index);
  if (kept.length === terms.length) return terms;
  const counts = terms.map((_, n) => `count(*) FILTER (WHERE keywords @@ $${n + 1}::tsquery)::int`);
  const { rows } = await sql.executeSql<{ counts: number[] }>(
    `SELECT ARRAY[${counts.join(", ")}] AS counts
       FROM (SELECT keywords FROM ${index.schema}.chunks_${index.generationId} ORDER BY id DESC LIMIT ${SAMPLE}) AS newest`,
    terms.map(({ operand }) => operand),
  );
  const found = rows[0]?.counts ?? [];
  return [...terms.keys()]
    .sort((a, b) => (found[a] ?? 0) - (found[b] ?? 0) || a - b)
    .slice(0, kept.length)
    .sort((a, b) => a - b)
    .flatMap((n) => terms[n] ?? []);
}
