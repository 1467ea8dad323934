import { createIngestTables } from "../../../db/agent/facts/ingests.ts";
import type { AgentSpace } from "../../../db/agent/schema/agent-transaction.ts";
import { createAgentRole, createAgentSchema, lockAgentSchema } from "../../../db/agent/schema/create-agent-schema.ts";
import { createGenerationTables } from "../../../db/agent/schema/generation-tables.ts";
import { activeGeneration } from "../../../db/agent/schema/generations.ts";
import { type SchemaName, unquoted } from "../../../db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../../db/database.ts";
import type { AgentMigration } from "../../../db/migrate/agent.ts";
import { createBranchBase, noteBase } from "./branch-base.ts";

/**
 * A setup statement that makes the whole copy see the origin at one moment, without later writes.
 */
export const ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ";

/** Reports how many rows of the large tables are copied, and how many there are. */
export type CopyProgress = (copied: number, total: number) => Promise<void>;

/**
 * Creates an agent's role and schema with a copy of another agent's memory. Rows keep their ids,
 * and no text is chunked or embedded again. It runs in one transaction with `ONE_MOMENT` as its
 * setup. The vector index is not copied; it is built later, once the rows are there.
 *
 * It runs as the service's login, which owns both schemas, because no agent's role may read
 * another's schema. The statements contain only the names of tables and columns, and no value from
 * outside. The alternative would be grants that hold only within the transaction. They would
 * rewrite catalogue rows of the origin's tables, and vacuums and index builds of the origin would
 * wait for them as long as the copy takes.
 *
 * @returns false when the origin has no index because it was erased
 */
export async function copyMemory(
  tx: SqlExecutor,
  { from, to }: { from: AgentSpace; to: AgentSpace },
  migrations: readonly AgentMigration[],
  onProgress: CopyProgress,
): Promise<boolean> {
  await lockAgentSchema(tx, from);
  await lockAgentSchema(tx, to);
  // An earlier attempt was committed, but its caller did not record it: this table is created last.
  if (await isThere(tx, `${to.schema}.branch_base`)) return true;
  const generation = await activeGeneration(tx, from.schema);
  if (!generation) return false;
  const tables = await tablesOf(tx, from.schema);
  await createAgentRole(tx, to);
  await createAgentSchema(tx, to, migrations);
  await createGenerationTables(tx, to.schema, to.role, generation);
  if (tables.some(({ name }) => name === "ingested_pieces")) await createIngestTables(tx, to.schema, to.role);
  const there = new Set((await tablesOf(tx, to.schema)).map(({ name }) => name));
  const copied = inOrder(tables.filter(({ name }) => there.has(name) && !LEFT_OUT.has(name)));
  const progress = await startProgress(tx, from.schema, generation.id, onProgress);
  for (const table of copied)
    await copyTable(tx, { from: from.schema, to: to.schema, generationId: generation.id }, table, progress);
  await createBranchBase(tx, to.schema, to.role);
  await noteBase(tx, to.schema);
  return true;
}

/**
 * Tables that are not copied. A current run of an ingest continues in the origin, and the base of a
 * branch says nothing about a branch of that branch.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(["ingest_run", "branch_base"]);

interface Table {
  name: string;
  /** The quoted names of its columns. */
  columns: string[];
  isNumbered: boolean;
  /** The tables that its foreign keys refer to. */
  needs: string[];
}

async function tablesOf(tx: SqlExecutor, schema: SchemaName): Promise<Table[]> {
  const { rows } = await tx.executeSql<Table>(
    `SELECT c.relname::text AS name,
            (
              SELECT array_agg(quote_ident(a.attname) ORDER BY a.attnum)
                FROM pg_attribute a
               WHERE a.attrelid = c.oid
                 AND a.attnum > 0
                 AND NOT a.attisdropped
                 AND a.attgenerated = '') AS columns,
            EXISTS (
              SELECT
                FROM pg_attribute a
               WHERE a.attrelid = c.oid
                 AND a.attidentity <> '') AS "isNumbered",
            ARRAY(
              SELECT p.relname::text
                FROM pg_constraint f
                JOIN pg_class p ON p.oid = f.confrelid
               WHERE f.conrelid = c.oid
                 AND f.contype = 'f'
                 AND f.confrelid <> c.oid) AS needs
       FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1
        AND c.relkind = 'r'
      ORDER BY c.relname`,
    [unquoted(schema)],
  );
  return rows;
}

/** Sorts tables so that each comes after the tables that it refers to. */
function inOrder(tables: readonly Table[]): Table[] {
  const done: Table[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name));
    const next = left.filter(({ needs }) => !needs.some((name) => waiting.has(name)));
    if (next.length === 0) throw new Error("The tables of an agent refer to each other in a circle.");
    done.push(...next);
    left = left.filter((table) => !next.includes(table));
  }
  return done;
}

interface Pair {
  from: SchemaName;
  to: SchemaName;
  generationId: number;
}

/**
 * The rows of a large table that one statement copies. The statement takes a second or two, and
 * then the progress is reported.
 */
const RANGE = 10_000;

async function copyTable(tx: SqlExecutor, pair: Pair, table: Table, progress: Progress): Promise<void> {
  const { from, to, generationId } = pair;
  const { name, columns } = table;
  const select = columns.map((column) => COPIED[kindOf(name)]?.[column] ?? column).join(", ");
  const insert = `INSERT INTO ${to}.${name} (${columns.join(", ")})
        ${table.isNumbered ? "OVERRIDING SYSTEM VALUE" : ""}
    SELECT ${select}
      FROM ${from}.${name}`;
  const by = RANGES[kindOf(name)];
  if (by) await copyRanges(tx, { insert, by, last: progress.lastChunk }, progress);
  else if (name === "generations") await tx.executeSql(`${insert} WHERE id = $1`, [generationId]);
  else if (columns.includes("generation_id")) await tx.executeSql(`${insert} WHERE generation_id = $1`, [generationId]);
  else await tx.executeSql(insert);
  if (table.isNumbered) await continueNumbers(tx, pair, name);
}

/** Returns a table's name without its generation: `chunks` for `chunks_3`. */
function kindOf(name: string): string {
  return name.replace(/_\d+$/, "");
}

/**
 * Columns whose values differ in a copy. A process records a segment's deletions by its key, and
 * the copy's deletions are its own.
 */
const COPIED: Record<string, Record<string, string>> = {
  segments: { key: "gen_random_uuid()" },
  // The copy's vector index is built and measured again.
  generations: { vector_index: "false", vector_scan: "NULL", vector_scan_count: "NULL" },
};
const RANGES: Record<string, string> = { chunks: "id", vectors: "chunk_id" };

async function copyRanges(
  tx: SqlExecutor,
  { insert, by, last }: { insert: string; by: string; last: number },
  progress: Progress,
): Promise<void> {
  for (let after = 0; after < last; after += RANGE) {
    const { rows } = await tx.executeSql<{ count: number }>(
      `WITH copied AS (${insert} WHERE ${by} > $1 AND ${by} <= $2 RETURNING 1)
       SELECT count(*)::int AS count
         FROM copied`,
      [after, after + RANGE],
    );
    await progress.add(rows[0]?.count ?? 0);
  }
}

/**
 * Continues a copied table's ids after the last assigned id, so that ids of deleted rows are not
 * assigned again either.
 */
async function continueNumbers(tx: SqlExecutor, { from, to }: Pair, name: string): Promise<void> {
  await tx.executeSql(
    `SELECT setval(pg_get_serial_sequence($2, 'id'), s.last)
       FROM (SELECT pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass) AS last) AS s
      WHERE s.last IS NOT NULL`,
    [`${from}.${name}`, `${to}.${name}`],
  );
}

interface Progress {
  lastChunk: number;
  add(rows: number): Promise<void>;
}

async function startProgress(
  tx: SqlExecutor,
  schema: SchemaName,
  generationId: number,
  onProgress: CopyProgress,
): Promise<Progress> {
  const { rows } = await tx.executeSql<{ count: number; last: number }>(
    `SELECT count(*)::int AS count, coalesce(max(id), 0)::float8 AS last
       FROM ${schema}.chunks_${generationId}`,
  );
  const { count = 0, last: lastChunk = 0 } = rows[0] ?? {};
  const total = (await isThere(tx, `${schema}.vectors_${generationId}`)) ? 2 * count : count;
  let copied = 0;
  await onProgress(copied, total);
  return {
    lastChunk,
    add: async (more) => {
      copied += more;
      await onProgress(copied, total);
    },
  };
}

async function isThere(tx: SqlExecutor, table: string): Promise<boolean> {
  const { rows } = await tx.executeSql<{ there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS there", [table]);
  return rows[0]?.there === true;
}
