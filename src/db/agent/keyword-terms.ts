import type { SqlExecutor } from "../database.ts";
import type { SchemaName } from "./schema-name.ts";

/** One thing a query asks for, in alternative spellings (search/analyze.ts). */
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
  /** Its concept's weight. */
  weight: number;
  /** Chunks that have the lexeme; 0 when unknown. */
  df: number;
}

export interface CollectionStats {
  chunks: number;
  averageLength: number;
}

export interface ResolvedTerms {
  /** Rarest first. */
  terms: KeywordTerm[];
  /** The whole index is so small that it is counted as it is searched. */
  isSmall: boolean;
  /** undefined: not counted yet. */
  stats: CollectionStats | undefined;
}

/** Up to this many chunks counting live is cheaper than looking counts up, and always right. */
const MAX_LIVE_CHUNKS = 2000;
/** Of longer queries the rarest terms count. */
const MAX_TERMS = 64;
/** Without statistics a term is counted up to here; beyond, its weight is small and nearly constant. */
const MAX_COUNTED = 20_000;

interface TermRow {
  concept: number;
  lexeme: string;
  df: number;
  statsChunks: number | null;
  statsLength: string | null;
  chunksSeen: number;
}

/** From a query's words to its lexemes, with what is known about how common they are, in one round trip. */
export async function resolveTerms(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number; language: string },
  concepts: readonly KeywordConcept[],
): Promise<ResolvedTerms> {
  const words = concepts.flatMap((concept, number) => concept.words.map((word) => ({ number, word })));
  const exact = concepts.flatMap((concept, number) => concept.exact.map((word) => ({ number, word })));
  if (words.length + exact.length === 0) return { terms: [], isSmall: true, stats: undefined };
  const { rows } = await sql.executeSql<TermRow>(termsSql(index.schema, index.generationId), [
    words.map((word) => word.word),
    words.map((word) => word.number),
    index.language,
    exact.map((word) => word.word),
    exact.map((word) => word.number),
  ]);
  const [first] = rows;
  if (!first) return { terms: [], isSmall: true, stats: undefined };
  const isSmall = first.chunksSeen <= MAX_LIVE_CHUNKS;
  // Counts from when the index was small say nothing about an index that has grown since.
  const isCounted = first.statsChunks !== null && first.statsChunks > MAX_LIVE_CHUNKS;
  return {
    terms: rows
      .map(({ concept, lexeme, df }) => ({ concept, lexeme, df, weight: concepts[concept]?.weight ?? 1 }))
      .slice(0, MAX_TERMS),
    isSmall,
    stats: isCounted ? toStats(Number(first.statsChunks), Number(first.statsLength)) : undefined,
  };
}

/** A lexeme that two concepts share counts once, for the first. */
function termsSql(schema: SchemaName, generationId: number): string {
  return `SELECT t.concept, t.lexeme, coalesce(x.df, 0) AS df,
       g.stats_chunk_count AS "statsChunks", g.stats_total_length AS "statsLength",
       (SELECT count(*)::int FROM (SELECT 1 FROM ${schema}.chunks_${generationId} LIMIT ${MAX_LIVE_CHUNKS + 1}) AS c) AS "chunksSeen"
  FROM (
    SELECT lexeme COLLATE "C" AS lexeme, min(concept) AS concept
      FROM (
        SELECT l.lexeme, w.concept
          FROM unnest($1::text[], $2::int[]) AS w (word, concept), unnest(to_tsvector($3::regconfig, w.word)) AS l
        UNION ALL
        SELECT e.lexeme, e.concept FROM unnest($4::text[], $5::int[]) AS e (lexeme, concept)
      ) AS spellings
     GROUP BY 1
  ) AS t
  LEFT JOIN ${schema}.generations AS g ON g.id = ${generationId}
  LEFT JOIN ${schema}.lexemes AS x ON x.generation_id = ${generationId} AND x.lexeme = t.lexeme
 ORDER BY df, t.concept, t.lexeme`;
}

/**
 * Counts what `resolveTerms` could not look up: between a large first sync and the job that counts it. Reads the heap for
 * every counted chunk, hence the bound.
 */
export async function countTerms(
  sql: SqlExecutor,
  index: { schema: SchemaName; generationId: number },
  terms: readonly KeywordTerm[],
): Promise<{ terms: KeywordTerm[]; stats: CollectionStats }> {
  const chunks = `${index.schema}.chunks_${index.generationId}`;
  const { rows } = await sql.executeSql<{ df: number; chunks: number; length: string }>(
    `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM ${chunks} AS c WHERE c.keywords @@ q.query LIMIT ${MAX_COUNTED}) AS m) AS df,
            s.chunks, s.length
       FROM unnest($1::text[]) WITH ORDINALITY AS t (text, number), LATERAL (SELECT t.text::tsquery AS query) AS q,
            (SELECT count(*)::int AS chunks, coalesce(sum(length), 0) AS length FROM ${chunks}) AS s
      ORDER BY t.number`,
    [terms.map((term) => quoteLexeme(term.lexeme))],
  );
  const counted = terms.map((term, index) => ({ ...term, df: rows[index]?.df ?? 0 })).sort((a, b) => a.df - b.df);
  return { terms: counted, stats: toStats(rows[0]?.chunks ?? 0, Number(rows[0]?.length ?? 0)) };
}

function toStats(chunks: number, totalLength: number): CollectionStats {
  return { chunks, averageLength: Math.max(1, totalLength / Math.max(1, chunks)) };
}

/** A lexeme as an operand of tsquery text: nothing in it is an operator. */
export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
