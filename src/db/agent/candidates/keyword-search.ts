import type { SqlExecutor } from "../../database.ts";
import { isFiltered, passing, type SearchFilter } from "../chunks/search-filter.ts";
import { B, fullGain, idf, K1, type KeywordHit, mergeHits, TF_THRESHOLDS } from "../keyword/bm25.ts";
import {
  type CollectionStats,
  type CountedTerms,
  type KeywordConcept,
  type KeywordTerm,
  resolveTerms,
} from "../keyword/keyword-terms.ts";
import { withinPostings, withinRows, withinUncounted } from "../keyword/term-budget.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { SOURCE_NUMBER } from "../schema/source-number.ts";
import { type SearchedTerms, type SegmentCache, scoreInSegments, searchSegments } from "../segments/segments.ts";

export interface KeywordSearchInput {
  schema: SchemaName;
  generationId: number;
  /** The Postgres text search configurations that chunks were indexed with. */
  languages: readonly string[];
  query: { readonly concepts: readonly KeywordConcept[]; readonly language?: string | undefined };
  limit: number;
  /** Only chunks of these sources (SOURCE_NUMBER). */
  sources?: readonly number[];
  filter?: SearchFilter | undefined;
  /** Only these chunks, when the caller wants their scores. */
  chunkIds?: readonly string[];
  /** Only chunks whose id is greater than this one. */
  after?: number;
  /** The terms as the caller has counted them; without them the whole index's counts are used. */
  counted?: CountedTerms | undefined;
  /** The cached segments; without them every search reads keyword vectors. */
  cache?: SegmentCache;
  /**
   * Whether the caller checks which hits still exist, and reports deleted ones by `noteDeleted`.
   */
  unchecked?: boolean;
}

export interface KeywordAnswer {
  hits: KeywordHit[];
  /** The terms and counts that the scores were computed from; undefined when nothing was found. */
  counted: SearchedTerms | undefined;
  /**
   * How many terms the question has, and how many of them, the rarest, were searched. Missing when
   * all were.
   */
  shortened?: { terms: number; kept: number };
}

const NOTHING: KeywordAnswer = { hits: [], counted: undefined };

/**
 * Returns the chunks with the best BM25 scores for any of the query's terms, best first, ties by
 * id. A query of stop words alone finds nothing. The scores are exact for the stored counts of
 * terms; a scan counts the terms itself. If the query has more terms than can be searched in
 * reasonable time, only the rarest are used (term-budget.ts).
 */
export async function keywordCandidates(sql: SqlExecutor, input: KeywordSearchInput): Promise<KeywordAnswer> {
  const { filter } = input;
  const { cache } = filter?.chunkIds ? {} : input;
  const { counted: given } = input;
  const resolve = async () =>
    given ? { ...given, terms: [...given.terms] } : resolveTerms(sql, input, languagesOf(input), input.query.concepts);
  const newer = (counted: CountedTerms, after: number) => scoreChunks(sql, { ...input, after }, counted);
  const { resolved, found } = cache
    ? await searchSegments(sql, { ...input, cache }, resolve, newer)
    : { resolved: await resolve(), found: undefined };
  const { terms, stats } = resolved;
  if (found) return withShortened(terms, found.counted.terms, found);
  if (terms.length === 0) return NOTHING;
  if (!stats) {
    const kept = await withinUncounted(sql, terms, input);
    return withShortened(terms, kept, await scanAll(sql, input, kept));
  }
  // If only few chunks pass a filter, their scores also come from posting lists, so the budget of
  // postings applies too.
  const all = { counted: stats.chunks, packed: stats.chunks };
  const kept = await withinRows(sql, filter?.chunkIds ? withinPostings(terms, all) : terms, readRows(input));
  const counted = { terms: kept, stats };
  const answer = async () => {
    if (filter?.chunkIds) return scoreFew(sql, input, counted, filter.chunkIds);
    // This case is a search for facts, or a filter that too few of the best chunks in the posting
    // lists pass. The statement reads each keyword vector and checks each chunk that has a term.
    if (given || (filter && isFiltered(filter))) return { hits: await scoreChunks(sql, input, counted), counted };
    return scanAll(sql, input, kept);
  };
  return withShortened(terms, kept, await answer());
}

/** Returns the rows that a search without posting lists reads. */
function readRows({ schema, generationId, filter }: KeywordSearchInput): Parameters<typeof withinRows>[2] {
  const atMost = filter?.chunkIds?.length;
  return { schema, generationId, onlyFacts: filter?.facts !== undefined, ...(atMost === undefined ? {} : { atMost }) };
}

/** Returns the answer, which says if not all terms of the question were searched. */
export function withShortened(
  asked: readonly KeywordTerm[],
  kept: readonly KeywordTerm[],
  answer: KeywordAnswer,
): KeywordAnswer {
  if (kept.length === asked.length) return answer;
  return { ...answer, shortened: { terms: asked.length, kept: kept.length } };
}

/** Returns the languages in which a search stems its words. */
export function languagesOf({ languages, query }: KeywordSearchInput) {
  return { languages, asked: query.language };
}

/** Scoring this many chunks by their keyword vectors takes a few milliseconds. */
const FEW_CHUNKS = 300;

/** Returns the best of the chunks that pass a filter, if few pass it. */
async function scoreFew(
  sql: SqlExecutor,
  { schema, generationId, cache, limit }: KeywordSearchInput,
  counted: CountedTerms,
  chunkIds: readonly string[],
): Promise<KeywordAnswer> {
  // Fewer chunks are read sooner than the posting lists of all segments, which the process may not
  // have cached.
  const segments = cache && chunkIds.length > FEW_CHUNKS ? { cache } : {};
  const scored = await scoreGiven(sql, { schema, generationId, ...segments }, counted, chunkIds, limit);
  return { hits: mergeHits(scored.hits, [], limit), counted: scored.counted };
}

/**
 * Returns the scores of given chunks by terms that a search has counted. Chunks without any of the
 * terms are left out.
 */
export async function keywordScores(
  sql: SqlExecutor,
  index: Pick<KeywordSearchInput, "schema" | "generationId" | "filter">,
  counted: SearchedTerms,
  chunkIds: readonly string[],
): Promise<KeywordHit[]> {
  // The segments do not show which chunks pass the filter.
  if (index.filter)
    return chunkIds.length === 0 ? [] : scoreChunks(sql, { ...index, limit: chunkIds.length, chunkIds }, counted);
  return (await scoreGiven(sql, index, counted, chunkIds, chunkIds.length)).hits;
}

async function scoreGiven(
  sql: SqlExecutor,
  index: Pick<KeywordSearchInput, "schema" | "generationId" | "cache">,
  searched: SearchedTerms,
  chunkIds: readonly string[],
  limit: number,
): Promise<{ hits: KeywordHit[]; counted: SearchedTerms }> {
  const { hits, newer, counted } = await scoreInSegments(sql, index, searched, chunkIds, limit);
  if (newer.length === 0) return { hits, counted };
  const others = await scoreChunks(sql, { ...index, limit: Math.min(limit, newer.length), chunkIds: newer }, counted);
  return { hits: [...hits, ...others], counted };
}

/** Returns the text of a tsquery that matches any of the terms. */
function anyOf(terms: readonly KeywordTerm[]): string {
  return terms.map((term) => term.operand).join(" | ");
}

/** Returns the value of finding each term: its rarity times its weight. */
export function termRarities({ terms, stats }: CountedTerms): { concept: number; idf: number }[] {
  return terms.map(({ concept, weight, df }) => ({ concept, idf: weight * idf(df, stats.chunks) }));
}

/**
 * Returns the best of the chunks that are given, pass the filter or are new. It reads these chunks
 * one by one. The counts are known, so the weights are constants.
 */
export async function scoreChunks(
  sql: SqlExecutor,
  input: Omit<KeywordSearchInput, "languages" | "query">,
  counted: CountedTerms,
): Promise<KeywordHit[]> {
  const { averageLength } = counted.stats;
  const values: unknown[] = [averageLength, TF_THRESHOLDS, anyOf(counted.terms)];
  const gains = counted.terms.map((term) => {
    const operand = values.push(term.operand);
    const weight = values.push(fullGain(term, counted.stats.chunks));
    return { concept: term.concept, sql: gainSql(`$${weight}::float8`, tfSql("c", operand)), operand };
  });
  const found = gains.map(({ operand }) => `b.keywords @@ $${operand}::tsquery`);
  const filter = filterSql(input, "k.id", values);
  // The id stands in the statement's text: Postgres can only see from the value that few chunks are
  // newer. A plan for any value reads the whole table.
  const newer = input.after === undefined ? "" : ` AND id > ${Math.trunc(input.after)}`;
  const { rows } = await sql.executeSql<KeywordHit>(
    `SELECT b.id::text AS "chunkId", b.score, ARRAY[${found.join(", ")}] AS found
       FROM (
         SELECT c.id, c.keywords, ${sumOfConcepts(gains)} AS score
           FROM (
             SELECT id, keywords, ${normSql("length", "$1::float8")} AS norm
               FROM ${input.schema}.chunks_${input.generationId} AS k
              WHERE keywords @@ $3::tsquery${newer}${filter}
             OFFSET 0) AS c
          ORDER BY score DESC, c.id
          LIMIT $${values.push(input.limit)}) AS b
      ORDER BY b.score DESC, b.id`,
    values,
  );
  return rows;
}

/**
 * Returns the best of all chunks and counts the terms as it finds them. Used for a small index, and
 * for an index that is not counted or packed yet. Reads the table once, which also gives the number
 * and average length of chunks.
 */
async function scanAll(
  sql: SqlExecutor,
  input: KeywordSearchInput,
  terms: readonly KeywordTerm[],
): Promise<KeywordAnswer> {
  const values: unknown[] = [anyOf(terms), TF_THRESHOLDS];
  // A chunk without any of the terms skips the search for each single term.
  const frequencies = terms.map(
    ({ operand }, n) => `CASE WHEN c.matches THEN ${tfSql("c", values.push(operand))} ELSE 0 END AS tf${n}`,
  );
  const counts = terms.map((_, n) => `count(*) FILTER (WHERE tf${n} > 0) AS df${n}`);
  const dfs = sharedCounts(terms);
  const weights = terms.map(
    ({ weight }, n) => `${(K1 + 1) * weight} * ln(1 + (d.n - ${dfs[n]} + 0.5) / (${dfs[n]} + 0.5))::float8 AS w${n}`,
  );
  const gains = terms.map((term, n) => ({ concept: term.concept, sql: gainSql(`c.w${n}`, `c.tf${n}`) }));
  const { rows } = await sql.executeSql<KeywordHit & CollectionStats & { frequencies: number[] }>(
    `WITH read AS MATERIALIZED (
       SELECT c.id, c.source, c.fact_id, c.session_id, c.length, c.matches,
              ${frequencies.join(", ")}
         FROM (
           SELECT id, source, fact_id, session_id, length, keywords,
                  keywords @@ $1::tsquery AS matches
             FROM ${input.schema}.chunks_${input.generationId}${livingSql(input)}
           OFFSET 0) AS c
     ), weights AS MATERIALIZED (
       SELECT d.average_length, d.n::int AS chunks,
              ARRAY[${dfs.map((df) => `${df}::int`).join(", ")}] AS frequencies,
              ${weights.join(", ")}
         FROM (
           SELECT count(*) AS n, greatest(avg(length), 1)::float8 AS average_length,
                  ${counts.join(", ")}
             FROM read) AS d
     )
     SELECT c.id::text AS "chunkId", ${sumOfConcepts(gains)} AS score, c.chunks,
            c.average_length AS "averageLength", c.frequencies,
            ARRAY[${terms.map((_, n) => `c.tf${n} > 0`).join(", ")}] AS found
       FROM (
         SELECT *, ${normSql("length", "average_length")} AS norm
           FROM weights, read
          WHERE matches
         OFFSET 0) AS c
      WHERE true${filterSql(input, "c.id", values)}
      ORDER BY score DESC, c.id
      LIMIT $${values.push(input.limit)}`,
    values,
  );
  const [first] = rows;
  const hits = rows.map(({ chunkId, score, found }) => ({ chunkId, score, found }));
  if (!first) return NOTHING;
  const { chunks, averageLength } = first;
  const found = terms.map((term, n) => ({ ...term, df: first.frequencies[n] ?? 0 }));
  return { hits, counted: { terms: found, stats: { chunks, averageLength } } };
}

/**
 * Returns SQL for the number of chunks that have each term, by the rule of `resolveTerms`: all
 * spellings of one concept get the count of the most common one.
 */
function sharedCounts(terms: readonly KeywordTerm[]): string[] {
  const spellings = Map.groupBy(terms.keys(), (n) => terms[n]?.concept);
  return terms.map(({ concept, prefix }, n) => {
    const same = prefix ? [n] : (spellings.get(concept) ?? []).filter((other) => !terms[other]?.prefix);
    return same.length === 1 ? `d.df${n}` : `greatest(${same.map((other) => `d.df${other}`).join(", ")})`;
  });
}

/**
 * Returns a condition that leaves past facts out of the counts, if the search does not look for
 * past facts.
 */
function livingSql({ sources }: KeywordSearchInput): string {
  const isOfPast = !sources || sources.includes(SOURCE_NUMBER.pastFacts);
  return isOfPast ? "" : ` WHERE source <> ${SOURCE_NUMBER.pastFacts}`;
}

function tfSql(alias: string, operandParameter: number): string {
  return `width_bucket(ts_rank('{1,1,1,1}', ${alias}.keywords, $${operandParameter}::tsquery)::float8, $2::float8[])`;
}

/**
 * Returns SQL for a chunk's norm in numbers of type float8. When norms were of type `numeric` and
 * computed again for each use, they took a quarter of a scan's time. Callers put the SQL into a
 * subquery with OFFSET 0, which makes Postgres compute the norm once.
 */
function normSql(length: string, averageLength: string): string {
  return `${K1}::float8 * (${1 - B}::float8 + ${B}::float8 * ${length} / ${averageLength})`;
}

/**
 * Returns SQL for weight · tf / (tf + norm), written so that tf occurs once and is computed once.
 */
function gainSql(weight: string, tf: string): string {
  return `${weight} * (1 - c.norm / (c.norm + ${tf}))`;
}

/**
 * Returns SQL for the sum over concepts of the best gain among their spellings. Spellings of one
 * concept are alternatives: `café` must not count twice because it is also found as `cafe`.
 */
function sumOfConcepts(gains: readonly { concept: number; sql: string }[]): string {
  const concepts = Map.groupBy(gains, (gain) => gain.concept);
  return [...concepts.values()].map((same) => `greatest(${same.map((gain) => gain.sql).join(", ")})`).join(" + ");
}

function filterSql(
  input: Omit<KeywordSearchInput, "languages" | "query" | "after">,
  column: "c.id" | "k.id",
  values: unknown[],
): string {
  const sources = input.sources ? ` AND source = ANY($${values.push(input.sources)}::smallint[])` : "";
  const ids = input.chunkIds ? ` AND id = ANY($${values.push(input.chunkIds)}::bigint[])` : "";
  return `${sources}${ids}${passing(input, input.filter, column, values)}`;
}
