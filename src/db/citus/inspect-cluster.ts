import type { SqlExecutor } from "../database.ts";
import type { Trouble } from "../pgvector-version.ts";
import { CLUSTER_SCHEMA, DATA_ROLE } from "./acting.ts";
import { AGENT_PLACES, type RebalanceState } from "./place-agents.ts";

/** A worker as the coordinator sees it. */
export interface WorkerState {
  host: string;
  port: number;
  /** Whether new agents may be placed on it. */
  takesAgents: boolean;
  /** The reason why the worker does not answer; undefined: it answers. */
  away?: string;
  /** Whether the data role could read agents' tables there without acting as an agent. */
  isOpen: boolean;
  /** The prepared transactions older than a minute that wait for the coordinator's decision. */
  prepared: number;
  /** The most transactions that may be prepared at once. Each write of an agent prepares one. */
  mostPrepared: number;
  agents: number;
  bytes: number;
  /** The versions of its extensions, by name. */
  extensions: Readonly<Record<string, string>>;
}

/** The properties of a Citus cluster that Recollect depends on. */
export interface ClusterState {
  version: string;
  hasDataRole: boolean;
  hasMarker: boolean;
  coordinatorTakesAgents: boolean;
  /**
   * The number of Recollect's own tables that Citus distributes. They have to be plain tables of
   * the coordinator.
   */
  distributedControlTables: number;
  /** The number of agents' tables that are on the coordinator only. */
  localAgentTables: number;
  /** The versions of the coordinator's extensions, by name. */
  extensions: Readonly<Record<string, string>>;
  workers: WorkerState[];
  /** The current rebalancing, if the caller asked for it. */
  rebalance?: RebalanceState;
}

const AGENT_SCHEMA = "^agent_[0-9a-f]{12}$";
/** Sums the sizes of all files of all agents. */
const AGENT_BYTES = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname ~ '${AGENT_SCHEMA}'
   AND c.relkind = 'r'`;

const EXTENSIONS =
  "(SELECT coalesce(json_object_agg(extname, extversion), '{}') FROM pg_extension WHERE extname IN ('citus', 'vector'))";

/**
 * Returns the query that each worker answers. The result is cast to text, because Citus returns
 * answers as text.
 */
const askedOfWorkers = (sizes: boolean) => `SELECT json_build_object(
  'extensions', ${EXTENSIONS},
  'bytes', (${sizes ? AGENT_BYTES : "SELECT 0"}),
  'isOpen', EXISTS (SELECT FROM pg_roles WHERE rolname = '${DATA_ROLE}' AND rolinherit)
     OR EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member WHERE r.rolname = '${DATA_ROLE}' AND m.inherit_option)
     OR NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${DATA_ROLE}'),
  'mostPrepared', current_setting('max_prepared_transactions')::int,
  'prepared', (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database() AND prepared < now() - interval '1 minute'))::text`;

/** Returns the version of Citus; undefined on any other Postgres. */
export async function citusVersion(sql: SqlExecutor): Promise<string | undefined> {
  const { rows } = await sql.executeSql<{ version: string }>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  );
  return rows[0]?.version;
}

/**
 * Reads the state of the cluster from its coordinator. Changes nothing and needs no special rights.
 *
 * @param options.sizes whether to measure the agents' sizes, which takes a while when there are
 *   many
 */
export async function inspectCluster(
  sql: SqlExecutor,
  version: string,
  options: { sizes: boolean },
): Promise<ClusterState> {
  const { rows } = await sql.executeSql<Omit<ClusterState, "version" | "workers">>(
    `SELECT ${EXTENSIONS} AS extensions,
            EXISTS (SELECT FROM pg_roles WHERE rolname = $1 AND rolcanlogin AND rolinherit
                      AND NOT (rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls OR rolreplication)) AS "hasDataRole",
            EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid::text = $2) AS "hasMarker",
            EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0 AND shouldhaveshards) AS "coordinatorTakesAgents",
            (SELECT count(*)::int FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname IN ('recollect', 'recollect_jobs')) AS "distributedControlTables",
            (SELECT count(*)::int FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname ~ '${AGENT_SCHEMA}' AND c.relkind = 'r'
                AND NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)) AS "localAgentTables"`,
    [DATA_ROLE, `${CLUSTER_SCHEMA}.commit_marker`],
  );
  const [state] = rows;
  if (!state) throw new Error("The cluster's catalogue returned no row.");
  return { version, ...state, workers: await inspectWorkers(sql, options.sizes) };
}

type WorkerAnswer = Pick<WorkerState, "isOpen" | "prepared" | "mostPrepared" | "bytes" | "extensions">;

async function inspectWorkers(sql: SqlExecutor, sizes: boolean): Promise<WorkerState[]> {
  // A cluster that is being set up has no control schema yet, and the doctor may run as a login that
  // may not read it.
  const { rows: spares } = await sql.executeSql(
    `SELECT FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'recollect'
        AND c.relname = 'spare_spaces'
        AND has_schema_privilege(n.oid, 'USAGE')
        AND has_table_privilege(c.oid, 'SELECT')`,
  );
  const belongs =
    spares.length === 0
      ? "true"
      : "NOT EXISTS (SELECT FROM recollect.spare_spaces WHERE to_regnamespace(schema_name) = place.schemaid)";
  const { rows } = await sql.executeSql<
    Omit<WorkerState, keyof WorkerAnswer | "away"> & { success: boolean; result: string }
  >(
    `SELECT n.nodename AS host, n.nodeport AS port, n.shouldhaveshards AS "takesAgents", a.success, a.result,
            coalesce(s.agents, 0)::int AS agents
       FROM pg_dist_node n
       JOIN run_command_on_workers($1) a ON a.nodename = n.nodename AND a.nodeport = n.nodeport
       LEFT JOIN (
         SELECT groupid, count(*) AS agents
           FROM (${AGENT_PLACES}) AS place
          WHERE ${belongs}
          GROUP BY groupid) s ON s.groupid = n.groupid
      WHERE n.noderole = 'primary'
        AND n.groupid <> 0
      ORDER BY n.nodeid`,
    [askedOfWorkers(sizes)],
  );
  return rows.map(({ success, result, ...node }) =>
    success
      ? { ...node, ...(JSON.parse(result) as WorkerAnswer) }
      : { ...node, isOpen: false, prepared: 0, mostPrepared: 0, bytes: 0, extensions: {}, away: result },
  );
}

/** An agent, and the worker that holds it. */
export interface AgentOfWorker {
  host: string;
  port: number;
  schemaName: string;
  roleName: string;
}

/**
 * Returns one agent per worker, chosen from the agents whose schema is at `schemaVersion`. A worker
 * without such an agent is left out.
 */
export async function oneAgentOfEachWorker(sql: SqlExecutor, schemaVersion: number): Promise<AgentOfWorker[]> {
  const { rows } = await sql.executeSql<AgentOfWorker>(
    `SELECT DISTINCT ON (n.nodeid) n.nodename AS host, n.nodeport AS port, a.schema_name AS "schemaName", a.role_name AS "roleName"
       FROM (${AGENT_PLACES}) AS place
       JOIN recollect.agents a ON to_regnamespace(a.schema_name) = place.schemaid
       JOIN pg_dist_node n ON n.groupid = place.groupid AND n.noderole = 'primary'
      WHERE a.schema_version = $1
      ORDER BY n.nodeid, a.tenant_id, a.id`,
    [schemaVersion],
  );
  return rows;
}

const INIT = "Run: recollect cluster init --node <each worker>, which may be run again; see docs/CITUS.md.";

/**
 * Returns the reason why no process may start on the cluster in its present state; undefined:
 * processes may start.
 */
export function unsafeCluster(state: ClusterState): Trouble | undefined {
  const { hasDataRole, hasMarker, workers, coordinatorTakesAgents, distributedControlTables } = state;
  if (!hasDataRole || !hasMarker || workers.length === 0)
    return {
      what: "This database has the extension citus, but the cluster is not set up for Recollect.",
      remedy: INIT,
    };
  if (coordinatorTakesAgents)
    return {
      what: "The coordinator takes shards, so agents would be placed where one agent's SQL can read another's rows.",
      remedy: INIT,
    };
  if (distributedControlTables > 0)
    return {
      what: `${distributedControlTables} tables of Recollect's own schemas are distributed.`,
      remedy:
        "Make them plain tables again: SELECT citus_schema_undistribute('recollect'); and let no login set citus.enable_schema_based_sharding.",
    };
  const open = workers.find(({ isOpen }) => isOpen);
  if (open)
    return {
      what: `On the worker ${open.host}:${open.port} the login ${DATA_ROLE} inherits the agents' rights to read.`,
      remedy: INIT,
    };
  return undefined;
}

/** Returns troubles that an operator should look at although processes may start. */
export function clusterWarnings({ workers, localAgentTables, extensions }: ClusterState): Trouble[] {
  const away = workers.filter((worker) => worker.away !== undefined);
  const older = workers.flatMap(({ host, port, away: isAway, extensions: there }) =>
    Object.entries(extensions).flatMap(([name, version]) =>
      isAway !== undefined || there[name] === version
        ? []
        : [{ host, port, name, version, has: there[name] ?? "none" }],
    ),
  );
  const unwritable = workers.filter(({ away: isAway, mostPrepared }) => isAway === undefined && mostPrepared === 0);
  const stuck = workers.filter(({ prepared }) => prepared > 0);
  return [
    ...away.map(({ host, port, agents, away: reason }) => ({
      what: `The worker ${host}:${port} does not answer (${reason}), and neither do its ${agents} agents.`,
      remedy:
        "Start the worker, or let its standby take its place: SELECT citus_update_node(…). If the worker runs, run recollect cluster init again, which stores the servers' passwords; see docs/CITUS.md.",
    })),
    ...older.map(({ host, port, name, version, has }) => ({
      what: `The worker ${host}:${port} has the extension ${name} ${has}, the coordinator ${version}.`,
      remedy: `Install the same packages on all servers, then run ALTER EXTENSION ${name} UPDATE on each; see docs/CITUS.md.`,
    })),
    ...unwritable.map(({ host, port }) => ({
      what: `The worker ${host}:${port} has max_prepared_transactions = 0, so every write of its agents fails.`,
      remedy: "Set max_prepared_transactions to the value of max_connections on all servers, and start them again.",
    })),
    ...stuck.map(({ host, port, prepared }) => ({
      what: `${prepared} prepared transactions wait on ${host}:${port} for more than a minute and hold their rows.`,
      remedy:
        "Citus settles these transactions once all nodes answer. To settle them at once, run as a superuser: SELECT recover_prepared_transactions();",
    })),
    ...(localAgentTables === 0
      ? []
      : [
          {
            what: `${localAgentTables} tables of agents are on the coordinator only.`,
            remedy: "Export these agents as archives, erase them and import them again; see docs/CITUS.md.",
          },
        ]),
    ...skewOf(workers),
  ];
}

/** The least difference in bytes on disk between nodes that makes a move worthwhile. */
const LEAST_SKEW_BYTES = 1e9;

function skewOf(workers: readonly WorkerState[]): Trouble[] {
  const taking = workers.filter(({ takesAgents }) => takesAgents);
  const sizes = taking.map(({ bytes }) => bytes);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (sizes.length < 2 || most - least < LEAST_SKEW_BYTES || most < 2 * least) return [];
  return [
    {
      what: `The fullest worker has ${(most / 1e9).toFixed(1)} GB of agents, the emptiest ${(least / 1e9).toFixed(1)} GB.`,
      remedy: "Run: recollect cluster rebalance",
    },
  ];
}

/**
 * Has every server connect to every other one, and returns a trouble for each failed connection: no
 * agent moves between such servers. A server that does not answer the coordinator is left to
 * `clusterWarnings`.
 */
export async function brokenPaths(coordinator: SqlExecutor, { workers }: ClusterState): Promise<Trouble[]> {
  const { rows } = await coordinator.executeSql<{ from: string; to: string }>(
    `SELECT from_nodename || ':' || from_nodeport AS "from", to_nodename || ':' || to_nodeport AS "to"
       FROM citus_check_cluster_node_health()
      WHERE result IS NOT TRUE
      ORDER BY 1, 2`,
  );
  const away = new Set(workers.flatMap((worker) => (worker.away === undefined ? [] : [nameOf(worker)])));
  return rows
    .filter(({ from, to }) => !away.has(from) && !away.has(to))
    .map(({ from, to }) => ({
      what: `${from} cannot connect to ${to}, so no agent moves between them.`,
      remedy:
        "Each certificate must name its server. If all do, run recollect cluster init again, which stores the servers' passwords for each other.",
    }));
}

function nameOf({ host, port }: { host: string; port: number }): string {
  return `${host}:${port}`;
}
