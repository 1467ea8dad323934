import type { SqlExecutor } from "../database.ts";
import { aimAtEmptiestNode } from "./place-agents.ts";

// The same on every Postgres: without Citus these are settings that nobody reads.

/**
 * Locks tables until the transaction ends. On a cluster on the coordinator alone, which every statement passes: LOCK TABLE that
 * reaches the workers locks all nodes in turn, and two of them have met in a deadlock.
 */
export async function lockTables(sql: SqlExecutor, tables: readonly string[], mode: string): Promise<void> {
  await sql.executeSql(notOnWorkers(`LOCK TABLE ${tables.join(", ")} IN ${mode} MODE`));
}

/** A statement that changes how a table is treated here, and that Citus does not hand on. */
export function notOnWorkers(statement: string): string {
  return `SET LOCAL citus.enable_ddl_propagation TO off; ${statement}; SET LOCAL citus.enable_ddl_propagation TO on`;
}

/** Makes a schema, which on a cluster is one shard: its tables are on one worker, the emptiest, and move together. */
export async function createShardedSchema(sql: SqlExecutor, schema: string): Promise<void> {
  await aimAtEmptiestNode(sql);
  const sharding = "SET LOCAL citus.enable_schema_based_sharding TO";
  await sql.executeSql(`${sharding} on; CREATE SCHEMA IF NOT EXISTS ${schema}; ${sharding} off`);
}
