import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { spareSpaces } from "./spaces-schema.ts";

/** A schema with its role that belongs to nobody yet. */
export type SpareSpace = typeof spareSpaces.$inferSelect;

/**
 * Takes a spare of at most this version, if there is one; others who take one meanwhile get another.
 *
 * @returns it, with how many such there were, and how many agents there are by the catalogue's estimate
 */
export async function takeSpareSpace(
  sql: SqlExecutor,
  newestVersion: number,
): Promise<{ taken: SpareSpace | undefined; spares: number; agents: number }> {
  const { rows } = await sql.executeSql<{ schema: string | null; version: number; spares: number; agents: number }>(
    `WITH taken AS (
       DELETE FROM recollect.spare_spaces
        WHERE schema_name = (SELECT schema_name FROM recollect.spare_spaces WHERE schema_version <= $1
                              ORDER BY schema_name LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING schema_name, schema_version)
     SELECT taken.schema_name AS schema, taken.schema_version AS version,
            (${SPARES}) AS spares, (${AGENTS}) AS agents
       FROM (SELECT) AS one LEFT JOIN taken ON true`,
    [newestVersion],
  );
  const { schema = null, version = 0, spares = 0, agents = 0 } = rows[0] ?? {};
  return { taken: schema === null ? undefined : { schemaName: schema, schemaVersion: version }, spares, agents };
}

/** How many spares of at most this version there are, and how many agents by the catalogue's estimate. */
export async function countSpareSpaces(
  sql: SqlExecutor,
  newestVersion: number,
): Promise<{ spares: number; agents: number }> {
  const { rows } = await sql.executeSql<{ spares: number; agents: number }>(
    `SELECT (${SPARES}) AS spares, (${AGENTS}) AS agents`,
    [newestVersion],
  );
  return rows[0] ?? { spares: 0, agents: 0 };
}

/** Without those that a newer release made, which this one cannot use: after it was rolled back, new agents would find none. */
const SPARES = "SELECT count(*)::integer FROM recollect.spare_spaces WHERE schema_version <= $1";
/** Counting the rows themselves would cost more, the more agents there are. */
const AGENTS = `SELECT greatest(reltuples, 0)::integer FROM pg_class WHERE oid = 'recollect.agents'::regclass`;

export async function insertSpareSpaces(sql: SqlExecutor, spares: readonly SpareSpace[]): Promise<void> {
  if (spares.length > 0)
    await controlDb(sql)
      .insert(spareSpaces)
      .values([...spares]);
}

/** All of them; there are never many. */
export function listSpareSpaces(sql: SqlExecutor): Promise<SpareSpace[]> {
  return controlDb(sql).select().from(spareSpaces).orderBy(spareSpaces.schemaName);
}
