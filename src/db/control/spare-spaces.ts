import { citusVersion } from "../citus/inspect-cluster.ts";
import { FULLNESS, MOST_EXCESS_BYTES } from "../citus/place-agents.ts";
import type { SqlExecutor } from "../database.ts";
import { controlDb } from "./control-db.ts";
import { spareSpaces } from "./spaces-schema.ts";

/** A schema with its role that no agent has yet. */
export type SpareSpace = typeof spareSpaces.$inferSelect;

/** The numbers that decide how many spare spaces to make. */
export interface SpareCount {
  /** The number of spares that a new agent may take. */
  spares: number;
  /** The number of all spares. */
  all: number;
  /** The number of agents, by the catalogue's estimate. */
  agents: number;
  /** Whether Citus distributes the spaces over a cluster. */
  isCluster: boolean;
}

/**
 * The spares that a new agent may take. This release cannot use spares that a newer release made:
 * after a rollback, they would count as available, and new agents would find none.
 */
const ON_SERVER = {
  ctes: "",
  from: "recollect.spare_spaces s WHERE s.schema_version <= $1",
  order: "s.schema_name",
};

/**
 * The spares that a new agent may take on a cluster: only those on workers that accept new agents.
 * When one worker is much emptier than the others, for example because it has just joined, only
 * spares on this worker may be taken.
 */
const ON_CLUSTER = {
  ctes: `${FULLNESS},`,
  from: `recollect.spare_spaces s
         JOIN fullness ON fullness.schemaid = to_regnamespace(s.schema_name)
        WHERE s.schema_version <= $1
          AND fullness.excess < ${MOST_EXCESS_BYTES}`,
  order: "fullness.bytes, s.schema_name",
};

/**
 * Takes a spare space of at most a version, if there is one. Callers who take one at the same time
 * get different ones. On a cluster, takes a spare on the emptiest worker that has one.
 *
 * @returns the spare, and the counts from before it was taken
 */
export async function takeSpareSpace(
  sql: SqlExecutor,
  newestVersion: number,
): Promise<{ taken: SpareSpace | undefined } & SpareCount> {
  const isCluster = await isOnCluster(sql);
  const { ctes, from, order } = isCluster ? ON_CLUSTER : ON_SERVER;
  const { rows } = await sql.executeSql<Counted & { schema: string | null; version: number }>(
    `WITH ${ctes} taken AS (
       DELETE FROM recollect.spare_spaces
        WHERE schema_name = (
          SELECT s.schema_name
            FROM ${from}
           ORDER BY ${order}
           LIMIT 1
             FOR UPDATE OF s SKIP LOCKED)
       RETURNING schema_name, schema_version
     )
     SELECT taken.schema_name AS schema, taken.schema_version AS version, ${countsOf(from)}
       FROM (SELECT) AS one
       LEFT JOIN taken ON true`,
    [newestVersion],
  );
  const { schema, version, ...count } = rows[0] ?? { schema: null, version: 0, ...NOTHING };
  return { taken: schema === null ? undefined : { schemaName: schema, schemaVersion: version }, ...count, isCluster };
}

/** Counts the spare spaces of at most a version, and agents. */
export async function countSpareSpaces(sql: SqlExecutor, newestVersion: number): Promise<SpareCount> {
  const isCluster = await isOnCluster(sql);
  const { ctes, from } = isCluster ? ON_CLUSTER : ON_SERVER;
  const { rows } = await sql.executeSql<Counted>(
    `WITH ${ctes} one AS (SELECT)
     SELECT ${countsOf(from)} FROM one`,
    [newestVersion],
  );
  return { ...(rows[0] ?? NOTHING), isCluster };
}

type Counted = Omit<SpareCount, "isCluster">;
const NOTHING = { spares: 0, all: 0, agents: 0 };

/** Counting the agents' rows would cost more, the more agents there are. */
function countsOf(from: string): string {
  return `(SELECT count(*)::integer FROM ${from}) AS spares,
          (SELECT count(*)::integer FROM recollect.spare_spaces) AS "all",
          (SELECT greatest(reltuples, 0)::integer FROM pg_class WHERE oid = 'recollect.agents'::regclass) AS agents`;
}

async function isOnCluster(sql: SqlExecutor): Promise<boolean> {
  return (await citusVersion(sql)) !== undefined;
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
