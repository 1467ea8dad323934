import type { SqlExecutor } from "../../database.ts";
import type { SchemaName } from "../space/schema-name.ts";
import { joinsWords, spellingsSql } from "./compounds.ts";

/** One thing a query asks for, in alternative spellings (search/words/analyze.ts). */
export interface KeywordConcept {
  /** Spellings that the language stems. */
  readonly words: readonly string[];
  /** Spellings that are lexemes as they are. */
  readonly exact: readonly string[];
  /** What its score is multiplied by, at most 1. */
  readonly weight: number;
}

export interface KeywordTerm {
  /** Number of the concept this is a spelling of. */
  concept: number;
  lexeme: string;
  /** It stands for every lexeme that begins so. */
  prefix: boolean;
  /** What it matches, as text of a tsquery. */
  operand: string;
  /** Its concept's weight. */
  weight: number;
  /** Chunks that it matches; 0 when unknown. */
  df: number;
  /** For a prefix, the length of the posting lists of all lexemes that begin so; infinite when the lexemes are too many to count. */
  postings?: number;
  /** Part of a name, or of a text that is written without spaces; not a word. */
  isPart: boolean;
}

export interface CollectionStats {
  chunks: number;
  averageLength: number;
}

/** What a query is read in. */
export interface QueryLanguages {
  /** The text search configurations that chunks are stemmed in: a word is looked for by its stem in each. */
  readonly languages: readonly string[];
  /** Whether the index's counts are left aside: they are of more than may be known of it. */
  uncounted?: boolean;
  /** The question's own, if it is one of these: its stop words are none of the question's, and it alone says how words are joined. */
  readonly asked: string | undefined;
}

/** A query's terms as they are counted in the index. */
export interface CountedTerms {
  terms: readonly KeywordTerm[];
  stats: CollectionStats;
}

export interface ResolvedTerms {
  /** Rarest first. */
  terms: KeywordTerm[];
  /** undefined: the index is small or not counted yet, and is counted as it is searched. */
  stats: CollectionStats | undefined;
}

/**
 * Up to this many chunks counting live is cheap, and always right. Among 500 a search by keyword took 2.4 ms so, 0.7 by posting
 * lists that the process remembers, 1.1 by others.
 */
export const MAX_LIVE_CHUNKS = 500;
/** Of longer queries so many terms count: the rarest that the index is known to have, and new ones. */
const MAX_TERMS = 64;
/** Chunks newer than the counts may have words that these do not know. */
const NEW_TERMS = 16;
/** A word says more than a longer one that begins or ends with it. 0.7 to 1 rank alike; below, parts of words go under. */
const PART_WEIGHT = 0.75;
/** How many lexemes with the same beginning are counted. Two in three terms of a German question are such beginnings. */
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

/** From a query's words to its lexemes, with what is known about how common they are, in one round trip. */
export async function resolveTerms(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number },
  { languages, asked, uncounted = false }: QueryLanguages,
  concepts: readonly KeywordConcept[],
): Promise<ResolvedTerms> {
  // A stop word that is asked for in one spelling and language has no stem anyway.
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

/** Whether an index has counts to search by: those from when it was small say nothing about one that has grown since. */
export function isCounted(statsChunks: number | null): boolean {
  return statsChunks !== null && statsChunks > MAX_LIVE_CHUNKS;
}

/**
 * What no count knows seems the rarest of all: the 72 pieces of twelve UUIDs in a question left none of its words. Of these, words
 * come before pieces of identifiers, which mostly have digits, and before parts of words.
 *
 * @param rows by how many chunks have them
 */
function mostTelling(rows: readonly TermRow[]): readonly TermRow[] {
  if (rows.length <= MAX_TERMS) return rows;
  const isNew = ({ df }: TermRow) => df === 0;
  const uncounted = rows.filter(isNew);
  const known = rows.filter((row) => !isNew(row)).slice(0, MAX_TERMS - Math.min(NEW_TERMS, uncounted.length));
  const rank = ({ prefix, lexeme }: TermRow) => (prefix ? 2 : 0) + (/\d/.test(lexeme) ? 1 : 0);
  return [...uncounted.toSorted((a, b) => rank(a) - rank(b)).slice(0, MAX_TERMS - known.length), ...known];
}

/** In the order of the question, as if nothing was counted. */
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
 * A lexeme that two concepts share counts once, for the first. Spellings of one concept are as common as the commonest: it is the
 * same word, and a text that was taken for another language has a stem that no other has.
 */
function termsSql({ schema, generationId }: { schema: SchemaName; generationId: number }, joins: boolean): string {
  const known = `FROM ${schema}.lexemes AS x WHERE x.generation_id = ${generationId} AND`;
  const exactly = `(SELECT x.df ${known} x.lexeme = s.lexeme)`;
  // The lexemes are in the order of their bytes, and nothing comes after the last character there is.
  const within = `(SELECT CASE WHEN count(*) = ${MAX_SPELLINGS} THEN 'Infinity'::float8 ELSE sum(y.df) END
             FROM (SELECT x.df ${known} x.lexeme >= s.lexeme AND x.lexeme < s.lexeme || chr(1114111) LIMIT ${MAX_SPELLINGS}) AS y)`;
  const counted = joins ? `CASE WHEN s.prefix THEN ${within} ELSE ${exactly} END` : exactly;
  return `SELECT concept, lexeme, prefix, postings, "statsChunks", "statsLength",
       CASE WHEN prefix THEN least(postings, "statsChunks", ${2 ** 31 - 1})
            ELSE max(postings) FILTER (WHERE NOT prefix) OVER (PARTITION BY concept) END::int AS df
  FROM (SELECT t.concept, s.lexeme, s.prefix, coalesce(${counted}, 0)::float8 AS postings,
       g.stats_chunk_count AS "statsChunks", g.stats_total_length AS "statsLength"
  FROM (
    SELECT lexeme COLLATE "C" AS lexeme, min(concept) AS concept, bool_or(joins) AS joins
      FROM (
        SELECT l.lexeme, w.concept, ${joins ? "r.language = ANY($8::text[])" : "false"} AS joins
          FROM unnest($1::text[], $2::int[], $3::text[]) AS w (word, concept, head), unnest($6::text[]) AS r (language),
               unnest(to_tsvector(r.language::regconfig, w.word)) AS l
         WHERE (to_tsvector($7::text::regconfig, w.head) = ''::tsvector) IS NOT TRUE
        UNION ALL
        SELECT e.lexeme, e.concept, false FROM unnest($4::text[], $5::int[]) AS e (lexeme, concept)
      ) AS spellings
     GROUP BY 1
  ) AS t
  CROSS JOIN LATERAL ${joins ? spellingsSql("t.lexeme", "t.joins") : "(SELECT t.lexeme, false AS prefix)"} AS s
  LEFT JOIN ${schema}.generations AS g ON g.id = ${generationId}) AS found
 ORDER BY df, concept, prefix, lexeme`;
}

function toStats(chunks: number, totalLength: number): CollectionStats {
  return { chunks, averageLength: Math.max(1, totalLength / Math.max(1, chunks)) };
}

/** A lexeme as an operand of tsquery text: nothing in it is an operator. */
function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
