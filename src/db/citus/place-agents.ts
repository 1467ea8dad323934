import type { SqlExecutor } from "../database.ts";
import { BUILD_MS } from "../pg-limits.ts";
import { type NodeAddress, setTakesAgents } from "./build-cluster.ts";

/**
 * The SQL that lists every agent's schema (`schemaid`) with the node group that holds it
 * (`groupid`). An agent's tables are all on one node.
 */
export const AGENT_PLACES = `
  SELECT d.schemaid, p.groupid
    FROM pg_dist_schema d
    JOIN pg_class c ON c.relname = 'files' AND c.relnamespace = d.schemaid
    JOIN pg_dist_shard s ON s.logicalrelid = c.oid
    JOIN pg_dist_placement p USING (shardid)`;

/** Returns the node of an agent's schema; undefined when Citus does not distribute the schema. */
export async function placeOf(coordinator: SqlExecutor, schema: string): Promise<NodeAddress | undefined> {
  const { rows } = await coordinator.executeSql<NodeAddress>(
    `SELECT n.nodename AS host, n.nodeport AS port
       FROM (${AGENT_PLACES}) AS place
       JOIN pg_dist_node n ON n.groupid = place.groupid AND n.noderole = 'primary'
      WHERE place.schemaid = to_regnamespace($1)`,
    [schema],
  );
  return rows[0];
}

/**
 * The size of an agent without texts, in bytes of text: a text takes some ten times its size on
 * disk, an empty agent 0.7 MB (docs/SCALE.md).
 */
const BYTES_OF_EMPTY = 70_000;

/** SQL that sums the bytes of the agents on each node group (`groupid`), spare schemas included. */
const BYTES_OF_NODES = `
  SELECT place.groupid, sum(${BYTES_OF_EMPTY} + coalesce(u.bytes + u.history_bytes, 0)) AS bytes
    FROM (${AGENT_PLACES}) AS place
    LEFT JOIN recollect.agents a ON a.schema_name = place.schemaid::regnamespace::text
    LEFT JOIN recollect.usage u ON u.tenant_id = a.tenant_id AND u.agent_id = a.id
   GROUP BY place.groupid`;

/**
 * The most bytes of texts by which a worker may be fuller than the emptiest one and still get a new
 * agent. On disk that is some 10 GB.
 */
export const MOST_EXCESS_BYTES = 1e9;

/**
 * CTEs for a statement. `taking` lists the workers that take agents, with the bytes of texts that
 * their agents hold.
 */
const TAKING = `
  held AS MATERIALIZED (${BYTES_OF_NODES}
  ), taking AS MATERIALIZED (
    SELECT groupid, nodename, nodeport, coalesce(held.bytes, 0) AS bytes
      FROM pg_dist_node
      LEFT JOIN held USING (groupid)
     WHERE noderole = 'primary'
       AND isactive
       AND shouldhaveshards
  )`;

/**
 * CTEs for a statement. The last, `fullness`, lists each schema (`schemaid`) on a worker that takes
 * agents, with the bytes of texts on that worker (`bytes`), and how many more these are than on the
 * emptiest worker that takes agents (`excess`).
 */
export const FULLNESS = `${TAKING}, fullness AS (
    SELECT place.schemaid, taking.bytes, taking.bytes - (SELECT min(bytes) FROM taking) AS excess
      FROM (${AGENT_PLACES}) AS place
      JOIN taking USING (groupid)
  )`;

/**
 * Makes Citus place the next schema on the emptiest worker, by the usage counters. Citus deals
 * schemas out to the workers in turn, by a number that it draws for each schema. So this draws
 * numbers until the next one belongs to that worker. Two transactions that do so at once may take
 * each other's turn. Without Citus, or before `cluster init` has granted the sequence, this does
 * nothing.
 */
export async function aimAtEmptiestNode(coordinator: SqlExecutor): Promise<void> {
  const { rows } = await coordinator.executeSql<{ mayAim: boolean }>(
    `SELECT has_sequence_privilege(oid, 'USAGE') AS "mayAim"
       FROM pg_class
      WHERE oid = to_regclass('pg_catalog.pg_dist_colocationid_seq')`,
  );
  if (rows[0]?.mayAim)
    await coordinator.executeSql(
      `WITH ${TAKING}, nodes AS (
         -- In the order in which Citus deals schemas out.
         SELECT row_number() OVER (ORDER BY nodename COLLATE "C", nodeport) - 1 AS turn,
                count(*) OVER () AS nodes, bytes
           FROM taking
       )
       SELECT nextval('pg_catalog.pg_dist_colocationid_seq')
         FROM (SELECT * FROM nodes ORDER BY bytes, turn LIMIT 1) AS emptiest,
              pg_catalog.pg_dist_colocationid_seq AS drawn,
              generate_series(1, mod(turn - (drawn.last_value + drawn.is_called::int) % nodes + nodes, nodes))`,
    );
}

/**
 * Moves an agent's schema to another node. Reads go on; writes wait at the end, while the last
 * changes are carried over. Citus moves nothing to a node that is closed to new agents, so such a
 * node is opened to them for the duration of the move.
 */
export async function moveAgent(coordinator: SqlExecutor, schema: string, to: NodeAddress): Promise<void> {
  const node = [to.host, to.port];
  const { rows } = await coordinator.executeSql<{ takesAgents: boolean }>(
    `SELECT shouldhaveshards AS "takesAgents"
       FROM pg_dist_node
      WHERE nodename = $1
        AND nodeport = $2`,
    node,
  );
  const isReserved = rows[0]?.takesAgents === false;
  if (isReserved) await setTakesAgents(coordinator, to, true);
  try {
    await coordinator.executeSql("SELECT citus_schema_move($1::regnamespace, $2::text, $3::int)", [schema, ...node], {
      limitMs: BUILD_MS,
      isAlone: true,
    });
  } finally {
    if (isReserved) await setTakesAgents(coordinator, to, false);
  }
}

/**
 * Starts a rebalancing of the nodes by size, which the coordinator runs in the background.
 *
 * @returns false when the sizes are balanced already
 */
export async function beginRebalance(coordinator: SqlExecutor): Promise<boolean> {
  const { rows } = await coordinator.executeSql<{ job: string | null }>(
    `SELECT CASE WHEN EXISTS (SELECT FROM pg_dist_background_job WHERE job_type = 'rebalance' AND state IN ('scheduled', 'running'))
                 THEN 0 ELSE citus_rebalance_start(rebalance_strategy := 'by_disk_size') END AS job`,
  );
  return rows[0]?.job !== null && rows[0]?.job !== undefined;
}

/**
 * Stops the rebalancing. The current move is given up.
 *
 * @returns false when no rebalancing is running
 */
export async function stopRebalance(coordinator: SqlExecutor): Promise<boolean> {
  const state = await rebalanceState(coordinator);
  if (state === undefined || !isUnderWay(state)) return false;
  await coordinator.executeSql("SELECT citus_rebalance_stop()");
  return true;
}

/** A rebalancing, which moves agents. */
export interface RebalanceState {
  state: string;
  done: number;
  total: number;
  error: string | null;
}

export function isUnderWay({ state }: RebalanceState): boolean {
  return ["scheduled", "running", "failing", "cancelling"].includes(state);
}

/** Returns the progress of the last rebalancing; undefined: there was none. */
export async function rebalanceState(coordinator: SqlExecutor): Promise<RebalanceState | undefined> {
  const { rows } = await coordinator.executeSql<RebalanceState>(
    `SELECT j.state::text AS state, count(*) FILTER (WHERE t.status = 'done')::int AS done, count(t.*)::int AS total,
            max(t.message) FILTER (WHERE t.status = 'error') AS error
       FROM pg_dist_background_job j
       LEFT JOIN pg_dist_background_task t USING (job_id)
      WHERE j.job_id = (SELECT max(job_id) FROM pg_dist_background_job WHERE job_type = 'rebalance')
      GROUP BY j.job_id, j.state`,
  );
  return rows[0];
}
