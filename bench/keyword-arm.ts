/**
 * The keyword arm alone: quality (nDCG@10, recall@10) on data sets in the common form, and latency on a large synthetic
 * agent. DATABASE_URL chooses a Postgres server, else PGlite in memory. Drops and makes the schema keyword_bench.
 *
 *   node bench/keyword-arm.ts <data folder with <set>/corpus.jsonl, queries.jsonl, qrels.tsv> [set …]
 *   node bench/keyword-arm.ts <data folder> --latency 100000 [--markdown <folder of .md files>]
 *
 * --language <configuration> reads texts and questions as Postgres does in that language; english when it is not given.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keywordsSql } from "../src/db/agent/chunks.ts";
import { keywordCandidates } from "../src/db/agent/keyword-search.ts";
import { refreshLexemeStats } from "../src/db/agent/lexeme-stats.ts";
import { type SchemaName, schemaName } from "../src/db/agent/schema-name.ts";
import type { Database, SqlExecutor } from "../src/db/database.ts";
import { openPostgres } from "../src/db/pg.ts";
import { openPglite } from "../src/db/pglite.ts";
import { analyzeDocument, analyzeQuery } from "../src/search/analyze.ts";

interface Entry {
  id: string;
  title?: string;
  text: string;
  scope?: string;
}

const GENERATION = 1;
const BATCH = 500;

const { positionals, values: flags } = parseArgs({
  allowPositionals: true,
  options: {
    latency: { type: "string" },
    markdown: { type: "string" },
    budget: { type: "string" },
    language: { type: "string", default: "english" },
  },
});
const { language } = flags;
const [folder, ...sets] = positionals;
if (folder === undefined) throw new Error("Name the data folder: node bench/keyword-arm.ts <data folder>");
const budget = flags.budget === undefined ? {} : { budget: Number(flags.budget) };

const url = process.env.DATABASE_URL;
const db: Database =
  url === undefined
    ? await openPglite()
    : openPostgres({ connectionString: url, maxConnections: 1, onIdleError: () => undefined });
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
  const milliseconds: number[] = [];
  const answers: string[][] = [];
  const fetchedBefore = await rowsFetched(db);
  for (const question of questions) {
    const started = performance.now();
    const hits = await ask(db, schema, question, 24);
    milliseconds.push(performance.now() - started);
    answers.push(hits.map((hit) => hit.chunkId));
  }
  const fetched = ((await rowsFetched(db)) - fetchedBefore) / questions.length;
  let agreed = 0;
  for (const [n, question] of questions.slice(0, 20).entries()) {
    const exact = new Set((await ask(db, schema, question, 10, chunks * 6)).map((hit) => hit.chunkId));
    agreed += (answers[n] ?? []).slice(0, 10).filter((id) => exact.has(id)).length / exact.size;
  }
  const short = answers.filter((ids) => ids.length < 24).length;
  console.log(
    `${db.kind} ${chunks} chunks, 200 questions of six of the 1,000 most common words: ${percentiles(milliseconds)}, ${fetched.toFixed(0)} rows a question`,
  );
  console.log(
    `answers with fewer than 24 hits: ${short}; top 10 as without budget: ${((agreed / 20) * 100).toFixed(1)} %`,
  );
}

async function rowsFetched(db: SqlExecutor): Promise<number> {
  await db.executeSql("SELECT pg_stat_force_next_flush()");
  const { rows } = await db.executeSql<{ fetched: string }>(
    `SELECT coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) AS fetched FROM pg_stat_user_tables
      WHERE schemaname = 'keyword_bench' AND relname = 'chunks_${GENERATION}'`,
  );
  return Number(rows[0]?.fetched ?? 0);
}

async function ask(db: SqlExecutor, schema: SchemaName, text: string, limit = 10, exactBudget?: number) {
  const query = analyzeQuery(text, language);
  const limits = exactBudget === undefined ? budget : { budget: exactBudget };
  const asked = { schema, generationId: GENERATION, language, query, limit, ...limits };
  return (await keywordCandidates(db, asked)).hits;
}

async function fill(db: Database, texts: readonly string[]): Promise<SchemaName> {
  const schema = schemaName("keyword_bench");
  await db.executeSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.generations (id integer PRIMARY KEY, stats_chunk_count integer, stats_total_length bigint, stats_at timestamptz,
      changes bigint NOT NULL DEFAULT 0);
    CREATE TABLE ${schema}.lexemes (generation_id integer, lexeme text COLLATE "C", df integer NOT NULL, PRIMARY KEY (generation_id, lexeme));
    CREATE TABLE ${schema}.chunks_${GENERATION} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, source smallint NOT NULL DEFAULT 1,
      text text NOT NULL, length integer NOT NULL, keywords tsvector NOT NULL) WITH (toast_tuple_target = 8160);
    CREATE TABLE ${schema}.segments_${GENERATION} (id bigint, first_chunk bigint, last_chunk bigint, chunk_count integer);
    CREATE TABLE ${schema}.postings_${GENERATION} (segment_id bigint, lexeme text COLLATE "C", entries bytea);
    INSERT INTO ${schema}.generations (id) VALUES (${GENERATION})`);
  let started = performance.now();
  for (let at = 0; at < texts.length; at += BATCH) {
    const batch = texts.slice(at, at + BATCH);
    const analysed = batch.map(analyzeDocument);
    await db.executeSql(
      `INSERT INTO ${schema}.chunks_${GENERATION} (text, length, keywords)
       SELECT n.text, (SELECT coalesce(sum(cardinality(l.positions)), 0) FROM unnest(k.keywords) AS l), k.keywords
         FROM unnest($1::text[], $2::text[], $3::text[]) AS n (text, words, terms),
              ${keywordsSql(language, "$4")} AS k`,
      [batch, analysed.map((document) => document.words), analysed.map((document) => document.terms), language],
    );
  }
  const inserted = performance.now() - started;
  await db.executeSql(`CREATE INDEX ON ${schema}.chunks_${GENERATION} USING gin (keywords)`);
  started = performance.now();
  await refreshLexemeStats(db, { schema, generationId: GENERATION, now: new Date() });
  const counted = performance.now() - started;
  await db.executeSql(`VACUUM ANALYZE ${schema}.chunks_${GENERATION}`);
  if (texts.length >= 5000)
    console.log(
      `${db.kind} ${texts.length} chunks: inserted in ${inserted.toFixed(0)} ms, counted in ${counted.toFixed(0)} ms`,
    );
  return schema;
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

/** Documents as lists of sentences. */
function readSentences(folder: string, markdown: string | undefined): string[][] {
  const texts = readdirSync(folder)
    .map((set) => join(folder, set, "corpus.jsonl"))
    .filter((path) => existsSync(path))
    .flatMap((path) => readEntries(path).map((entry) => `${entry.title ?? ""}. ${entry.text}`));
  for (const name of markdown === undefined ? [] : readdirSync(markdown, { recursive: true, encoding: "utf8" }))
    if (markdown !== undefined && name.endsWith(".md")) texts.push(readFileSync(join(markdown, name), "utf8"));
  return texts.map((text) => text.split(/(?<=[.!?])\s+|\n{2,}/));
}

/** About 200 words: runs of four sentences from documents drawn at random. */
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

/** The same numbers in every run (Numerical Recipes' generator). */
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
