/**
 * The role that runs the statements that reach the workers of a Citus cluster. The agents' roles
 * cannot run them, because no agent's role may log in. Citus connects to workers as the current
 * role, so the coordinator continues as this role, which may log in and has no rights on the
 * control schema.
 */
export const DATA_ROLE = "recollect_data";

/**
 * The schema of the cluster's few objects of its own, such as the table that makes a commit atomic
 * (`MARK_COMMIT`).
 */
export const CLUSTER_SCHEMA = "recollect_cluster";

const TO_WORKERS = "SET LOCAL citus.propagate_set_commands TO 'local'";
const HERE_ONLY = "SET LOCAL citus.propagate_set_commands TO 'none'";

/**
 * Returns the messages that follow BEGIN on a cluster. Each must be sent separately, because Citus
 * passes on the whole text of a message with a SET. Settings between the first and the fourth
 * message reach a worker with its BEGIN: the agent's role, and how its indexes are scanned.
 */
export function beginOnCluster(role: string, setup: readonly string[]): string[] {
  return [TO_WORKERS, ...setup, `SET LOCAL ROLE ${role}`, HERE_ONLY, `SET LOCAL ROLE ${DATA_ROLE}`];
}

/**
 * The messages that return a transaction to the login. They also precede COMMIT: only the login may
 * write the record of a two-phase commit. As another role, COMMIT fails with 42501 and leaves the
 * rows of the transaction locked for a minute.
 */
export const END_ROLE_ON_CLUSTER: readonly string[] = [TO_WORKERS, "SET LOCAL ROLE NONE", HERE_ONLY];

/**
 * A statement that changes no row. A transaction that writes on one worker and in tables of the
 * coordinator is committed in two steps. If the coordinator dies between them, only one half is
 * kept. A transaction that also writes to a table that Citus manages on the coordinator is
 * committed on both or on neither.
 */
export const MARK_COMMIT = `DELETE FROM ${CLUSTER_SCHEMA}.commit_marker WHERE id = 0`;
