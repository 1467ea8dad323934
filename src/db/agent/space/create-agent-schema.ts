import { DATA_ROLE } from "../../citus/acting.ts";
import { createShardedSchema } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import { type AgentMigration, applyAgentMigrations } from "../../migrate/agent.ts";
import { SQLSTATE, sqlState } from "../../pg-error.ts";
import type { AgentSpace } from "./agent-transaction.ts";
import { unquoted } from "./schema-name.ts";

/**
 * Creates an agent's role and schema and brings it to the newest version; idempotent and resumable. On plain Postgres it
 * is one transaction, so that nobody meets half a schema; callers serialise it per agent with `lockAgentSchema`.
 *
 * @param fromVersion what its schema has already, if it was made ahead
 */
export async function createAgentSchema(
  tx: SqlExecutor,
  agent: AgentSpace,
  migrations: readonly AgentMigration[],
  fromVersion = 0,
): Promise<void> {
  if (fromVersion === 0) await createShardedSchema(tx, agent.schema);
  await applyAgentMigrations(tx, agent, migrations, fromVersion);
}

/**
 * Creates the agent's NOLOGIN role and lets the service's login act as it; idempotent. It belongs into the transaction that
 * holds `lockAgentSchema`: there is no CREATE ROLE IF NOT EXISTS, and a role made outside would outlive an erasure that
 * comes in between.
 */
export async function createAgentRole(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  const { rows } = await tx.executeSql<{ exists: boolean; isCluster: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists,
            EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isCluster"`,
    [unquoted(agent.role)],
  );
  if (!rows[0]?.exists) await tx.executeSql(`CREATE ROLE ${agent.role} NOLOGIN NOINHERIT`);
  await tx.executeSql(`GRANT ${agent.role} TO CURRENT_USER${rows[0]?.isCluster ? `, ${DATA_ROLE}` : ""}`);
}

/** Gives the agent's role what every migration gives it: the rows of the agent's tables, and nothing else. */
export async function grantAgentRights(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  await tx.executeSql(`GRANT USAGE ON SCHEMA ${agent.schema} TO ${agent.role}`);
  await tx.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${agent.schema} TO ${agent.role}`);
  await tx.executeSql(`GRANT USAGE ON SEQUENCE ${agent.schema}.files_id_seq TO ${agent.role}`);
}

/**
 * Drops an agent's schema with everything in it, and its role; does nothing when they are gone.
 *
 * @returns false when the role had to be left: it has grants elsewhere, as in a copy of this database on the same server
 */
export async function dropAgentSchema(tx: SqlExecutor, agent: AgentSpace): Promise<boolean> {
  await tx.executeSql(`DROP SCHEMA IF EXISTS ${agent.schema} CASCADE`);
  const { rows } = await tx.executeSql("SELECT 1 FROM pg_roles WHERE rolname = $1", [unquoted(agent.role)]);
  if (rows.length === 0) return true;
  // Any role may make large objects, temporary tables and default privileges, and one that owns any cannot be dropped.
  await tx.executeSql(`DROP OWNED BY ${agent.role}`);
  await tx.executeSql("SAVEPOINT before_role");
  try {
    await tx.executeSql(`DROP ROLE ${agent.role}`);
    return true;
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.dependentObjects) throw error;
    await tx.executeSql("ROLLBACK TO SAVEPOINT before_role");
    return false;
  }
}

/** Holds creation, migration and erasure of one agent for this transaction; others wait and then find it done. */
export async function lockAgentSchema(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  await tx.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [agent.schema]);
}
