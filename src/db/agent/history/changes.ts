import type { SqlExecutor } from "../../database.ts";
import { type SchemaName, unquoted } from "../schema/schema-name.ts";

/** One change of a file or a fact. */
export interface ChangeRow {
  at: Date;
  /** Microseconds since 1970 as digits. Postgres keeps microseconds; a JavaScript Date does not. */
  micros: string;
  /** The number that orders changes of the same moment; unique together with `kind`. */
  number: string;
  kind: string;
  /** The path of a file, or `facts/12` for a fact. */
  path: string;
  by: string | null;
  /** The file version that holds the changed text; null for a file's present text and for facts. */
  version: string | null;
  hash: string | null;
}

/** The change after which a page begins. */
export interface ChangePosition {
  micros: string;
  number: string;
  kind: string;
}

const MICROS = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint`;

/**
 * Returns one page of the changes of files and facts, oldest first, after a position and no later
 * than `until`. A file's text can produce two changes: it was written, and its file was deleted.
 * Texts that were written before versions were kept have no `by`.
 */
export async function listChanges(
  sql: SqlExecutor,
  schema: SchemaName,
  page: { after: ChangePosition; until: Date; limit: number },
): Promise<ChangeRow[]> {
  const { rows } = await sql.executeSql<ChangeRow>(
    `WITH happened AS (
       SELECT updated_at AS at, coalesce(seq, id) AS number,
              CASE WHEN coalesce(seq, id) = coalesce(born, id) THEN 'file.created'
                   ELSE 'file.changed' END AS kind,
              path, written_by AS by, NULL::bigint AS version, content_hash AS hash
         FROM ${schema}.files
       UNION ALL
       SELECT written_at, since_seq,
              CASE WHEN since_seq = born THEN 'file.created' ELSE 'file.changed' END, path,
              written_by, until_seq, content_hash
         FROM ${schema}.file_versions
       UNION ALL
       SELECT ended_at, until_seq, 'file.deleted', path, ended_by, until_seq, content_hash
         FROM ${schema}.file_versions
        WHERE deleted
       UNION ALL
       SELECT created_at, id, 'fact.stored', 'facts/' || id, source->>'by', NULL, NULL
         FROM ${schema}.facts
       UNION ALL
       SELECT at, seq, 'fact.' || kind, 'facts/' || fact_id, by, NULL, NULL
         FROM ${schema}.fact_changes
        WHERE kind <> 'confirmed'
     )
     SELECT at, ${MICROS("at")}::text AS micros, number::text AS number, kind, path, by,
            version::text AS version, hash
       FROM happened
      WHERE at >= to_timestamp($1::bigint / 1000000.0) - interval '1 millisecond'
        AND at <= $4
        AND (${MICROS("at")}, number, kind COLLATE "C") > ($1::bigint, $2::bigint, $3 COLLATE "C")
      ORDER BY ${MICROS("at")}, number, kind COLLATE "C"
      LIMIT $5`,
    [page.after.micros, page.after.number, page.after.kind, page.until, page.limit],
  );
  return rows;
}

/**
 * Returns the start time of the oldest transaction that may still change this agent's files or
 * facts, and the present time, both by the database's clock. Run with the service's own role: only
 * that role sees the start times of other roles' transactions.
 */
export async function writersSince(sql: SqlExecutor, schema: SchemaName): Promise<{ now: Date; oldest: Date | null }> {
  const { rows } = await sql.executeSql<{ now: Date; oldest: Date | null }>(
    `SELECT clock_timestamp() AS now, min(a.xact_start) AS oldest
       FROM pg_locks l
       JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'relation'
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.relation IN (to_regclass($1 || '.files'), to_regclass($1 || '.facts'))
        AND l.mode IN ('RowShareLock', 'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock')
        AND l.pid <> pg_backend_pid()`,
    [unquoted(schema)],
  );
  return rows[0] ?? { now: new Date(), oldest: null };
}

/** Returns a counter that grows with every change of the agent's memory. */
export async function changeCounter(sql: SqlExecutor, schema: SchemaName): Promise<string> {
  const { rows } = await sql.executeSql<{ changes: string }>(
    `SELECT changes::text AS changes FROM ${schema}.generations WHERE status = 'active'`,
  );
  return rows[0]?.changes ?? "";
}
