import type { Database, SqlExecutor } from "../database.ts";
import { SQLSTATE, sqlState } from "../pg-error.ts";
import type { RoleName, SchemaName } from "./schema-name.ts";

/** Where one agent's memory is: its schema and the role that may touch it. */
export interface AgentSpace {
  readonly schema: SchemaName;
  readonly role: RoleName;
}

export interface AgentTransaction extends SqlExecutor {
  readonly schema: SchemaName;
  /**
   * Gives the rest of the transaction back to the service's own role and returns it, for the pg-boss insert and the
   * control schema. It comes last: afterwards the agent's tables are no longer this transaction's business.
   */
  asService(): Promise<SqlExecutor>;
}

const MAX_ATTEMPTS = 4;

/**
 * The only door to an agent's schema. Every statement of `fn` runs as the agent's role, which owns nothing and sees no
 * schema but its own, so a wrong schema name or an injected expression ends in "permission denied". SET LOCAL is undone
 * by COMMIT and ROLLBACK, hence safe on pooled connections.
 *
 * `fn` runs again when Postgres broke a deadlock with a concurrent write by ending this one, so it must have no effect
 * outside the transaction.
 */
export async function withAgentTransaction<T>(
  db: Database,
  agent: AgentSpace,
  fn: (tx: AgentTransaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction((tx) => fn(asAgent(tx, agent)), { setup: `SET LOCAL ROLE ${agent.role}` });
    } catch (error) {
      const state = sqlState(error);
      const again = state === SQLSTATE.deadlockDetected || state === SQLSTATE.serializationFailure;
      if (!again || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function asAgent(tx: SqlExecutor, agent: AgentSpace): AgentTransaction {
  return {
    schema: agent.schema,
    executeSql: tx.executeSql,
    asService: async () => {
      await tx.executeSql("SET LOCAL ROLE NONE");
      return tx;
    },
  };
}
