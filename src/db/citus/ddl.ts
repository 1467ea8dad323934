import type { SqlExecutor } from "../database.ts";
import { aimAtEmptiestNode } from "./place-agents.ts";

// This SQL is the same on every Postgres. Without Citus, the settings named `citus.…` have no
// effect.

/**
 * Locks tables until the transaction ends. On a cluster it locks them only on the coordinator,
 * which every statement passes: a LOCK TABLE that reaches the workers locks all nodes in turn, and
 * two of them have met in a deadlock.
 */
export async function lockTables(sql: SqlExecutor, tables: readonly string[], mode: string): Promise<void> {
  await sql.executeSql(notOnWorkers(`LOCK TABLE ${tables.join(", ")} IN ${mode} MODE`));
}

/**
 * Returns a statement with settings around it, so that Citus does not pass it on to the workers.
 */
export function notOnWorkers(statement: string): string {
  return `SET LOCAL citus.enable_ddl_propagation TO off; ${statement}; SET LOCAL citus.enable_ddl_propagation TO on`;
}

/**
 * Creates a schema. On a cluster it is one shard: its tables are on one worker, the emptiest, and
 * move together.
 */
export async function createShardedSchema(sql: SqlExecutor, schema: string): Promise<void> {
  await aimAtEmptiestNode(sql);
  const sharding = "SET LOCAL citus.enable_schema_based_sharding TO";
  await sql.executeSql(`${sharding} on; CREATE SCHEMA IF NOT EXISTS ${schema}; ${sharding} off`);
}
