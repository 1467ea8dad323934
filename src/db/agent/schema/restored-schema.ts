import type { SqlExecutor } from "../../database.ts";
import { type AgentMigration, applyAgentMigrations } from "../../migrate/agent.ts";
import type { AgentSpace } from "./agent-transaction.ts";
import { type SchemaName, schemaName, unquoted } from "./schema-name.ts";

/**
 * An increment above any process's counter for the agent, so that every cached answer becomes
 * invalid.
 */
const NEWER = 1_000_000;

/**
 * Returns whether the agent's schema exists in the database, judged by the table that every request
 * needs.
 */
export async function hasAgentSchema(sql: SqlExecutor, schema: SchemaName): Promise<boolean> {
  const { rows } = await sql.executeSql<{ found: boolean }>("SELECT to_regclass($1) IS NOT NULL AS found", [
    `${schema}.generations`,
  ]);
  return rows[0]?.found === true;
}

/** Replaces the agent's schema with an empty one. */
export async function emptySchema(tx: SqlExecutor, schema: SchemaName): Promise<void> {
  await tx.executeSql(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await tx.executeSql(`CREATE SCHEMA ${schema}`);
}

/**
 * Invalidates the answers that processes cached before the memory was restored, and lets the usage
 * be counted again.
 */
export async function forgetCounts(tx: SqlExecutor, schema: SchemaName, tenantId: string, agentId: string) {
  await tx.executeSql(`UPDATE ${schema}.generations SET changes = changes + ${NEWER}`);
  await tx.executeSql("DELETE FROM recollect.usage WHERE tenant_id = $1 AND agent_id = $2", [tenantId, agentId]);
}

/**
 * Returns the version of a schema that was restored from a dump. Nothing in the schema states its
 * version, so the result is the first version that has the same tables and columns. Migrations may
 * be repeated, so the first of several matching versions is right. Undefined when no version
 * matches.
 */
export async function versionOfSchema(
  tx: SqlExecutor,
  agent: AgentSpace,
  migrations: readonly AgentMigration[],
): Promise<number | undefined> {
  const wanted = await columnsOf(tx, agent.schema);
  const scratch = { ...agent, schema: schemaName(`${unquoted(agent.schema).slice(0, 50)}_is`) };
  await tx.executeSql("SAVEPOINT before_scratch");
  await tx.executeSql(`CREATE SCHEMA ${scratch.schema}`);
  let version: number | undefined;
  for (const migration of migrations) {
    await applyAgentMigrations(tx, scratch, [migration], migration.version - 1);
    if ((await columnsOf(tx, scratch.schema)) !== wanted) continue;
    version = migration.version;
    break;
  }
  await tx.executeSql("ROLLBACK TO SAVEPOINT before_scratch");
  return version;
}

/**
 * Returns all tables and columns as one text, except the tables of single indexes, whose names end
 * in a number.
 */
async function columnsOf(sql: SqlExecutor, schema: SchemaName): Promise<string> {
  const { rows } = await sql.executeSql<{ columns: string | null }>(
    `SELECT string_agg(c.relname || '.' || a.attname, ' ' ORDER BY c.relname, a.attname) AS columns
       FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = to_regnamespace($1)
        AND c.relkind = 'r'
        AND c.relname !~ '_[0-9]+$'`,
    [schema],
  );
  return rows[0]?.columns ?? "";
}
