import { FULLNESS, LEAST_SKEW_BYTES } from "../citus/place-agents.ts";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { spareSpaces } from "./spaces-schema.ts";

/** A schema with its role that no agent has yet. */
export type SpareSpace = typeof spareSpaces.$inferSelect;

/** What decides how many spare spaces there should be. */
export interface SpareCount {
  /** The number of spare spaces that this release can use. */
  spares: number;
  /** The number of agents, by the catalogue's estimate. */
  agents: number;
  /** Whether the spaces are distributed over a Citus cluster. */
  isCluster: boolean;
}

const FIRST_SPARE = `
  SELECT schema_name
    FROM recollect.spare_spaces
   WHERE schema_version <= $1
   ORDER BY schema_name
   LIMIT 1
     FOR UPDATE SKIP LOCKED`;

/** None where another worker has become much emptier than those that have the spares, as after a worker joined. */
const EMPTIEST_SPARE = `
  SELECT s.schema_name
    FROM recollect.spare_spaces s
    LEFT JOIN fullness ON fullness.schemaid = to_regnamespace(s.schema_name)
   WHERE s.schema_version <= $1
     AND coalesce(fullness.excess, 0) < ${LEAST_SKEW_BYTES}
   ORDER BY fullness.bytes, s.schema_name
   LIMIT 1
     FOR UPDATE OF s SKIP LOCKED`;

/**
 * Takes a spare space of at most a version, if there is one; callers who take one at the same time get different ones. On a cluster
 * the spare on the emptiest worker is taken.
 *
 * @returns the spare, and the counts from before it was taken
 */
export async function takeSpareSpace(
  sql: SqlExecutor,
  newestVersion: number,
): Promise<{ taken: SpareSpace | undefined } & SpareCount> {
  const count = await countSpareSpaces(sql, newestVersion);
  if (count.spares === 0) return { taken: undefined, ...count };
  const { rows } = await sql.executeSql<SpareSpace>(
    `${count.isCluster ? `WITH ${FULLNESS}` : ""}
     DELETE FROM recollect.spare_spaces
      WHERE schema_name = (${count.isCluster ? EMPTIEST_SPARE : FIRST_SPARE})
     RETURNING schema_name AS "schemaName", schema_version AS "schemaVersion"`,
    [newestVersion],
  );
  return { taken: rows[0], ...count };
}

/**
 * Counts the spare spaces of at most a version, and agents. Spares that a newer release made are not counted, as this release cannot
 * use them: after a rollback, new agents would find none.
 */
export async function countSpareSpaces(sql: SqlExecutor, newestVersion: number): Promise<SpareCount> {
  // Counting the agents' rows would cost more, the more agents there are.
  const { rows } = await sql.executeSql<SpareCount>(
    `SELECT (SELECT count(*)::integer FROM recollect.spare_spaces WHERE schema_version <= $1) AS spares,
            (SELECT greatest(reltuples, 0)::integer FROM pg_class WHERE oid = 'recollect.agents'::regclass) AS agents,
            EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isCluster"`,
    [newestVersion],
  );
  return rows[0] ?? { spares: 0, agents: 0, isCluster: false };
}

export async function insertSpareSpaces(sql: SqlExecutor, spares: readonly SpareSpace[]): Promise<void> {
  if (spares.length > 0)
    await controlDb(sql)
      .insert(spareSpaces)
      .values([...spares]);
}

/** Reads all spares; there are never many. */
export function listSpareSpaces(sql: SqlExecutor): Promise<SpareSpace[]> {
  return controlDb(sql).select().from(spareSpaces).orderBy(spareSpaces.schemaName);
}
