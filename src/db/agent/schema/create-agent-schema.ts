import { AppError } from "../../../base/errors.ts";
import { DATA_ROLE } from "../../citus/acting.ts";
import { createShardedSchema } from "../../citus/ddl.ts";
import type { SqlExecutor } from "../../database.ts";
import { type AgentMigration, applyAgentMigrations } from "../../migrate/agent.ts";
import { SQLSTATE, sqlState } from "../../pg-error.ts";
import type { AgentSpace } from "./agent-transaction.ts";
import { unquoted } from "./schema-name.ts";

/**
 * Creates an agent's role and schema and migrates the schema to the newest version; idempotent and
 * resumable. On plain Postgres it runs in one transaction, so that nobody sees half a schema;
 * callers serialise it per agent with `lockAgentSchema`.
 *
 * @param fromVersion the version that a schema created in advance already has
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
 * Creates the agent's NOLOGIN role and lets the service's login act as it; idempotent. Call it in
 * the transaction that holds `lockAgentSchema`: Postgres has no CREATE ROLE IF NOT EXISTS, and a
 * role that is created outside would survive a concurrent erasure.
 *
 * @throws AppError `database_unsupported` if the login may not create roles
 */
export async function createAgentRole(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  const { rows } = await tx.executeSql<{ exists: boolean; isCluster: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists,
            EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isCluster"`,
    [unquoted(agent.role)],
  );
  if (!rows[0]?.exists) await tx.executeSql(`CREATE ROLE ${agent.role} NOLOGIN NOINHERIT`).catch(unlessNoRight);
  await tx.executeSql(`GRANT ${agent.role} TO CURRENT_USER${rows[0]?.isCluster ? `, ${DATA_ROLE}` : ""}`);
}

/** @throws AppError `database_unsupported` if the login lacks a right; rethrows every other error */
function unlessNoRight(error: unknown): never {
  if (sqlState(error) !== SQLSTATE.insufficientPrivilege) throw error;
  throw new AppError(
    "database_unsupported",
    "The service's login may not create roles, and every agent has one. The operator runs as a superuser: ALTER ROLE <login> CREATEROLE; `recollect doctor` names the login.",
    { cause: error },
  );
}

/**
 * Grants the agent's role the same rights as every migration: access to the rows of the agent's
 * tables, and nothing else.
 */
export async function grantAgentRights(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  await tx.executeSql(`GRANT USAGE ON SCHEMA ${agent.schema} TO ${agent.role}`);
  await tx.executeSql(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${agent.schema} TO ${agent.role}`);
  await tx.executeSql(`GRANT USAGE ON SEQUENCE ${agent.schema}.files_id_seq TO ${agent.role}`);
}

/**
 * Drops an agent's schema with all its contents, and its role; does nothing when they do not exist.
 *
 * @returns false when the role was kept because it has grants elsewhere, as in a copy of this
 * database on the same server
 */
export async function dropAgentSchema(tx: SqlExecutor, agent: AgentSpace): Promise<boolean> {
  await tx.executeSql(`DROP SCHEMA IF EXISTS ${agent.schema} CASCADE`);
  const { rows } = await tx.executeSql("SELECT 1 FROM pg_roles WHERE rolname = $1", [unquoted(agent.role)]);
  if (rows.length === 0) return true;
  // Any role may create large objects, temporary tables and default privileges, and a role that
  // owns any of these cannot be dropped.
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

/**
 * Locks creation, migration and erasure of one agent until the transaction ends. Other callers wait
 * and then find the work done.
 */
export async function lockAgentSchema(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  await tx.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [agent.schema]);
}
