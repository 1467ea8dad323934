import { type KeywordAnswer, keywordCandidates, keywordScores } from "../../src/db/agent/candidates/keyword-search.ts";
import { insertChunks } from "../../src/db/agent/chunks/insert-chunks.ts";
import type { SearchFilter } from "../../src/db/agent/chunks/search-filter.ts";
import type { KeywordHit } from "../../src/db/agent/keyword/bm25.ts";
import { refreshLexemeStats } from "../../src/db/agent/keyword/lexeme-stats.ts";
import { type AgentSpace, withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../src/db/agent/schema/generation-tables.ts";
import {
  activeGeneration,
  type Generation,
  searchedLanguages,
  textLanguages,
} from "../../src/db/agent/schema/generations.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { planSegments, settledChunk } from "../../src/db/agent/segments/pack-segments.ts";
import type { SegmentCache } from "../../src/db/agent/segments/segments.ts";
import type { Database, Row, SqlExecutor } from "../../src/db/database.ts";
import { loadAgentMigrations } from "../../src/db/migrate/agent.ts";
import { analyzeDocument, analyzeQuery } from "../../src/relevance/words/analyze.ts";
import { languageOf, USUAL_LANGUAGE } from "../../src/relevance/words/text-language.ts";
import { pack } from "./pack.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const GENERATION = 1;
const BATCH = 1000;

export interface FindOptions {
  limit?: number;
  sources?: readonly number[];
  filter?: SearchFilter;
  /**
   * The cache of posting lists. Without it the keyword arm reads keyword vectors, and without a
   * filter it counts terms while it searches.
   */
  cache?: SegmentCache;
}

export interface KeywordAgent {
  /** Adds chunks; returns their ids. */
  add(texts: readonly string[]): Promise<string[]>;
  remove(ids: readonly string[]): Promise<void>;
  count(now?: Date): Promise<void>;
  /** Packs new chunks into segments; returns how many segments were made. */
  pack(): Promise<number>;
  find(query: string, options?: FindOptions): Promise<{ chunkId: string; score: number }[]>;
  /** Returns the whole answer of the keyword arm, for the same input as `find`. */
  ask(query: string, options?: FindOptions): Promise<KeywordAnswer>;
  /** Returns the result of `keywordScores` for given chunks and the terms of the query. */
  scores(query: string, chunkIds: readonly string[]): Promise<{ chunkId: string; score: number }[]>;
  /** Runs a statement as the agent's role; `$schema` stands for its schema. */
  query<R = Row>(text: string, values?: unknown[]): Promise<R[]>;
}

/**
 * Makes an agent with one generation and one file, whose chunks are written and found without the
 * rest of the service.
 *
 * @param language `auto`: each text's own language
 */
export async function createKeywordAgent(db: Database, name: string, language = "english"): Promise<KeywordAgent> {
  const agent: AgentSpace = { schema: schemaName(name), role: roleName(name) };
  const followsText = language === "auto";
  await createAgentRole(db, agent);
  await db.transaction(async (tx) => {
    await createAgentSchema(tx, agent, loadAgentMigrations());
    await createGenerationTables(tx, agent.schema, agent.role, {
      id: GENERATION,
      dimensions: null,
      halfVectors: false,
    });
  });
  const query = async <R = Row>(text: string, values: unknown[] = []) =>
    withAgentTransaction(db, agent, async (tx) => {
      const { rows } = await tx.executeSql<R>(text.replaceAll("$schema", agent.schema), values);
      return rows;
    });
  await query(
    `INSERT INTO $schema.generations (provider, model, chunk_tokens, chunk_overlap, language, follows_text, status, created_at)
     VALUES ('none', 'none', 400, 80, $1, $2, 'active', $3)`,
    [followsText ? USUAL_LANGUAGE : language, followsText, NOW],
  );
  const [file] = await query<{ id: string }>(
    `INSERT INTO $schema.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
     VALUES ('a.md', 'a.md', '', '', 0, 0, $1, $1, $1) RETURNING id`,
    [NOW],
  );
  const generationOf = async (tx: SqlExecutor) => (await activeGeneration(tx, agent.schema)) as Generation;
  const add = async (texts: readonly string[]) => {
    const ids: string[] = [];
    for (let at = 0; at < texts.length; at += BATCH) {
      const generation = await withAgentTransaction(db, agent, generationOf);
      const known = textLanguages(generation);
      const chunks = texts.slice(at, at + BATCH).map((text, ordinal) => ({
        owner: { fileId: file?.id ?? "" },
        ordinal,
        startLine: 1,
        endLine: 1,
        firstMessage: null,
        lastMessage: null,
        heading: "",
        text,
        hash: "",
        ...analyzeDocument(text),
        ...(known ? { language: languageOf(text, known) } : {}),
      }));
      await withAgentTransaction(db, agent, (tx) => insertChunks(tx, agent.schema, generation, chunks, new Map()));
      const newest = "SELECT id FROM $schema.chunks_1 ORDER BY id DESC LIMIT $1";
      ids.push(...(await query<{ id: string }>(newest, [chunks.length])).map((row) => row.id).reverse());
    }
    return ids;
  };
  const index = { schema: agent.schema, generationId: GENERATION };
  const ask = (text: string, options: FindOptions = {}) =>
    withAgentTransaction(db, agent, async (tx) => {
      const languages = searchedLanguages(await generationOf(tx));
      return keywordCandidates(tx, {
        ...index,
        languages,
        query: analyzeQuery(text, languages),
        limit: 10,
        ...options,
      });
    });
  const bare = (hits: readonly KeywordHit[]) => hits.map(({ chunkId, score }) => ({ chunkId, score }));
  return {
    add,
    query,
    ask,
    scores: async (text, chunkIds) => {
      const { counted } = await ask(text);
      if (!counted) return [];
      return bare(await withAgentTransaction(db, agent, (tx) => keywordScores(tx, index, counted, chunkIds)));
    },
    remove: async (ids) => void (await query("DELETE FROM $schema.chunks_1 WHERE id = ANY($1::bigint[])", [ids])),
    count: (now = NOW) =>
      withAgentTransaction(db, agent, async (tx) =>
        refreshLexemeStats(tx, { schema: agent.schema, generation: await generationOf(tx), now }),
      ),
    pack: async () => {
      const settled = await withAgentTransaction(db, agent, (tx) => settledChunk(tx, index));
      const plans = await withAgentTransaction(db, agent, (tx) => planSegments(tx, index, settled));
      for (const plan of plans) await withAgentTransaction(db, agent, (tx) => pack(tx, index, plan));
      return plans.length;
    },
    find: async (text, options) => bare((await ask(text, options)).hits),
  };
}
