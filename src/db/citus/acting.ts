/**
 * On a Citus cluster, who runs the statements that reach the workers: the agents' roles cannot, as none may log in. Citus opens
 * connections to workers as the current role, so the coordinator goes on as this one, which may log in and has no rights on the
 * control schema.
 */
export const DATA_ROLE = "recollect_data";

/** Whose one table is written so that a commit is one commit, and where the cluster's own few things are. */
export const CLUSTER_SCHEMA = "recollect_cluster";

const TO_WORKERS = "SET LOCAL citus.propagate_set_commands TO 'local'";
const HERE_ONLY = "SET LOCAL citus.propagate_set_commands TO 'none'";

/**
 * The messages that follow BEGIN on a cluster; each has to be one of its own, as Citus hands on the whole text that a SET stands
 * in. What is set in between reaches a worker with its BEGIN: the agent's role, and how its indexes are scanned.
 */
export function beginOnCluster(role: string, setup: readonly string[]): string[] {
  return [TO_WORKERS, ...setup, `SET LOCAL ROLE ${role}`, HERE_ONLY, `SET LOCAL ROLE ${DATA_ROLE}`];
}

/**
 * The messages that give a transaction back to the login. Before COMMIT too: the record of a two-phase commit is the login's to
 * write, and as another role COMMIT fails with 42501 and leaves its rows locked for a minute.
 */
export const END_ROLE_ON_CLUSTER: readonly string[] = [TO_WORKERS, "SET LOCAL ROLE NONE", HERE_ONLY];

/**
 * Touches no row. A transaction that writes on one worker and in tables of the coordinator is committed in two steps, and a
 * coordinator that dies between them keeps one half; one that also writes a table that Citus manages on the coordinator is
 * committed on both or on neither.
 */
export const MARK_COMMIT = `DELETE FROM ${CLUSTER_SCHEMA}.commit_marker WHERE id = 0`;
