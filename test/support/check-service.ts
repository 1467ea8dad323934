import type { SqlExecutor } from "../../src/db/database.ts";
import { checkAgents, type VectorOf } from "./check-agent.ts";
import { checkBatches } from "./check-embeddings.ts";

export interface CheckOptions {
  vectorOf: VectorOf;
  /**
   * Whether no other database of the server has agents. Only then can the check find roles that
   * belong to no agent.
   */
  aloneOnServer: boolean;
  /**
   * The time when the service had come to rest, by the database's clock. Delayed jobs that fall due
   * later do not count as left over.
   */
  restedAt?: string;
}

/**
 * Checks a service that has come to rest with an independent model: plain SQL, and none of the
 * service's own functions except the cutting of text.
 *
 * @returns the problems, empty if there are none
 */
export async function checkService(db: SqlExecutor, options: CheckOptions): Promise<string[]> {
  return [
    ...(await checkAgents(db, options.vectorOf)),
    ...(await checkSchemas(db)),
    ...(await checkRoles(db, options.aloneOnServer)),
    ...(await checkRows(db)),
    ...(await checkBatches(db)),
    ...(await checkJobs(db, options.restedAt)),
  ];
}

/** The schemas of agents, and the spare schemas. */
const SPACES = `SELECT schema_name, role_name FROM recollect.agents
                UNION ALL SELECT schema_name, schema_name FROM recollect.spare_spaces`;

async function checkSchemas(db: SqlExecutor): Promise<string[]> {
  const { rows } = await db.executeSql<{ name: string; known: boolean }>(
    `SELECT coalesce(nspname::text, schema_name) AS name, schema_name IS NOT NULL AS known
       FROM (SELECT nspname FROM pg_namespace WHERE nspname LIKE 'agent\\_%') n
       FULL JOIN (${SPACES}) AS spaces ON schema_name = nspname WHERE nspname IS NULL OR schema_name IS NULL`,
  );
  return rows.map(({ name, known }) => `the schema ${name} ${known ? "is missing" : "belongs to nobody"}`);
}

async function checkRoles(db: SqlExecutor, aloneOnServer: boolean): Promise<string[]> {
  const { rows } = await db.executeSql<{ name: string; known: boolean }>(
    `SELECT coalesce(rolname::text, role_name) AS name, role_name IS NOT NULL AS known
       FROM (SELECT rolname FROM pg_roles WHERE rolname LIKE 'agent\\_%') r
       FULL JOIN (${SPACES}) AS spaces ON role_name = rolname WHERE rolname IS NULL OR role_name IS NULL`,
  );
  return rows
    .filter(({ known }) => known || aloneOnServer)
    .map(({ name, known }) => `the role ${name} ${known ? "is missing" : "belongs to nobody"}`);
}

/** Finds rows of the control schema that refer to an agent that does not exist. */
async function checkRows(db: SqlExecutor): Promise<string[]> {
  const { rows } = await db.executeSql<{ what: string }>(
    `SELECT 'usage of ' || u.agent_id AS what FROM recollect.usage u
      WHERE NOT EXISTS (SELECT FROM recollect.agents a WHERE a.tenant_id = u.tenant_id AND a.id = u.agent_id)
     UNION ALL
     SELECT DISTINCT 'cached embeddings of ' || c.agent_id FROM recollect.embedding_cache c
      WHERE c.agent_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM recollect.agents a WHERE a.tenant_id = c.tenant_id AND a.id = c.agent_id)`,
  );
  return rows.map(({ what }) => `${what}, who is not there`);
}

/**
 * Checks that at rest no job is left: none is active without a worker, none waits for a fault that
 * is over, none has failed for good.
 */
async function checkJobs(db: SqlExecutor, restedAt?: string): Promise<string[]> {
  const left = await unfinishedJobs(db, restedAt);
  const { rows } = await db.executeSql<{ kind: string; reason: string }>(
    `SELECT coalesce(source_name, name) AS kind, left(coalesce(source_output, output)::text, 200) AS reason
       FROM recollect_jobs.job WHERE name = 'dead-letter' OR (state = 'failed' AND dead_letter IS NULL)`,
  );
  return [...left, ...rows.map(({ kind, reason }) => `a job ${kind} has failed for good: ${reason}`)];
}

/**
 * Describes the jobs that have not ended, except the delayed jobs of a minute later: the sweep that
 * an erasure requests, and the schedule.
 *
 * @param dueBy a moment of the database's clock, by default now. Delayed jobs that fall due after
 * it are not described either
 */
export async function unfinishedJobs(db: SqlExecutor, dueBy?: string): Promise<string[]> {
  const { rows } = await db.executeSql<{ kind: string; agent: string; state: string; tries: number; due: number }>(
    `SELECT name AS kind, data->>'agentId' AS agent, state::text AS state, retry_count AS tries,
            round(extract(epoch FROM start_after - now()))::int AS due
       FROM recollect_jobs.job WHERE name <> 'dead-letter' AND state IN ('created', 'retry', 'active')
        AND NOT (name IN ('migrate-fleet', 'schedule') AND retry_count = 0
                 AND start_after > coalesce($1::timestamptz, CASE WHEN state = 'created' THEN now() ELSE 'infinity' END))
      ORDER BY 1, 2`,
    [dueBy ?? null],
  );
  return rows.map(
    ({ kind, agent, state, tries, due }) => `a job ${kind} of ${agent} is ${state} (try ${tries}, due in ${due} s)`,
  );
}
