import type { SqlExecutor } from "../../database.ts";
import { ownFile } from "../files/files.ts";
import { nextNumberSql } from "../schema/change-number.ts";
import type { SchemaName } from "../schema/schema-name.ts";

/** A recorded state of an agent's files and facts that a rollback can return to. */
export interface SnapshotRow {
  name: string;
  /** Changes with a lower number are in the snapshot. */
  seq: string;
  /** The newest fact in the snapshot; "0" when it has none. */
  lastFact: string;
  takenAt: Date;
  takenBy: string;
  expiresAt: Date | null;
  files: number;
  bytes: number;
  facts: number;
}

const COLUMNS = `name, seq::text AS seq, last_fact::text AS "lastFact", taken_at AS "takenAt", taken_by AS "takenBy", expires_at AS "expiresAt",
  files, bytes::float8 AS bytes, facts`;

/**
 * The first character of the names of snapshots that the service itself holds for a while. The API
 * refuses such names, and no list shows these snapshots.
 */
export const HELD = ":";

/**
 * The most snapshots of an agent. The texts of each are kept, and each version is compared with
 * every snapshot before it is deleted.
 */
export const MAX_SNAPSHOTS = 50;

/** Records the present state. The caller must keep writers out. */
export async function insertSnapshot(
  sql: SqlExecutor,
  schema: SchemaName,
  snapshot: Pick<SnapshotRow, "name" | "takenAt" | "takenBy" | "expiresAt">,
): Promise<SnapshotRow> {
  const { rows } = await sql.executeSql<SnapshotRow>(
    `INSERT INTO ${schema}.snapshots (name, seq, last_fact, taken_at, taken_by, expires_at, files,
                                      bytes, facts)
     SELECT $1, ${nextNumberSql(schema)}, f.last, $2, $3, $4, o.files, o.bytes, f.facts
       FROM (
         SELECT count(*) AS files, coalesce(sum(size_bytes), 0) AS bytes
           FROM ${schema}.files
          WHERE ${ownFile()}) AS o,
            (SELECT count(*) AS facts, coalesce(max(id), 0) AS last FROM ${schema}.facts) AS f
     RETURNING ${COLUMNS}`,
    [snapshot.name, snapshot.takenAt, snapshot.takenBy, snapshot.expiresAt],
  );
  return rows[0] as SnapshotRow;
}

/** Returns all snapshots that callers took, newest first. There are few. */
export async function listSnapshots(sql: SqlExecutor, schema: SchemaName): Promise<SnapshotRow[]> {
  const { rows } = await sql.executeSql<SnapshotRow>(
    `SELECT ${COLUMNS}
       FROM ${schema}.snapshots s
      WHERE left(s.name, 1) <> $1
      ORDER BY s.seq DESC`,
    [HELD],
  );
  return rows;
}

/**
 * Deletes a snapshot.
 *
 * @returns whether there was one
 */
export async function deleteSnapshot(sql: SqlExecutor, schema: SchemaName, name: string): Promise<boolean> {
  const { rows } = await sql.executeSql(`DELETE FROM ${schema}.snapshots WHERE name = $1 RETURNING name`, [name]);
  return rows.length > 0;
}

/** Deletes snapshots that have expired. */
export async function deleteExpired(sql: SqlExecutor, schema: SchemaName, now: Date): Promise<void> {
  await sql.executeSql(`DELETE FROM ${schema}.snapshots WHERE expires_at <= $1`, [now]);
}

/** The snapshots of an agent, and the old versions of files that they keep. */
export interface SnapshotHold {
  snapshots: number;
  oldestAt: Date | null;
  /** The versions that at least one snapshot needs, and the bytes of their texts. */
  versions: number;
  bytes: number;
}

/**
 * Measures what an agent's snapshots keep. A version that a snapshot needs stands between two of
 * the snapshots' numbers, so each version is looked up in their sorted list instead of being
 * compared with every snapshot.
 */
export async function measureSnapshots(sql: SqlExecutor, schema: SchemaName): Promise<SnapshotHold> {
  const { rows: taken } = await sql.executeSql<{ seqs: string[]; oldestAt: Date | null }>(
    `SELECT coalesce(array_agg(seq::text ORDER BY seq), '{}') AS seqs, min(taken_at) AS "oldestAt"
       FROM ${schema}.snapshots`,
  );
  const { seqs = [], oldestAt = null } = taken[0] ?? {};
  if (seqs.length === 0) return { snapshots: 0, oldestAt: null, versions: 0, bytes: 0 };
  const { rows } = await sql.executeSql<{ versions: number; bytes: number }>(
    `SELECT count(*)::float8 AS versions, coalesce(sum(size_bytes), 0)::float8 AS bytes
       FROM ${schema}.file_versions
      WHERE width_bucket(until_seq - 1, $1::bigint[]) > width_bucket(since_seq, $1::bigint[])`,
    [seqs],
  );
  return { snapshots: seqs.length, oldestAt, versions: rows[0]?.versions ?? 0, bytes: rows[0]?.bytes ?? 0 };
}
