import type { SqlExecutor } from "../database.ts";
import { B, fullGain, idf, K1, type KeywordHit, mergeHits, TF_THRESHOLDS } from "./bm25.ts";
import { type CandidateSet, chooseCandidates } from "./keyword-candidates.ts";
import { listSegments, type SegmentCache } from "./keyword-segments.ts";
import {
  type CollectionStats,
  type CountedTerms,
  countTerms,
  type KeywordConcept,
  type KeywordTerm,
  resolveTerms,
} from "./keyword-terms.ts";
import type { SchemaName } from "./schema-name.ts";
import { passing, type SearchFilter } from "./search-filter.ts";
import { loadAll, scoresInSegments, searchSegments } from "./search-segments.ts";

export interface KeywordSearchInput {
  schema: SchemaName;
  generationId: number;
  /** Postgres text-search configuration the chunks were indexed with. */
  language: string;
  query: { readonly concepts: readonly KeywordConcept[] };
  limit: number;
  /** About how many chunks may be scored; by default it depends on the number of terms. */
  budget?: number;
  /** Only chunks of these sources (SOURCE_NUMBER). */
  sources?: readonly number[];
  filter?: SearchFilter | undefined;
  /** Only these chunks: to learn their scores. */
  chunkIds?: readonly string[];
  /** Only chunks with greater ids. */
  after?: number;
  /** What is known of segments; without it every search reads keyword vectors. */
  cache?: SegmentCache;
  /** The caller finds out which hits still exist, and tells by `noteDeleted`. */
  unchecked?: boolean;
}

export interface KeywordAnswer {
  hits: KeywordHit[];
  /** What the scores were computed from; undefined when nothing was found. */
  counted: CountedTerms | undefined;
}

const NOTHING: KeywordAnswer = { hits: [], counted: undefined };

/**
 * How many chunks a search scores: so many that reading a chunk (as costly as four terms) and its terms stays under 50 ms.
 * Measured at 100,000 chunks and six terms: 3 µs a chunk with its vector in line, 10 µs with it in the TOAST table.
 */
const BUDGET_OF_WORK = 100_000;
const MIN_BUDGET = 2000;
/** As many chunks as nobody has. */
const EVERY_MATCH = 1_000_000_000;

/**
 * The chunks that score best by BM25 for any of the query's terms, best first, ties by id. A query of stop words alone
 * finds nothing. Exact while the document frequencies of all terms stay within the budget.
 */
export async function keywordCandidates(sql: SqlExecutor, input: KeywordSearchInput): Promise<KeywordAnswer> {
  const { cache } = input.filter?.chunkIds ? {} : input;
  const [{ terms, isSmall, stats }, listed] = await Promise.all([
    resolveTerms(sql, input, input.query.concepts),
    cache && listSegments(sql, input),
  ]);
  if (terms.length === 0) return NOTHING;
  if (isSmall) return scoreSmall(sql, input, terms);
  if (stats && cache && listed) {
    const counted = { terms, stats };
    const newer = (after: number) => scoreNewer(sql, { ...input, after }, counted);
    const found = await searchSegments(sql, { ...input, ...listed, cache }, counted, newer);
    if (found) return { hits: found.hits, counted: { ...counted, segments: found.segments } };
  }
  const counted = stats ? { terms, stats } : await countTerms(sql, input, terms);
  if (input.filter?.chunkIds) return scoreFew(sql, input, counted, input.filter.chunkIds);
  // Each of few facts that has a word is scored, or a question of words that are common elsewhere would find none.
  const budget = input.filter?.facts?.few ? EVERY_MATCH : (input.budget ?? defaultBudget(terms.length));
  const choice = chooseCandidates(counted.terms, counted.stats.chunks, budget);
  let hits = await scoreCandidates(sql, input, counted, choice.sets);
  // The terms meet in fewer chunks than by chance, or there is one term and it is common.
  if (hits.length < input.limit && choice.leftOut)
    hits = mergeHits(hits, await scoreCandidates(sql, input, counted, [choice.leftOut]), input.limit);
  return { hits, counted };
}

/** Scoring so many by their keyword vectors takes a few milliseconds. */
const FEW_CHUNKS = 300;

/** The best of the chunks that pass a filter that few pass. */
async function scoreFew(
  sql: SqlExecutor,
  input: KeywordSearchInput,
  counted: CountedTerms,
  chunkIds: readonly string[],
): Promise<KeywordAnswer> {
  // Fewer are read sooner than the posting lists of all segments, which the process may not have.
  const many = chunkIds.length > FEW_CHUNKS && input.cache;
  const segments = many ? await loadAll(sql, { ...input, cache: many }, counted) : undefined;
  const known = segments ? { ...counted, segments } : counted;
  const { schema, generationId } = input;
  const hits = await keywordScores(sql, { schema, generationId }, known, chunkIds);
  return { hits: mergeHits(hits, [], input.limit), counted: known };
}

/** The scores of given chunks by terms that a search has counted; those that have none of them are left out. */
export async function keywordScores(
  sql: SqlExecutor,
  index: Pick<KeywordSearchInput, "schema" | "generationId" | "filter">,
  counted: CountedTerms,
  chunkIds: readonly string[],
): Promise<KeywordHit[]> {
  const { segments = [] } = counted;
  const last = segments.at(-1)?.lastChunk ?? 0;
  const packed = index.filter ? [] : chunkIds.filter((id) => Number(id) <= last);
  const others = index.filter ? chunkIds : chunkIds.filter((id) => Number(id) > last);
  const hits = await scoresInSegments(counted, segments, packed);
  if (others.length === 0) return hits;
  const any = { query: anyOf(counted.terms), maxChunks: others.length };
  return [
    ...hits,
    ...(await scoreCandidates(sql, { ...index, limit: others.length, chunkIds: others }, counted, [any])),
  ];
}

/** The best of the few chunks that no segment has yet. */
function scoreNewer(sql: SqlExecutor, input: KeywordSearchInput, counted: CountedTerms): Promise<KeywordHit[]> {
  return scoreCandidates(sql, input, counted, [{ query: anyOf(counted.terms), maxChunks: EVERY_MATCH }]);
}

/** What any of the terms matches, as text of a tsquery. */
function anyOf(terms: readonly KeywordTerm[]): string {
  return terms.map((term) => term.operand).join(" | ");
}

/**
 * How common each term is, as a share of the chunks, and what finding it is worth.
 *
 * @param hits some that the terms were found in. Counts are refreshed when a tenth of the chunks has changed: until then they say of
 *   a new word that no chunk has it
 */
export function termRarities(
  { terms, stats }: CountedTerms,
  hits: readonly KeywordHit[] = [],
): { concept: number; share: number; idf: number }[] {
  return terms.map(({ concept, weight, df }, at) => ({
    concept,
    share: Math.min(1, Math.max(df, hits.filter(({ found }) => found[at]).length) / Math.max(1, stats.chunks)),
    idf: weight * idf(df, stats.chunks),
  }));
}

function defaultBudget(terms: number): number {
  return Math.max(MIN_BUDGET, Math.floor(BUDGET_OF_WORK / (terms + 4)));
}

/** With counts at hand: one expression per term, so that Postgres plans constants instead of joining terms to chunks. */
async function scoreCandidates(
  sql: SqlExecutor,
  input: Omit<KeywordSearchInput, "language" | "query">,
  counted: CountedTerms,
  sets: readonly CandidateSet[],
): Promise<KeywordHit[]> {
  if (sets.length === 0) return [];
  const { averageLength } = counted.stats;
  const values: unknown[] = [averageLength, TF_THRESHOLDS];
  const gains = counted.terms.map((term) => {
    const operand = values.push(term.operand);
    const weight = values.push(fullGain(term, counted.stats.chunks));
    return { concept: term.concept, sql: gainSql(`$${weight}::float8`, tfSql("c", operand)), operand };
  });
  const found = gains.map(({ operand }) => `b.keywords @@ $${operand}::tsquery`);
  const filter = filterSql(input, "k.id", values);
  const all = `${input.schema}.chunks_${input.generationId}`;
  // OFFSET 0: the few new ones are read and compared; the index of keywords has all chunks of a common word. That they are few
  // is known only of a value that stands there: a plan for any value reads the whole table.
  const chunks =
    input.after === undefined ? all : `(SELECT * FROM ${all} WHERE id > ${Math.trunc(input.after)} OFFSET 0)`;
  const selects = sets.map(
    ({ query, maxChunks }) => `(SELECT id, keywords, ${normSql("length", "$1::float8")} AS norm
         FROM ${chunks} AS k
        WHERE keywords @@ $${values.push(query)}::tsquery${filter} LIMIT $${values.push(maxChunks)})`,
  );
  const { rows } = await sql.executeSql<KeywordHit>(
    `SELECT b.id::text AS "chunkId", b.score, ARRAY[${found.join(", ")}] AS found
       FROM (SELECT c.id, c.keywords, ${sumOfConcepts(gains)} AS score
               FROM (${selects.join(" UNION ALL ")}) AS c
              ORDER BY score DESC, c.id LIMIT $${values.push(input.limit)}) AS b
      ORDER BY b.score DESC, b.id`,
    values,
  );
  return rows;
}

/** A small index is counted by the statement that searches it: the matches of each term are among the candidates. */
async function scoreSmall(
  sql: SqlExecutor,
  input: KeywordSearchInput,
  terms: readonly KeywordTerm[],
): Promise<KeywordAnswer> {
  const chunks = `${input.schema}.chunks_${input.generationId}`;
  const operands = terms.map((term) => term.operand);
  const values: unknown[] = [anyOf(terms), TF_THRESHOLDS];
  const frequencies = operands.map((operand, n) => `${tfSql("c", values.push(operand))} AS tf${n}`);
  const counts = terms.map((_, n) => `count(*) FILTER (WHERE tf${n} > 0) AS df${n}`);
  const weights = terms.map(
    ({ weight }, n) => `${(K1 + 1) * weight} * ln(1 + (a.n - d.df${n} + 0.5) / (d.df${n} + 0.5))::float8 AS w${n}`,
  );
  const gains = terms.map((term, n) => ({ concept: term.concept, sql: gainSql(`w.w${n}`, `c.tf${n}`) }));
  const { rows } = await sql.executeSql<KeywordHit & CollectionStats & { frequencies: number[] }>(
    `WITH found AS MATERIALIZED (
       SELECT c.id, c.source, c.fact_id, c.length, ${frequencies.join(", ")} FROM ${chunks} AS c WHERE c.keywords @@ $1::tsquery
     ), totals AS (
       SELECT count(*) AS n, greatest(avg(length), 1)::float8 AS average_length FROM ${chunks}
     ), weights AS MATERIALIZED (
       SELECT a.average_length, a.n::int AS chunks, ARRAY[${terms.map((_, n) => `d.df${n}::int`).join(", ")}] AS frequencies,
              ${weights.join(", ")} FROM totals AS a, (SELECT ${counts.join(", ")} FROM found) AS d
     )
     SELECT c.id::text AS "chunkId", ${sumOfConcepts(gains)} AS score, w.chunks, w.average_length AS "averageLength", w.frequencies,
            ARRAY[${terms.map((_, n) => `c.tf${n} > 0`).join(", ")}] AS found
       FROM weights AS w, (SELECT *, ${normSql("length", "(SELECT average_length FROM weights)")} AS norm FROM found) AS c
      WHERE true${filterSql(input, "c.id", values)}
      ORDER BY score DESC, c.id LIMIT $${values.push(input.limit)}`,
    values,
  );
  const [first] = rows;
  const hits = rows.map(({ chunkId, score, found }) => ({ chunkId, score, found }));
  if (!first) return NOTHING;
  const { chunks: indexed, averageLength } = first;
  const found = terms.map((term, n) => ({ ...term, df: first.frequencies[n] ?? 0 }));
  return { hits, counted: { terms: found, stats: { chunks: indexed, averageLength } } };
}

function tfSql(alias: string, operandParameter: number): string {
  return `width_bucket(ts_rank('{1,1,1,1}', ${alias}.keywords, $${operandParameter}::tsquery)::float8, $2::float8[])`;
}

function normSql(length: string, averageLength: string): string {
  return `${K1} * (${1 - B} + ${B} * ${length} / ${averageLength})`;
}

/** weight · tf / (tf + norm), written so that tf occurs once and is computed once. */
function gainSql(weight: string, tf: string): string {
  return `${weight} * (1 - c.norm / (c.norm + ${tf}))`;
}

/** Spellings of one concept are alternatives: `café` must not count twice because it is also found as `cafe`. */
function sumOfConcepts(gains: readonly { concept: number; sql: string }[]): string {
  const concepts = Map.groupBy(gains, (gain) => gain.concept);
  return [...concepts.values()].map((same) => `greatest(${same.map((gain) => gain.sql).join(", ")})`).join(" + ");
}

function filterSql(
  input: Omit<KeywordSearchInput, "language" | "query" | "after">,
  column: "c.id" | "k.id",
  values: unknown[],
): string {
  const sources = input.sources ? ` AND source = ANY($${values.push(input.sources)}::smallint[])` : "";
  const ids = input.chunkIds ? ` AND id = ANY($${values.push(input.chunkIds)}::bigint[])` : "";
  return `${sources}${ids}${passing(input, input.filter, column, values)}`;
}
