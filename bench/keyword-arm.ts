/**
 * Measures the keyword arm alone: quality (nDCG@10, recall@10) on data sets in the common form, and
 * latency on a large synthetic agent. The latency is measured with posting lists or, with --scan,
 * by reading all keyword vectors, as the service does before it packs them. DATABASE_URL chooses a
 * Postgres server; without it PGlite runs in memory. Drops and makes the schema keyword_bench;
 * leaves a role of that name.
 *
 *   node bench/keyword-arm.ts <data folder with <set>/corpus.jsonl, queries.jsonl, qrels.tsv>
 *     [set …]
 *   node bench/keyword-arm.ts <data folder> --latency 100000
 *     [--markdown <folder of .md files>] [--scan]
 *
 * --language <configuration> reads texts and questions with that language configuration of
 * Postgres. The default, `auto`, reads each text in its own language.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createYielder } from "../src/base/cooperative-yield.ts";
import { keywordCandidates } from "../src/db/agent/candidates/keyword-search.ts";
import { insertChunks } from "../src/db/agent/chunks/insert-chunks.ts";
import { refreshLexemeStats } from "../src/db/agent/keyword/lexeme-stats.ts";
import type { AgentSpace } from "../src/db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema } from "../src/db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../src/db/agent/schema/generation-tables.ts";
import {
  activeGeneration,
  type Generation,
  searchedLanguages,
  textLanguages,
} from "../src/db/agent/schema/generations.ts";
import { roleName, type SchemaName, schemaName } from "../src/db/agent/schema/schema-name.ts";
import { collectSegment, planSegments, storeSegment } from "../src/db/agent/segments/pack-segments.ts";
import { createSegmentCache } from "../src/db/agent/segments/segments.ts";
import type { Database, SqlExecutor } from "../src/db/database.ts";
import { loadAgentMigrations } from "../src/db/migrate/agent.ts";
import { openPostgres } from "../src/db/pg.ts";
import { openPglite } from "../src/db/pglite.ts";
import { analyzeDocument, analyzeQuery } from "../src/relevance/words/analyze.ts";
import { languageOf, USUAL_LANGUAGE } from "../src/relevance/words/text-language.ts";

interface Entry {
  id: string;
  title?: string;
  text: string;
  scope?: string;
}

const GENERATION = 1;
/** The languages of the index that was filled last. */
let languages: readonly string[] = [];
const BATCH = 500;

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    latency: { type: "string" },
    markdown: { type: "string" },
    scan: { type: "boolean", default: false },
    language: { type: "string", default: "auto" },
  },
});
const followsText = flags.language === "auto";
const language = followsText ? USUAL_LANGUAGE : flags.language;
const [folder, ...sets] = positionals;
if (folder === undefined) throw new Error("Name the data folder: node bench/keyword-arm.ts <data folder>");
// Large enough for everything, because the cost of reading posting lists is not measured.
const segments = flags.scan ? {} : { cache: createSegmentCache(1e9) };

const url = process.env.DATABASE_URL;
const db: Database =
  url === undefined
    ? await openPglite()
    : openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined });
// A connection looks up pgvector's types before its first statement.
await db.executeSql("CREATE EXTENSION IF NOT EXISTS vector");
try {
  if (flags.latency) await measureLatency(db, folder, Number(flags.latency));
  else
    for (const set of sets.length > 0 ? sets : readdirSync(folder))
      if (existsSync(join(folder, set, "qrels.tsv"))) await measureQuality(db, join(folder, set), set);
} finally {
  await db.close();
}

async function measureQuality(db: Database, path: string, set: string): Promise<void> {
  const corpus = Map.groupBy(readEntries(join(path, "corpus.jsonl")), (entry) => entry.scope ?? "");
  const queries = readEntries(join(path, "queries.jsonl"));
  const relevant = readJudgements(join(path, "qrels.tsv"));
  let ndcg = 0;
  let recall = 0;
  let asked = 0;
  const milliseconds: number[] = [];
  for (const [scope, documents] of corpus) {
    const schema = await fill(
      db,
      documents.map((entry) => (entry.title ? `${entry.title}\n${entry.text}` : entry.text)),
    );
    for (const query of queries) {
      const judged = relevant.get(query.id);
      if ((query.scope ?? "") !== scope || !judged) continue;
      const started = performance.now();
      const hits = await ask(db, schema, query.text);
      milliseconds.push(performance.now() - started);
      const found = hits.map((hit) => documents[Number(hit.chunkId) - 1]?.id ?? "");
      ndcg += ndcgAt10(found, judged);
      recall += found.filter((id) => (judged.get(id) ?? 0) > 0).length / judged.size;
      asked++;
    }
  }
  console.log(
    `${db.kind} ${set}: nDCG@10 ${(ndcg / asked).toFixed(4)} recall@10 ${(recall / asked).toFixed(4)} (${asked} queries) ${percentiles(milliseconds)}`,
  );
}

async function measureLatency(db: Database, folder: string, chunks: number): Promise<void> {
  const sentences = readSentences(folder, flags.markdown);
  const random = lcg(12_345);
  const schema = await fill(
    db,
    Array.from({ length: chunks }, () => resample(sentences, random)),
  );
  const { rows } = await db.executeSql<{ lexeme: string; df: number }>(
    `SELECT lexeme, df FROM ${schema}.lexemes WHERE lexeme ~ '^[a-z]{3,}$' ORDER BY df DESC LIMIT 1000`,
  );
  const common = rows.map((row) => row.lexeme);
  const questions = Array.from({ length: 200 }, () =>
    Array.from({ length: 6 }, () => common[Math.floor(random() * common.length)] ?? "").join(" "),
  );
  if (!flags.scan) for (const question of questions) await ask(db, schema, question, 24);
  const milliseconds: number[] = [];
  for (const question of questions) {
    const started = performance.now();
    await ask(db, schema, question, 24);
    milliseconds.push(performance.now() - started);
  }
  console.log(
    `${db.kind} ${chunks} chunks, 200 questions of six of the 1,000 most common words: ${percentiles(milliseconds)}`,
  );
}

async function ask(db: SqlExecutor, schema: SchemaName, text: string, limit = 10) {
  const query = analyzeQuery(text, languages);
  return (await keywordCandidates(db, { schema, generationId: GENERATION, languages, query, limit, ...segments })).hits;
}

async function generationOf(db: SqlExecutor, schema: SchemaName): Promise<Generation> {
  const generation = await activeGeneration(db, schema);
  if (!generation) throw new Error("The schema has no generation.");
  return generation;
}

async function fill(db: Database, texts: readonly string[]): Promise<SchemaName> {
  const agent: AgentSpace = { schema: schemaName("keyword_bench"), role: roleName("keyword_bench") };
  const { schema } = agent;
  const index = { schema, generationId: GENERATION };
  await db.executeSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await createAgentRole(db, agent);
  await createAgentSchema(db, agent, loadAgentMigrations());
  await createGenerationTables(db, schema, agent.role, { id: GENERATION, dimensions: null, halfVectors: false });
  await db.executeSql(
    `INSERT INTO ${schema}.generations (provider, model, chunk_tokens, chunk_overlap, language, follows_text, status, created_at)
     VALUES ('none', 'none', 400, 80, $1, $2, 'active', now())`,
    [language, followsText],
  );
  const { rows } = await db.executeSql<{ id: string }>(
    `INSERT INTO ${schema}.files (path, name, content, content_hash, size_bytes, line_count, mtime, created_at, updated_at)
     VALUES ('a.md', 'a.md', '', '', 0, 0, now(), now(), now()) RETURNING id`,
  );
  const place = { ordinal: 0, startLine: 1, endLine: 1, firstMessage: null, lastMessage: null, heading: "", hash: "" };
  const owner = { fileId: rows[0]?.id ?? "" };
  let started = performance.now();
  for (let at = 0; at < texts.length; at += BATCH) {
    const generation = await generationOf(db, schema);
    const chunks = texts.slice(at, at + BATCH).map((text) => ({
      owner,
      ...place,
      text,
      ...analyzeDocument(text),
      ...languageIn(generation, text),
    }));
    await insertChunks(db, schema, generation, chunks, new Map());
  }
  const inserted = performance.now() - started;
  started = performance.now();
  await refreshLexemeStats(db, { schema, generation: await generationOf(db, schema), now: new Date() });
  const counted = performance.now() - started;
  started = performance.now();
  for (const plan of await planSegments(db, index, texts.length)) {
    const collected = await collectSegment((read) => read(db), index, plan, createYielder());
    await db.transaction((tx) => storeSegment(tx, index, plan, collected));
  }
  const packed = performance.now() - started;
  languages = searchedLanguages(await generationOf(db, schema));
  await db.executeSql(`VACUUM ANALYZE ${schema}.chunks_${GENERATION}`);
  if (texts.length >= 5000)
    console.log(
      `${db.kind} ${texts.length} chunks: inserted in ${inserted.toFixed(0)} ms, counted in ${counted.toFixed(0)} ms, packed in ${packed.toFixed(0)} ms`,
    );
  return schema;
}

function languageIn(generation: Generation, text: string): { language?: string } {
  const known = textLanguages(generation);
  return known ? { language: languageOf(text, known) } : {};
}

function ndcgAt10(found: readonly string[], judged: ReadonlyMap<string, number>): number {
  const discounted = (gains: readonly number[]) =>
    gains.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0);
  const ideal = [...judged.values()].sort((a, b) => b - a);
  return discounted(found.map((id) => judged.get(id) ?? 0)) / discounted(ideal);
}

function readEntries(path: string): Entry[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
}

function readJudgements(path: string): Map<string, Map<string, number>> {
  const judgements = new Map<string, Map<string, number>>();
  for (const line of readFileSync(path, "utf8").trim().split("\n").slice(1)) {
    const [query = "", document = "", score = "0"] = line.split("\t");
    if (Number(score) <= 0) continue;
    const judged = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, judged.set(document, Number(score)));
  }
  return judgements;
}

/** Reads documents as lists of sentences. */
function readSentences(folder: string, markdown: string | undefined): string[][] {
  const texts = readdirSync(folder)
    .map((set) => join(folder, set, "corpus.jsonl"))
    .filter((path) => existsSync(path))
    .flatMap((path) => readEntries(path).map((entry) => `${entry.title ?? ""}. ${entry.text}`));
  for (const name of markdown === undefined ? [] : readdirSync(markdown, { recursive: true, encoding: "utf8" }))
    if (markdown !== undefined && name.endsWith(".md")) texts.push(readFileSync(join(markdown, name), "utf8"));
  return texts.map((text) => text.split(/(?<=[.!?])\s+|\n{2,}/));
}

/** Makes a text of about 200 words: runs of four sentences from documents drawn at random. */
function resample(documents: readonly string[][], random: () => number): string {
  const parts: string[] = [];
  let words = 0;
  while (words < 200) {
    const document = documents[Math.floor(random() * documents.length)] ?? [];
    const from = Math.floor(random() * document.length);
    for (const sentence of document.slice(from, from + 4)) {
      parts.push(sentence);
      words += sentence.split(/\s+/).length;
    }
  }
  return parts.join(" ").slice(0, 3000);
}

/** Returns a generator that gives the same numbers in every run (Numerical Recipes' generator). */
function lcg(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function percentiles(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} ms`;
}
