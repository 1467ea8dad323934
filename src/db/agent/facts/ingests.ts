import { lockTables } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import type { RoleName, SchemaName } from "../schema/schema-name.ts";

/**
 * The progress of one run over the agent's files. The counts of facts are exact, because they are
 * written together with the facts.
 */
export interface IngestRun {
  id: string;
  /** Glob patterns. */
  paths: string[];
  dryRun: boolean;
  state: "running" | "done" | "failed";
  error: { code: string; message: string } | null;
  filesTotal: number | null;
  filesDone: number;
  /** Files that were too large to be read. */
  filesSkipped: number;
  /** Text pieces that this run sent to a model, and pieces that an earlier run had sent. */
  piecesDone: number;
  piecesKnown: number;
  /** Text pieces that the model refused. */
  piecesRefused: number;
  stored: number;
  duplicates: number;
  /** Entries of the model's answers that were no facts. */
  dropped: number;
  /** The facts that a dry run would store, as far as there is room. */
  found: FoundFact[];
  /** The last file that was finished. */
  afterPath: string;
  startedAt: Date;
  endedAt: Date | null;
}

export interface FoundFact {
  path: string;
  startLine: number;
  text: string;
  importance: number;
}

/** The counts that one step of a run adds. */
export type IngestDelta = Partial<
  Record<
    | ("filesDone" | "filesSkipped" | "piecesDone" | "piecesKnown" | "piecesRefused")
    | ("stored" | "duplicates" | "dropped"),
    number
  >
>;

/**
 * Creates the tables of ingests; idempotent. Run with the service's own role. Only agents that
 * ingest get these tables: at 10,000 agents every table adds 10,000 rows to each of several
 * catalogues. A migration of these tables must use ALTER TABLE IF EXISTS.
 */
export async function createIngestTables(sql: SqlExecutor, schema: SchemaName, role: RoleName): Promise<void> {
  // One row: the current run, or the last one.
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${schema}.ingest_run (
    id uuid PRIMARY KEY,
    paths jsonb NOT NULL,
    dry_run boolean NOT NULL,
    state text NOT NULL,
    error jsonb,
    files_total integer,
    files_done integer NOT NULL DEFAULT 0,
    files_skipped integer NOT NULL DEFAULT 0,
    pieces_done integer NOT NULL DEFAULT 0,
    pieces_known integer NOT NULL DEFAULT 0,
    pieces_refused integer NOT NULL DEFAULT 0,
    stored integer NOT NULL DEFAULT 0,
    duplicates integer NOT NULL DEFAULT 0,
    dropped integer NOT NULL DEFAULT 0,
    found jsonb NOT NULL DEFAULT '[]',
    after_path text COLLATE "C" NOT NULL DEFAULT '',
    started_at timestamptz NOT NULL,
    ended_at timestamptz
  )`);
  // Pieces that were sent to a model; run_id is null if the command line sent the piece.
  await sql.executeSql(`CREATE TABLE IF NOT EXISTS ${schema}.ingested_pieces (
    hash text PRIMARY KEY,
    run_id uuid
  )`);
  for (const table of ["ingest_run", "ingested_pieces"])
    await sql.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.${table} TO ${role}`);
}

export async function hasIngestTables(sql: SqlExecutor, schema: SchemaName): Promise<boolean> {
  const { rows } = await sql.executeSql<{ exists: boolean }>(
    `SELECT to_regclass('${schema}.ingested_pieces') IS NOT NULL AS exists`,
  );
  return rows[0]?.exists ?? false;
}

/**
 * Starts a run and removes the last one. If two runs start at once, the second waits for the lock;
 * without the lock both rows would stay.
 */
export async function replaceRun(
  sql: SqlExecutor,
  schema: SchemaName,
  run: { id: string; paths: readonly string[]; dryRun: boolean; now: Date },
): Promise<void> {
  await lockTables(sql, [`${schema}.ingest_run`], "SHARE ROW EXCLUSIVE");
  await sql.executeSql(`DELETE FROM ${schema}.ingest_run`);
  await sql.executeSql(
    `INSERT INTO ${schema}.ingest_run (id, paths, dry_run, state, started_at)
     VALUES ($1, $2::jsonb, $3, 'running', $4)`,
    [run.id, JSON.stringify(run.paths), run.dryRun, run.now],
  );
}

/** Returns the current run or the last one; undefined when there was none. */
export async function readRun(sql: SqlExecutor, schema: SchemaName): Promise<IngestRun | undefined> {
  if (!(await hasIngestTables(sql, schema))) return undefined;
  const { rows } = await sql.executeSql<IngestRun>(
    `SELECT id::text AS id, paths, dry_run AS "dryRun", state, error, files_total AS "filesTotal",
            files_done AS "filesDone", files_skipped AS "filesSkipped", pieces_done AS "piecesDone",
            pieces_known AS "piecesKnown", pieces_refused AS "piecesRefused", stored, duplicates,
            dropped, found, after_path AS "afterPath", started_at AS "startedAt",
            ended_at AS "endedAt"
       FROM ${schema}.ingest_run`,
  );
  return rows[0];
}

const COLUMN_OF: Readonly<Record<keyof IngestDelta, string>> = {
  filesDone: "files_done",
  filesSkipped: "files_skipped",
  piecesDone: "pieces_done",
  piecesKnown: "pieces_known",
  piecesRefused: "pieces_refused",
  stored: "stored",
  duplicates: "duplicates",
  dropped: "dropped",
};
const COUNTS = Object.keys(COLUMN_OF) as (keyof IngestDelta)[];

/**
 * Adds to a run's counts and records the last finished file.
 *
 * @returns false when another run has replaced it
 */
export async function advanceRun(
  sql: SqlExecutor,
  schema: SchemaName,
  runId: string,
  { afterPath, found = [], ...delta }: IngestDelta & { afterPath?: string; found?: readonly FoundFact[] },
): Promise<boolean> {
  const sums = COUNTS.map((name, index) => `${COLUMN_OF[name]} = ${COLUMN_OF[name]} + $${index + 4}::int`);
  const { rows } = await sql.executeSql(
    `UPDATE ${schema}.ingest_run
        SET after_path = coalesce($2, after_path), found = found || $3::jsonb, ${sums.join(", ")}
      WHERE id = $1
        AND state = 'running'
     RETURNING id`,
    [runId, afterPath ?? null, JSON.stringify(found), ...COUNTS.map((name) => delta[name] ?? 0)],
  );
  return rows.length > 0;
}

export async function setFilesTotal(
  sql: SqlExecutor,
  schema: SchemaName,
  runId: string,
  filesTotal: number,
): Promise<void> {
  await sql.executeSql(`UPDATE ${schema}.ingest_run SET files_total = $2 WHERE id = $1`, [runId, filesTotal]);
}

export async function endRun(
  sql: SqlExecutor,
  schema: SchemaName,
  runId: string,
  { error, now }: { error: IngestRun["error"]; now: Date },
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.ingest_run
        SET state = $2, error = $3::jsonb, ended_at = $4
      WHERE id = $1
        AND state = 'running'`,
    [runId, error === null ? "done" : "failed", error === null ? null : JSON.stringify(error), now],
  );
}

/** Returns which of these pieces were sent to a model, each with the id of its run. */
export async function ingestedPieces(
  sql: SqlExecutor,
  schema: SchemaName,
  hashes: readonly string[],
): Promise<Map<string, string | null>> {
  const { rows } = await sql.executeSql<{ hash: string; run: string | null }>(
    `SELECT hash, run_id::text AS run
       FROM ${schema}.ingested_pieces
      WHERE hash = ANY($1::text[])`,
    [hashes],
  );
  return new Map(rows.map(({ hash, run }) => [hash, run]));
}

/**
 * Marks a piece as sent to a model.
 *
 * @returns false when it was marked already
 */
export async function markIngested(
  sql: SqlExecutor,
  schema: SchemaName,
  hash: string,
  runId: string | undefined,
): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `INSERT INTO ${schema}.ingested_pieces (hash, run_id)
     VALUES ($1, $2)
     ON CONFLICT (hash) DO NOTHING
     RETURNING hash`,
    [hash, runId ?? null],
  );
  return rows.length > 0;
}

/** Returns one page of the agent's paths, in path order after `after`. */
export async function listPaths(sql: SqlExecutor, schema: SchemaName, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql.executeSql<{ path: string }>(
    `SELECT path FROM ${schema}.files WHERE path > $1 ORDER BY path LIMIT $2`,
    [after, limit],
  );
  return rows.map((row) => row.path);
}

/** Returns the hashes of all pieces that were sent to a model. */
export async function allPieces(sql: SqlExecutor, schema: SchemaName): Promise<string[]> {
  if (!(await hasIngestTables(sql, schema))) return [];
  const { rows } = await sql.executeSql<{ hash: string }>(`SELECT hash FROM ${schema}.ingested_pieces ORDER BY hash`);
  return rows.map(({ hash }) => hash);
}

/** Marks pieces as sent to a model. */
export async function restorePieces(sql: SqlExecutor, schema: SchemaName, hashes: readonly string[]): Promise<void> {
  await sql.executeSql(
    `INSERT INTO ${schema}.ingested_pieces (hash)
     SELECT unnest($1::text[])
     ON CONFLICT (hash) DO NOTHING`,
    [hashes],
  );
}
