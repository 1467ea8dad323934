import type { SqlExecutor } from "../../src/db/database.ts";

/** The jobs that come again every minute, or a minute after an erasure. */
const RECURRING = "('dead-letter', 'migrate-fleet', 'schedule')";
/** The channel that pg-boss derives from the name of its schema, and that all workers listen on. */
const CHANNEL = "'pgboss_' || left(encode(sha224('recollect_jobs'::bytea), 'hex'), 24)";

/**
 * Makes delayed jobs due and wakes the workers, if only delayed jobs are left. Jobs that are due or
 * active run first, as in operation: the delay of `maintain-index` lets it measure an index whose
 * embeddings are complete. Jobs that have failed still wait for their next try.
 */
export async function hurryJobs(db: SqlExecutor): Promise<void> {
  await db.executeSql(
    `WITH unfinished AS (
       SELECT id, name, state = 'created' AND start_after > now() AS delayed
         FROM recollect_jobs.job
        WHERE state IN ('created', 'retry', 'active')
          AND name NOT IN ${RECURRING}
     ), due AS (
       UPDATE recollect_jobs.job
          SET start_after = now()
        WHERE (name, id) IN (SELECT name, id FROM unfinished)
          AND (SELECT bool_and(delayed) FROM unfinished)
       RETURNING name
     )
     SELECT pg_notify(${CHANNEL}, name)
       FROM (SELECT DISTINCT name FROM due) AS kinds`,
  );
}
