import type { Database, SqlExecutor } from "../database.ts";
import { applyAgentMigrations } from "../migrate/agent.ts";
import { SQLSTATE, sqlState } from "../pg-error.ts";
import type { AgentSpace } from "./agent-transaction.ts";

/**
 * Creates an agent's role and schema and brings it to the newest version; idempotent and resumable. On plain Postgres it
 * is one transaction, so that nobody meets half a schema; callers serialise it per agent with `lockAgentCreation`.
 */
export async function createAgentSchema(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  await tx.executeSql(`CREATE SCHEMA IF NOT EXISTS ${agent.schema}`);
  await applyAgentMigrations(tx, agent, 0);
}

/**
 * Creates the agent's NOLOGIN role and lets the service's login act as it; idempotent. A role belongs to the whole
 * cluster and cannot be created "if not exists", and a failed statement would end a transaction: hence on its own.
 */
export async function createAgentRole(db: Database, agent: AgentSpace): Promise<void> {
  try {
    await db.executeSql(`CREATE ROLE ${agent.role} NOLOGIN NOINHERIT`);
  } catch (error) {
    const state = sqlState(error);
    if (state !== SQLSTATE.duplicateObject && state !== SQLSTATE.uniqueViolation) throw error;
  }
  await db.executeSql(`GRANT ${agent.role} TO CURRENT_USER`);
}

/** Holds the creation of one agent for this transaction; others wait and then find it done. */
export async function lockAgentCreation(tx: SqlExecutor, agent: AgentSpace): Promise<void> {
  await tx.executeSql("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [agent.schema]);
}
