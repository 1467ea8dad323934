import type { SqlExecutor } from "../../database.ts";
import { encodeVectors } from "../../vector-codec.ts";
import { shelvePastFacts } from "../facts/past-facts.ts";
import { joinsWords, joinsWordsSql, reversedStemsSql } from "../keyword/compounds.ts";
import { vectorType } from "../schema/generation-tables.ts";
import type { Generation } from "../schema/generations.ts";
import type { SchemaName } from "../schema/schema-name.ts";
import { SOURCE_NUMBER } from "../schema/source-number.ts";
import { type ChunkOwner, type ChunkPlace, placeValues } from "./chunks.ts";

export interface ChunkWrite extends ChunkPlace {
  owner: ChunkOwner;
  heading: string;
  text: string;
  hash: string;
  /**
   * The words for `to_tsvector`, and further lexemes as tsvector text: see relevance/words/analyze.ts.
   */
  words: string;
  terms: string;
  /**
   * The text search configuration of its text. The generation's own configuration is used if this
   * is missing or if the generation does not follow its texts.
   */
  language?: string;
}

/** The settings that decide how a generation's chunks are stemmed. */
type Stemming = Pick<Generation, "language" | "followsText">;

/**
 * Returns a FROM item with the column `keywords`, made from `n.words` and `n.terms`, and from
 * `n.language` if the generation follows its texts. OFFSET 0 makes Postgres compute it once.
 */
function keywordsSql({ language, followsText }: Stemming, languageParameter: string): string {
  const reversed = `coalesce(${reversedStemsSql("w.stems")}, '')`;
  const ofOne = joinsWords(language) ? ` || ${reversed}` : "";
  const parts = followsText ? ` || CASE WHEN ${joinsWordsSql("n.language")} THEN ${reversed} ELSE '' END` : ofOne;
  const configuration = `${followsText ? "n.language" : languageParameter}::regconfig`;
  return `LATERAL (SELECT w.stems || n.terms::tsvector${parts} AS keywords
                     FROM (SELECT to_tsvector(${configuration}, n.words) AS stems OFFSET 0) AS w OFFSET 0)`;
}

/**
 * Inserts chunks with their keyword vectors. If the generation has vectors, also inserts a vector
 * row for each chunk; its embedding is NULL if it is still to be made. `length` is the number of
 * positions in the keyword vector, which is BM25's document length. It is computed from the binary
 * form, where a position has two bytes: unnesting 260 lexemes takes 60 µs, this 14 µs.
 *
 * @param embeddings the embeddings at hand, by hash
 */
export async function insertChunks(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: Stemming & Pick<Generation, "id" | "languages" | "dimensions" | "halfVectors">,
  chunks: readonly ChunkWrite[],
  embeddings: ReadonlyMap<string, Float32Array>,
): Promise<void> {
  const factIds = chunks.flatMap(({ owner }) => ("factId" in owner ? [owner.factId] : []));
  for (const part of partsOf(chunks)) await insertPart(sql, schema, generation, part, embeddings);
  // A fact may already have ended when it is indexed: in an index that is being built, or from an
  // archive.
  await shelvePastFacts(sql, schema, generation, factIds);
  await noteLanguages(sql, schema, generation, chunks);
}

/**
 * The most characters of one statement. Serialising the parameters of a larger one would block the
 * event loop, and PGlite blocks it while it runs a statement.
 */
const MAX_STATEMENT_CHARS = 200_000;

/** Splits the chunks into one group per statement, in their order. */
function partsOf(chunks: readonly ChunkWrite[]): ChunkWrite[][] {
  const parts: ChunkWrite[][] = [];
  let room = 0;
  for (const chunk of chunks) {
    const size = chunk.heading.length + chunk.text.length + chunk.words.length + chunk.terms.length;
    if (size > room || parts.length === 0) {
      parts.push([]);
      room = MAX_STATEMENT_CHARS;
    }
    parts.at(-1)?.push(chunk);
    room -= size;
  }
  return parts;
}

async function insertPart(
  sql: SqlExecutor,
  schema: SchemaName,
  generation: Stemming & Pick<Generation, "id" | "languages" | "dimensions" | "halfVectors">,
  chunks: readonly ChunkWrite[],
  embeddings: ReadonlyMap<string, Float32Array>,
): Promise<void> {
  const { dimensions, followsText } = generation;
  const language = followsText ? ", language" : "";
  const insert = `INSERT INTO ${schema}.chunks_${generation.id} (
      file_id, session_id, fact_id, source, ordinal, start_line, end_line, first_message, last_message,
      heading, text, hash, length, keywords${language})
    SELECT n.file_id, n.session_id, n.fact_id, n.source, n.ordinal, n.start_line, n.end_line,
           n.first_message, n.last_message, n.heading, n.text, n.hash,
           (octet_length(tsvectorsend(k.keywords))
             - octet_length(tsvectorsend(strip(k.keywords)))) / 2,
           k.keywords${followsText ? ", n.language" : ""}
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::int[], $6::int[],
                  $7::int[], $8::int[], $9::int[], $10::text[], $11::text[], $12::text[],
                  $13::text[], $14::text[]${followsText ? ", $15::text[]" : ""})
        AS n (file_id, session_id, fact_id, source, ordinal, start_line, end_line, first_message,
              last_message, heading, text, hash, words, terms${language}),
           ${keywordsSql(generation, "$15")} AS k`;
  const values = valuesOf(generation, chunks);
  const withVectors = `WITH inserted AS (${insert} RETURNING id, hash, source)
    INSERT INTO ${schema}.vectors_${generation.id} (chunk_id, source, embedding)
    SELECT i.id, i.source, e.embedding::${vectorType(generation)}
      FROM inserted AS i
      LEFT JOIN unnest($16::text[], $17::vector[]) AS e (hash, embedding) ON e.hash = i.hash`;
  if (dimensions === null) return void (await sql.executeSql(insert, values, { prepare: true }));
  const known = [...new Set(chunks.map(({ hash }) => hash))].filter((hash) => embeddings.has(hash));
  const vectors = [known, encodeVectors(known.flatMap((hash) => embeddings.get(hash) ?? []))] as const;
  if (!sql.isCluster) return void (await sql.executeSql(withVectors, [...values, ...vectors], { prepare: true }));
  // Citus broadcasts the result of a CTE to every worker, so one statement for both tables would
  // fail if any worker is down. The cast must be explicit: Citus cannot deparse an implicit cast
  // from vector to halfvec inside a distributed INSERT … SELECT (XX000, "unexpected null value in
  // cached tuple").
  const { rows } = await sql.executeSql<{ id: string; hash: string; source: number }>(
    `${insert} RETURNING id::text AS id, hash, source`,
    values,
  );
  await sql.executeSql(
    `INSERT INTO ${schema}.vectors_${generation.id} (chunk_id, source, embedding)
     SELECT i.id, i.source, e.embedding::${vectorType(generation)}
       FROM unnest($1::bigint[], $2::smallint[], $3::text[]) AS i (id, source, hash)
       LEFT JOIN unnest($4::text[], $5::vector[]) AS e (hash, embedding) ON e.hash = i.hash`,
    [rows.map(({ id }) => id), rows.map(({ source }) => source), rows.map(({ hash }) => hash), ...vectors],
  );
}

/** Returns the parameters that every insert has, in the order of the columns. */
function valuesOf({ language, followsText }: Stemming, chunks: readonly ChunkWrite[]): unknown[] {
  return [
    chunks.map(({ owner }) => ("fileId" in owner ? owner.fileId : null)),
    chunks.map(({ owner }) => ("sessionId" in owner ? owner.sessionId : null)),
    chunks.map(({ owner }) => ("factId" in owner ? owner.factId : null)),
    chunks.map(({ owner }) => sourceOf(owner)),
    ...placeValues(chunks),
    chunks.map((chunk) => chunk.heading),
    chunks.map((chunk) => chunk.text),
    chunks.map((chunk) => chunk.hash),
    chunks.map((chunk) => chunk.words),
    chunks.map((chunk) => chunk.terms),
    followsText ? chunks.map((chunk) => chunk.language ?? language) : language,
  ];
}

/**
 * Records the languages of chunks that the index had no chunks in before, in the transaction that
 * stores the chunks, so that the next search uses these languages too. The languages are inserted
 * in sorted order because two transactions may record the same ones. No row is locked for a
 * language that is recorded already.
 */
async function noteLanguages(
  sql: SqlExecutor,
  schema: SchemaName,
  { id, language, followsText, languages }: Stemming & Pick<Generation, "id" | "languages">,
  chunks: readonly ChunkWrite[],
): Promise<void> {
  const used = followsText ? new Set(chunks.map((chunk) => chunk.language ?? language)) : new Set<string>();
  const fresh = [...used].filter((one) => !languages.includes(one)).sort();
  if (fresh.length === 0) return;
  await sql.executeSql(
    `INSERT INTO ${schema}.languages (generation_id, language)
     SELECT $1, l
       FROM unnest($2::text[]) AS l
     ON CONFLICT DO NOTHING`,
    [id, fresh],
  );
}

function sourceOf(owner: ChunkOwner): number {
  if ("fileId" in owner) return SOURCE_NUMBER.memory;
  return "sessionId" in owner ? SOURCE_NUMBER.sessions : SOURCE_NUMBER.facts;
}
