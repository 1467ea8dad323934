import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import type { CollectionStats, KeywordTerm } from "./keyword-terms.ts";

/**
 * The most postings that a question may read: `least` in any index, and in a large index `perChunk`
 * for each chunk, which allows four words that are in every text.
 */
const MOST_POSTINGS = { least: 200_000, perChunk: 4 };
/**
 * The most pairs of a row and a term. For a row that is in no segment, Postgres takes about a
 * microsecond to count the occurrences of a term.
 */
const MOST_LOOKUPS = 600_000;
/** This many terms are searched in any number of rows. An ordinary question has fewer. */
const LEAST_TERMS = 8;
/** How many of the newest rows show how common words are in an index without counts. */
const SAMPLE = 300;

/** The rows whose keyword vectors are read one by one. */
interface ReadRows {
  schema: SchemaName;
  generationId: number;
  /** The rows have ids greater than this one. */
  after?: number | undefined;
  /** Whether only rows of facts are read. */
  onlyFacts?: boolean;
  /**
   * An upper bound of the number of rows. Without it the rows are counted if there are many terms.
   */
  atMost?: number;
}

/**
 * Returns the rarest terms whose posting lists are short enough in total. The cost of a question
 * must not depend on how common its words are. A question of 64 words, each in most of 38,000
 * chunks, took a hundred milliseconds of the process, and several at once delayed everybody.
 *
 * Taking terms by their idf and stopping at a limit is the oldest safeguard of ranked search
 * (Buckley and Lewit 1985; "quit" in Moffat and Zobel 1996): the omitted terms are worth least.
 * They are omitted from the question altogether, so all scores are still exact and comparable BM25,
 * of a shorter question. MaxScore alone (segments/score-postings.ts) cannot bound the cost: if all
 * words are common, none is worth so little that it can be skipped.
 *
 * @param terms rarest first
 * @param index `counted`: chunks when the terms were counted; `packed`: chunks in segments now
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
 * Returns the rarest terms that can be searched in rows one by one. The cost is rows times terms;
 * the contents of the rows do not matter. Sends one statement, and only if rows and terms may be
 * too many.
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

/**
 * Returns the rarest terms that can be searched both in the segments of an index and in its newer
 * chunks, which are read one by one.
 */
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

/**
 * Returns the number of rows. Counts only up to the number beyond which the result does not change.
 */
async function countRows(sql: SqlExecutor, { schema, generationId, after = 0, onlyFacts }: ReadRows): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `SELECT count(*)::int AS count
       FROM (
         SELECT
           FROM ${schema}.chunks_${generationId}
          WHERE id > ${Math.trunc(after)}${onlyFacts ? " AND fact_id IS NOT NULL" : ""}
          LIMIT ${MOST_LOOKUPS / LEAST_TERMS}) AS c`,
  );
  return rows[0]?.count ?? 0;
}

/**
 * Returns the rarest terms of an index without counts, in the order of `terms`. The newest rows
 * show how rare the terms are, and are read only if some terms must be left out.
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
       FROM (
         SELECT keywords
           FROM ${index.schema}.chunks_${index.generationId}
          ORDER BY id DESC
          LIMIT ${SAMPLE}) AS newest`,
    terms.map(({ operand }) => operand),
  );
  const found = rows[0]?.counts ?? [];
  return [...terms.keys()]
    .sort((a, b) => (found[a] ?? 0) - (found[b] ?? 0) || a - b)
    .slice(0, kept.length)
    .sort((a, b) => a - b)
    .flatMap((n) => terms[n] ?? []);
}
