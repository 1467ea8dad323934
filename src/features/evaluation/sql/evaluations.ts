import type { SchemaName } from "../../../db/agent/schema/schema-name.ts";
import type { SqlExecutor } from "../../../db/database.ts";
import type { Question, QuestionResult, RunSummary } from "../question.ts";

export interface SetRow {
  name: string;
  description: string;
  questions: number;
  createdAt: Date;
  updatedAt: Date;
  updatedBy: string;
}

const SET = `s.name, s.description, jsonb_array_length(s.questions) AS questions, s.created_at AS "createdAt",
  s.updated_at AS "updatedAt", s.updated_by AS "updatedBy"`;

/** Returns all sets of an agent by name, without their questions. */
export async function listSets(sql: SqlExecutor, schema: SchemaName): Promise<SetRow[]> {
  const { rows } = await sql.executeSql<SetRow>(`SELECT ${SET} FROM ${schema}.eval_sets s ORDER BY s.name`);
  return rows;
}

/** Returns a set with its questions. */
export async function readSet(
  sql: SqlExecutor,
  schema: SchemaName,
  name: string,
): Promise<(SetRow & { items: Question[] }) | undefined> {
  const { rows } = await sql.executeSql<SetRow & { items: Question[] }>(
    `SELECT ${SET}, s.questions AS items FROM ${schema}.eval_sets s WHERE s.name = $1`,
    [name],
  );
  return rows[0];
}

/**
 * Stores a set in place of an earlier set with its name.
 *
 * @returns the number of sets
 */
export async function putSet(
  sql: SqlExecutor,
  schema: SchemaName,
  set: { name: string; description: string; questions: readonly Question[] },
  { now, by }: { now: Date; by: string },
): Promise<number> {
  await sql.executeSql(
    `INSERT INTO ${schema}.eval_sets AS s (name, description, questions, created_at, updated_at, updated_by)
     VALUES ($1, $2, $3::jsonb, $4, $4, $5)
     ON CONFLICT (name) DO UPDATE
        SET description = excluded.description, questions = excluded.questions, updated_at = excluded.updated_at,
            updated_by = excluded.updated_by`,
    [set.name, set.description, JSON.stringify(set.questions), now, by],
  );
  const { rows } = await sql.executeSql<{ sets: number }>(`SELECT count(*)::int AS sets FROM ${schema}.eval_sets`);
  return rows[0]?.sets ?? 0;
}

/** Deletes a set with its runs. @returns whether there was one */
export async function deleteSet(sql: SqlExecutor, schema: SchemaName, name: string): Promise<boolean> {
  const { rows } = await sql.executeSql(`DELETE FROM ${schema}.eval_sets WHERE name = $1 RETURNING name`, [name]);
  return rows.length > 0;
}

export interface RunRow {
  id: string;
  set: string;
  state: "waiting" | "done" | "failed";
  label: string;
  /** The number of questions, and the number of questions that have been asked. */
  questions: number;
  done: number;
  summary: RunSummary | null;
  error: string | null;
  createdAt: Date;
  createdBy: string;
  endedAt: Date | null;
}

const RUN = `r.id::text AS id, r.set_name AS "set", r.state, r.label, jsonb_array_length(r.questions) AS questions,
  jsonb_array_length(r.results) AS done, r.summary, r.error, r.created_at AS "createdAt", r.created_by AS "createdBy",
  r.ended_at AS "endedAt"`;

/** Creates a run of a set and deletes the oldest ones beyond `most`. */
export async function insertRun(
  sql: SqlExecutor,
  schema: SchemaName,
  run: { set: string; label: string; questions: readonly Question[] },
  { now, by, most }: { now: Date; by: string; most: number },
): Promise<RunRow> {
  const { rows } = await sql.executeSql<RunRow>(
    `INSERT INTO ${schema}.eval_runs AS r (set_name, state, label, questions, results, created_at, created_by)
     VALUES ($1, 'waiting', $2, $3::jsonb, '[]', $4, $5)
     RETURNING ${RUN}`,
    [run.set, run.label, JSON.stringify(run.questions), now, by],
  );
  await sql.executeSql(
    `DELETE FROM ${schema}.eval_runs
      WHERE set_name = $1
        AND id NOT IN (SELECT id FROM ${schema}.eval_runs WHERE set_name = $1 ORDER BY id DESC LIMIT $2)`,
    [run.set, most],
  );
  return rows[0] as RunRow;
}

/** Returns the runs of a set, newest first. */
export async function listRuns(sql: SqlExecutor, schema: SchemaName, set: string): Promise<RunRow[]> {
  const { rows } = await sql.executeSql<RunRow>(
    `SELECT ${RUN} FROM ${schema}.eval_runs r WHERE r.set_name = $1 ORDER BY r.id DESC`,
    [set],
  );
  return rows;
}

/** A run with its questions and their results. */
export type WholeRun = RunRow & { asked: Question[]; results: QuestionResult[] };

/** Returns a run of a set with its results. */
export async function readRun(
  sql: SqlExecutor,
  schema: SchemaName,
  set: string,
  id: string,
): Promise<WholeRun | undefined> {
  const { rows } = await sql.executeSql<WholeRun>(
    `SELECT ${RUN}, r.questions AS asked, r.results FROM ${schema}.eval_runs r WHERE r.set_name = $1 AND r.id = $2`,
    [set, id],
  );
  return rows[0];
}

/** Returns the oldest run that waits or was interrupted. */
export async function nextRun(sql: SqlExecutor, schema: SchemaName): Promise<WholeRun | undefined> {
  const { rows } = await sql.executeSql<WholeRun>(
    `SELECT ${RUN}, r.questions AS asked, r.results
       FROM ${schema}.eval_runs r
      WHERE r.state = 'waiting'
      ORDER BY r.id
      LIMIT 1`,
  );
  return rows[0];
}

/**
 * Adds results to a run behind its first `known` results.
 *
 * @returns false, and adds nothing, when the run was deleted, or another job has added results meanwhile
 */
export async function addResults(
  sql: SqlExecutor,
  schema: SchemaName,
  id: string,
  { known, results }: { known: number; results: readonly QuestionResult[] },
): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `UPDATE ${schema}.eval_runs
        SET results = results || $2::jsonb
      WHERE id = $1
        AND state = 'waiting'
        AND jsonb_array_length(results) = $3
     RETURNING id`,
    [id, JSON.stringify(results), known],
  );
  return rows.length > 0;
}

/** Counts the runs that wait or are under way. */
export async function countWaiting(sql: SqlExecutor, schema: SchemaName): Promise<number> {
  const { rows } = await sql.executeSql<{ runs: number }>(
    `SELECT count(*)::int AS runs FROM ${schema}.eval_runs WHERE state = 'waiting'`,
  );
  return rows[0]?.runs ?? 0;
}

/** Ends a run with its figures, or with the reason why it has none. */
export async function endRun(
  sql: SqlExecutor,
  schema: SchemaName,
  id: string,
  end: { summary: RunSummary | null; error: string | null; now: Date },
): Promise<void> {
  await sql.executeSql(
    `UPDATE ${schema}.eval_runs
        SET state = CASE WHEN $3::text IS NULL THEN 'done' ELSE 'failed' END, summary = $2::jsonb, error = $3::text,
            ended_at = $4
      WHERE id = $1`,
    [id, end.summary === null ? null : JSON.stringify(end.summary), end.error, end.now],
  );
}

/** Deletes a run. @returns whether there was one */
export async function deleteRun(sql: SqlExecutor, schema: SchemaName, set: string, id: string): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `DELETE FROM ${schema}.eval_runs WHERE set_name = $1 AND id = $2 RETURNING id`,
    [set, id],
  );
  return rows.length > 0;
}
