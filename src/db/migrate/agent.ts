import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "../../base/errors.ts";
import type { AgentSpace } from "../agent/agent-transaction.ts";
import type { SqlExecutor } from "../database.ts";

export interface AgentMigration {
  version: number;
  name: string;
  /** Statements with the placeholders `:agent_schema` and `:agent_role`. */
  statements: readonly string[];
}

const folder = fileURLToPath(new URL("../../../migrations", import.meta.url));
let loaded: readonly AgentMigration[] | undefined;

/** The agent migrations in order, read once. Numbers are four digits without a gap; the folder is the only registry. */
export function agentMigrations(): readonly AgentMigration[] {
  loaded ??= readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1) throw new AppError("internal", `Migration ${name} is out of order.`);
      const statements = readFileSync(`${folder}/${name}`, "utf8").split("--> statement-breakpoint");
      return { version, name, statements };
    });
  return loaded;
}

/** The schema version this binary works with. */
export function latestAgentVersion(): number {
  return agentMigrations().length;
}

/**
 * Applies the migrations above `fromVersion` to one agent's schema, as the service's own role, one statement a call
 * (distributed Postgres takes DDL no other way). Every statement is idempotent, so a run that died half-way is repeated.
 */
export async function applyAgentMigrations(sql: SqlExecutor, agent: AgentSpace, fromVersion: number): Promise<void> {
  for (const migration of agentMigrations()) {
    if (migration.version <= fromVersion) continue;
    for (const statement of migration.statements) {
      await sql.executeSql(statement.replaceAll(":agent_schema", agent.schema).replaceAll(":agent_role", agent.role));
    }
  }
}
