import type { SqlExecutor } from "../../src/db/database.ts";
import { chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { contentHash, toLines } from "../../src/ingest/normalise.ts";
import { checkEmbeddingUsage } from "./check-embeddings.ts";
import { checkFacts, type FactRow } from "./check-facts.ts";
import { checkSessions, type MessageRow, type SessionRow } from "./check-sessions.ts";
import { checkVersions } from "./check-versions.ts";

/** Returns the provider's vector of a text, for comparison with a stored embedding. */
export type VectorOf = (model: string, text: string, dimensions: number) => ArrayLike<number>;

interface Generation {
  id: number;
  status: string;
  model: string;
  dimensions: number | null;
  tokens: number;
  overlap: number;
  headings: boolean;
  vector_index: boolean;
  stats_chunk_count: number | null;
  follows_text: boolean;
}

interface FileRow {
  id: string;
  path: string;
  content: string;
  content_hash: string;
  size_bytes: number;
  line_count: number;
  indexed_generation: number | null;
}

interface ChunkRow {
  file_id: string | null;
  session_id: string | null;
  fact_id: string | null;
  first_message: number | null;
  last_message: number | null;
  ordinal: number;
  start_line: number;
  end_line: number;
  heading: string;
  text: string;
  hash: string;
  embedding: string | null;
  rejected: string | null;
  /** Whether the vector table has a row for the chunk. */
  has_vector: boolean;
}

/** The data for the checks of one agent. */
export interface AgentView {
  db: SqlExecutor;
  tenant: string;
  agent: string;
  /** The agent's schema, safe to place in SQL. */
  schema: string;
  active: Generation;
  /** The sources that the agent searches: `memory`, and perhaps `sessions`. */
  sources: readonly string[];
  files: FileRow[];
  sessions: SessionRow[];
  messages: MessageRow[];
  chunks: ChunkRow[];
  facts: FactRow[];
  vectorOf: VectorOf;
}

/** Finds the problems of one agent; each problem is a sentence without the agent's name. */
type AgentCheck = (view: AgentView) => Promise<string[]> | string[];

/** All checks of an agent that has no work left. A new kind of content adds its check here. */
const AGENT_CHECKS: readonly AgentCheck[] = [
  checkFiles,
  checkChunks,
  checkSessions,
  checkVectors,
  checkLanguages,
  checkEmbeddingUsage,
  checkFacts,
  checkUsage,
  checkVersions,
  checkTables,
  checkStatistics,
];

/**
 * Checks every agent; check-service.ts checks jobs, schemas and roles.
 *
 * @returns problems, by agent
 */
export async function checkAgents(db: SqlExecutor, vectorOf: VectorOf): Promise<string[]> {
  const { rows } = await db.executeSql<Pick<AgentView, "tenant" | "agent" | "schema" | "sources"> & { status: string }>(
    `SELECT tenant_id AS tenant, id AS agent, schema_name AS schema, status,
            coalesce(settings->'sources', '["memory"]') AS sources FROM recollect.agents ORDER BY 1, 2`,
  );
  const problems: string[] = [];
  for (const { status, ...known } of rows) {
    const found = status === "active" ? await checkAgent({ ...known, db, vectorOf }) : [`is ${status}`];
    problems.push(...found.map((problem) => `${known.agent}: ${problem}`));
  }
  return problems;
}

async function checkAgent(
  known: Pick<AgentView, "db" | "tenant" | "agent" | "schema" | "sources" | "vectorOf">,
): Promise<string[]> {
  const { db, schema } = known;
  const { rows: generations } = await db.executeSql<Generation>(
    `SELECT id, status, model, dimensions, chunk_tokens AS tokens, chunk_overlap AS overlap, chunk_headings AS headings, vector_index, stats_chunk_count, follows_text
       FROM ${schema}.generations WHERE status IN ('active', 'building')`,
  );
  const [active, ...others] = generations.filter((one) => one.status === "active");
  if (!active || others.length > 0) return ["has not exactly one active generation"];
  const building = generations.length > 1 ? ["a generation is left building"] : [];
  const files = await db.executeSql<FileRow>(
    `SELECT id, path, '=' || content AS content, content_hash, size_bytes, line_count, indexed_generation FROM ${schema}.files`,
  );
  const vectors =
    active.dimensions === null
      ? "NULL AS embedding, NULL AS rejected, false AS has_vector FROM"
      : `v.embedding::text AS embedding, v.rejected, v.chunk_id IS NOT NULL AS has_vector
           FROM ${schema}.vectors_${active.id} v RIGHT JOIN`;
  const chunks = await db.executeSql<ChunkRow>(
    `SELECT c.file_id, c.session_id, c.fact_id, c.first_message, c.last_message, c.ordinal, c.start_line, c.end_line, c.heading, c.text, c.hash, ${vectors} ${schema}.chunks_${active.id} c
     ${active.dimensions === null ? "" : "ON v.chunk_id = c.id"} ORDER BY c.file_id, c.ordinal, c.id`,
  );
  // PGlite drops a byte order mark at the beginning of a returned value, so the SQL puts a
  // character before it.
  const whole = files.rows.map((file) => ({ ...file, content: file.content.slice(1) }));
  const sessions = await db.executeSql<SessionRow>(
    `SELECT id, key, message_count, bytes::int, last_seq, last_line, indexed_seq, unindexed_bytes::int FROM ${schema}.sessions`,
  );
  const messages = await db.executeSql<MessageRow>(
    `SELECT session_id, seq, role, name, text, size_bytes, first_line AS "firstLine", line_count
       FROM ${schema}.messages ORDER BY session_id, seq`,
  );
  const conversations = { sessions: sessions.rows, messages: messages.rows };
  const { rows: facts } = await db.executeSql<FactRow>(
    `SELECT id, text, size_bytes, valid_from, valid_to, superseded_by,
            key || ' ' || json_build_array(scope_user, scope_agent, scope_session)::text AS slot
       FROM ${schema}.facts ORDER BY valid_from, id`,
  );
  const view = { ...known, active, files: whole, ...conversations, chunks: chunks.rows, facts };
  const found: string[] = [];
  for (const check of AGENT_CHECKS) found.push(...(await check(view)));
  return [...building, ...found];
}

function checkFiles({ files, active }: AgentView): string[] {
  return files.flatMap((file) => [
    ...(file.content_hash === contentHash(file.content) ? [] : [`${file.path}: the hash is not its content's`]),
    ...(file.size_bytes === Buffer.byteLength(file.content) ? [] : [`${file.path}: the size is not its content's`]),
    ...(file.line_count === toLines(file.content).length ? [] : [`${file.path}: the lines are not its content's`]),
    // A build that was given up leaves its own number at the file, which is higher than the number
    // of the active generation.
    ...((file.indexed_generation ?? 0) >= active.id ? [] : [`${file.path}: is not marked as in the active generation`]),
  ]);
}

/**
 * Checks that a file's chunks equal the chunks cut anew from its content: none missing, none twice,
 * in order, with their lines.
 */
function checkChunks({ files, chunks, active }: AgentView): string[] {
  const stored = Map.groupBy(chunks, (chunk) => chunk.file_id);
  return files.flatMap((file) => {
    const wanted = chunkMarkdown(file.content, active);
    const expected = wanted.map((one) =>
      JSON.stringify([one.ordinal, one.startLine, one.endLine, one.heading, one.text, one.hash]),
    );
    const found = (stored.get(file.id) ?? []).map((one) =>
      JSON.stringify([one.ordinal, one.start_line, one.end_line, one.heading, one.text, one.hash]),
    );
    return found.join("\n") === expected.join("\n")
      ? []
      : [`${file.path}: has ${found.length} chunks that are not the ${expected.length} of its content`];
  });
}

/** Half precision has eleven bits. Vectors of different texts or models differ far more. */
const isStoredAs = (wanted: number, stored: number) => Math.abs(stored - wanted) < 1e-5 + Math.abs(wanted) / 2 ** 11;

function checkVectors({ chunks, active, vectorOf }: AgentView): string[] {
  const { dimensions, model } = active;
  if (dimensions === null) return [];
  return chunks.flatMap(({ file_id, session_id, fact_id, ordinal, heading, text, embedding, rejected, has_vector }) => {
    const owner =
      fact_id === null ? (file_id === null ? `session ${session_id}` : `file ${file_id}`) : `fact ${fact_id}`;
    const where = `chunk ${ordinal} of ${owner}`;
    if (!has_vector) return [`${where} has no vector row`];
    if (embedding === null) return rejected === null ? [`${where} is not embedded`] : [];
    const stored = JSON.parse(embedding) as number[];
    const wanted = vectorOf(model, heading === "" ? text : `${heading}\n${text}`, dimensions);
    const same = stored.length === dimensions && stored.every((x, i) => isStoredAs(wanted[i] ?? 0, x));
    return same ? [] : [`${where} has a vector that is not ${model}'s for its text`];
  });
}

async function checkUsage({ db, tenant, agent, files, messages, facts, chunks }: AgentView): Promise<string[]> {
  const { rows } = await db.executeSql(
    "SELECT files::int, facts::int, bytes::int, chunks::int FROM recollect.usage WHERE tenant_id = $1 AND agent_id = $2",
    [tenant, agent],
  );
  const contents = [...files.map((file) => file.content), ...[...messages, ...facts].map(({ text }) => text)];
  const bytes = contents.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const counted = JSON.stringify([{ files: files.length, facts: facts.length, bytes, chunks: chunks.length }]);
  return JSON.stringify(rows) === counted ? [] : [`usage is ${JSON.stringify(rows)}, counted ${counted}`];
}

/**
 * Checks that the tables belong to the active generation, and that every index is valid and known.
 */
async function checkTables({ db, schema, active }: AgentView): Promise<string[]> {
  const { rows } = await db.executeSql<{ name: string }>(
    "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = $1 AND tablename ~ '^(chunks|vectors)_' ORDER BY 1",
    [schema],
  );
  const expected = [`chunks_${active.id}`, ...(active.dimensions === null ? [] : [`vectors_${active.id}`])].join(", ");
  const found = rows.map((row) => row.name).join(", ");
  const indexes = await db.executeSql<{ name: string; valid: boolean }>(
    `SELECT c.relname::text AS name, i.indisvalid AS valid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1`,
    [schema],
  );
  const indexed = indexes.rows.some((row) => row.name === `vectors_${active.id}_hnsw`);
  return [
    ...(found === expected ? [] : [`has the tables ${found} where ${expected} are due`]),
    ...indexes.rows.filter((row) => !row.valid).map((row) => `the index ${row.name} is not valid`),
    ...(indexed === active.vector_index ? [] : ["the vector index is not as the generation says"]),
  ];
}

/**
 * Checks that the languages of all chunks are noted, because a search only asks in noted languages.
 */
async function checkLanguages({ db, schema, active }: AgentView): Promise<string[]> {
  if (!active.follows_text) return [];
  const { rows } = await db.executeSql<{ language: string }>(
    `SELECT DISTINCT language FROM ${schema}.chunks_${active.id}
      WHERE language NOT IN (SELECT language FROM ${schema}.languages WHERE generation_id = $1)`,
    [active.id],
  );
  return rows.map(({ language }) => `chunks in ${language}, which is not noted`);
}

/**
 * Checks the statistics, which are counted anew when the number of chunks has changed by a tenth.
 * If the job got lost, they are out of date.
 */
async function checkStatistics({ db, schema, active, chunks }: AgentView): Promise<string[]> {
  const counted = active.stats_chunk_count ?? 0;
  const { rows } = await db.executeSql<{ id: number }>(
    `SELECT DISTINCT generation_id AS id FROM ${schema}.lexemes WHERE generation_id <> $1`,
    [active.id],
  );
  return [
    ...(Math.abs(chunks.length - counted) <= counted * 0.1 ? [] : [`statistics count ${counted} of ${chunks.length}`]),
    ...rows.map(({ id }) => `statistics of the generation ${id} are left over`),
  ];
}
