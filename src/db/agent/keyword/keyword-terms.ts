import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { joinsWords, spellingsSql } from "./compounds.ts";

/** One concept of a query, in alternative spellings (relevance/words/analyze.ts). */
export interface KeywordConcept {
  /** Spellings that the language's configuration stems. */
  readonly words: readonly string[];
  /** Spellings that are used as lexemes without stemming. */
  readonly exact: readonly string[];
  /** The factor of the concept's score, at most 1. */
  readonly weight: number;
}

export interface KeywordTerm {
  /** The index of the concept that this term is a spelling of. */
  concept: number;
  lexeme: string;
  /** Whether the term matches every lexeme that begins with `lexeme`. */
  prefix: boolean;
  /** The text of a tsquery that matches the term. */
  operand: string;
  /** The weight of its concept. */
  weight: number;
  /** The number of chunks that the term matches; 0 when unknown. */
  df: number;
  /**
   * For a prefix, the total length of the posting lists of all lexemes that begin so; infinite when
   * the lexemes are too many to count.
   */
  postings?: number;
  /**
   * Whether the term is a part of a name, or of a text written without spaces, rather than a word.
   */
  isPart: boolean;
}

export interface CollectionStats {
  chunks: number;
  averageLength: number;
}

/** How a query's words are stemmed and counted. */
export interface QueryLanguages {
  /**
   * The text search configurations that chunks are stemmed in. Each word is searched by its stem in
   * each.
   */
  readonly languages: readonly string[];
  /**
   * Whether to ignore the index's counts because they cover more chunks than the reader may know
   * about.
   */
  uncounted?: boolean;
  /**
   * The question's own language if the index has it. Its stop words are dropped from the question,
   * and it alone decides whether words are joined to compounds.
   */
  readonly asked: string | undefined;
}

/** A query's terms with their counts in the index. */
export interface CountedTerms {
  terms: readonly KeywordTerm[];
  stats: CollectionStats;
}

export interface ResolvedTerms {
  /** The terms, rarest first. */
  terms: KeywordTerm[];
  /**
   * Undefined when the index is small or not counted yet; the search then counts the terms itself.
   */
  stats: CollectionStats | undefined;
}

/**
 * Up to this many chunks a search counts the terms itself, which is cheap and always right. With
 * 500 chunks a keyword search took 2.4 ms in this way, 0.7 ms with posting lists that the process
 * has cached, and 1.1 ms with posting lists that it has not.
 */
export const MAX_LIVE_CHUNKS = 500;
/**
 * The most terms of a query that are used: the rarest ones that have counts, and some that have
 * none.
 */
const MAX_TERMS = 64;
/** Room for terms without a count: chunks newer than the counts may have them. */
const NEW_TERMS = 16;
/**
 * The weight of a compound match relative to a whole word: a word says more than a longer word that
 * begins or ends with it. Weights from 0.7 to 1 rank alike; below 0.7, matches of word parts rank
 * too low.
 */
const PART_WEIGHT = 0.75;
/**
 * The most lexemes with the same beginning that are counted. Two in three terms of a German
 * question are such beginnings.
 */
const MAX_SPELLINGS = 10_000;

interface TermRow {
  concept: number;
  lexeme: string;
  prefix: boolean;
  df: number;
  postings: number;
  statsChunks: number | null;
  statsLength: string | null;
}

/** Turns a query's words into lexemes with their counts, in one round trip. */
export async function resolveTerms(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number },
  { languages, asked, uncounted = false }: QueryLanguages,
  concepts: readonly KeywordConcept[],
): Promise<ResolvedTerms> {
  // If a word has one spelling and the index one language, a stop word has no stem anyway.
  const headOf = ([head, other]: readonly string[]) => (other === undefined && languages.length === 1 ? null : head);
  const words = concepts.flatMap(({ words }, number) => words.map((word) => ({ number, word, head: headOf(words) })));
  const exact = concepts.flatMap((concept, number) => concept.exact.map((word) => ({ number, word })));
  if (words.length + exact.length === 0) return { terms: [], stats: undefined };
  const joining = (asked === undefined ? languages : [asked]).filter(joinsWords);
  const values: unknown[] = [
    words.map((word) => word.word),
    words.map((word) => word.number),
    words.map((word) => word.head),
    exact.map((word) => word.word),
    exact.map((word) => word.number),
    languages,
    asked ?? null,
  ];
  if (joining.length > 0) values.push(joining);
  const { rows } = await sql.executeSql<TermRow>(termsSql(index, joining.length > 0), values, { prepare: true });
  const [first] = rows;
  if (!first) return { terms: [], stats: undefined };
  if (uncounted) return { terms: mostTelling(inOrder(rows)).map((row) => toTerm(row, concepts)), stats: undefined };
  return {
    terms: mostTelling(rows).map((row) => toTerm(row, concepts)),
    stats: isCounted(first.statsChunks) ? toStats(Number(first.statsChunks), Number(first.statsLength)) : undefined,
  };
}

/**
 * Returns whether an index has counts that a search can use. The counts of a small index say
 * nothing about the same index after it has grown.
 */
export function isCounted(statsChunks: number | null): boolean {
  return statsChunks !== null && statsChunks > MAX_LIVE_CHUNKS;
}

/**
 * Returns the terms that say most. Terms without a count seem the rarest of all: in one question
 * the 72 pieces of twelve UUIDs displaced all of its words. Among terms without a count, words come
 * before pieces of identifiers, which mostly have digits, and before parts of words.
 *
 * @param rows in ascending order of the number of chunks that have them
 */
function mostTelling(rows: readonly TermRow[]): readonly TermRow[] {
  if (rows.length <= MAX_TERMS) return rows;
  const isNew = ({ df }: TermRow) => df === 0;
  const uncounted = rows.filter(isNew);
  const known = rows.filter((row) => !isNew(row)).slice(0, MAX_TERMS - Math.min(NEW_TERMS, uncounted.length));
  const rank = ({ prefix, lexeme }: TermRow) => (prefix ? 2 : 0) + (/\d/.test(lexeme) ? 1 : 0);
  return [...uncounted.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_TERMS - known.length), ...known];
}

/** Returns the terms in the order of the question, without their counts. */
function inOrder(rows: readonly TermRow[]): TermRow[] {
  const byPlace = (a: TermRow, b: TermRow) =>
    a.concept - b.concept || Number(a.prefix) - Number(b.prefix) || (a.lexeme < b.lexeme ? -1 : 1);
  return rows.map((row) => ({ ...row, df: 0, postings: 0 })).sort(byPlace);
}

function toTerm({ concept, lexeme, prefix, df, postings }: TermRow, concepts: readonly KeywordConcept[]): KeywordTerm {
  const { weight, words } = concepts[concept] ?? { weight: 1, words: [] };
  const term = { concept, lexeme, prefix, df, isPart: words.length === 0 };
  return prefix
    ? { ...term, postings, operand: `${quoteLexeme(lexeme)}:*`, weight: weight * PART_WEIGHT }
    : { ...term, operand: quoteLexeme(lexeme), weight };
}

/**
 * Returns the statement that resolves terms. A lexeme that two concepts share counts once, for the
 * first concept. All spellings of one concept get the count of the most common one, because they
 * are the same word. Otherwise a text whose language was detected wrongly would give the word a
 * rare stem.
 */
function termsSql({ schema, generationId }: { schema: SchemaName; generationId: number }, joins: boolean): string {
  const known = `FROM ${schema}.lexemes AS x WHERE x.generation_id = ${generationId} AND`;
  const exactly = `(SELECT x.df ${known} x.lexeme = s.lexeme)`;
  // Lexemes are sorted by their bytes, and U+10FFFF is the last character, so the range ends with
  // it.
  const within = `(SELECT CASE WHEN count(*) = ${MAX_SPELLINGS} THEN 'Infinity'::float8 ELSE sum(y.df) END
             FROM (
               SELECT x.df ${known} x.lexeme >= s.lexeme
                  AND x.lexeme < s.lexeme || chr(1114111)
                LIMIT ${MAX_SPELLINGS}) AS y)`;
  const counted = joins ? `CASE WHEN s.prefix THEN ${within} ELSE ${exactly} END` : exactly;
  return `SELECT concept, lexeme, prefix, postings, "statsChunks", "statsLength",
           CASE WHEN prefix THEN least(postings, "statsChunks", ${2 ** 31 - 1})
                ELSE max(postings) FILTER (WHERE NOT prefix) OVER (PARTITION BY concept) END::int
             AS df
      FROM (
        SELECT t.concept, s.lexeme, s.prefix, coalesce(${counted}, 0)::float8 AS postings,
               g.stats_chunk_count AS "statsChunks", g.stats_total_length AS "statsLength"
          FROM (
            SELECT lexeme COLLATE "C" AS lexeme, min(concept) AS concept, bool_or(joins) AS joins
              FROM (
                SELECT l.lexeme, w.concept,
                       ${joins ? "r.language = ANY($8::text[])" : "false"} AS joins
                  FROM unnest($1::text[], $2::int[], $3::text[]) AS w (word, concept, head),
                       unnest($6::text[]) AS r (language),
                       unnest(to_tsvector(r.language::regconfig, w.word)) AS l
                 WHERE (to_tsvector($7::text::regconfig, w.head) = ''::tsvector) IS NOT TRUE
                UNION ALL
                SELECT e.lexeme, e.concept, false
                  FROM unnest($4::text[], $5::int[]) AS e (lexeme, concept)) AS spellings
             GROUP BY 1) AS t
          CROSS JOIN LATERAL
              ${joins ? spellingsSql("t.lexeme", "t.joins") : "(SELECT t.lexeme, false AS prefix)"}
            AS s
          LEFT JOIN ${schema}.generations AS g ON g.id = ${generationId}) AS found
     ORDER BY df, concept, prefix, lexeme`;
}

function toStats(chunks: number, totalLength: number): CollectionStats {
  return { chunks, averageLength: Math.max(1, totalLength / Math.max(1, chunks)) };
}

/** Quotes a lexeme as an operand of tsquery text, so that nothing in it is read as an operator. */
function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
