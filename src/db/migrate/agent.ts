import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AppError } from "../../base/errors.ts";
import type { AgentSpace } from "../agent/schema/agent-transaction.ts";
import { citusVersion } from "../citus/inspect-cluster.ts";
import type { SqlExecutor } from "../database.ts";

export interface AgentMigration {
  version: number;
  name: string;
  /**
   * Whether a binary that does not know this migration must not touch the schema. The migration's
   * first line is then `-- breaking`.
   */
  breaking: boolean;
  /** Statements with the placeholders `:agent_schema`, `:agent_role` and `:generation_id`. */
  statements: readonly string[];
}

const FOLDER = fileURLToPath(new URL("../../../migrations", import.meta.url));

/**
 * Returns the agent migrations in order. Their numbers have four digits and no gaps; the folder is
 * the only registry.
 */
export function loadAgentMigrations(folder = FOLDER): readonly AgentMigration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1) throw new AppError("internal", `Migration ${name} is out of order.`);
      const text = readFileSync(`${folder}/${name}`, "utf8");
      return {
        version,
        name,
        breaking: /^-- breaking\b/.test(text),
        statements: text.split("--> statement-breakpoint"),
      };
    });
}

/** Returns the versions of a schema to which all of these migrations have been applied. */
export function newestVersion(migrations: readonly AgentMigration[]): {
  schemaVersion: number;
  breakingVersion: number;
} {
  const breaking = migrations.findLast((migration) => migration.breaking);
  return { schemaVersion: migrations.length, breakingVersion: breaking?.version ?? 0 };
}

/**
 * Applies the migrations above `fromVersion` to one agent's schema, as the service's own role. Plain Postgres
 * gets the statements in one text: a new agent has 80 of them, and one at a time they took 1.4 to 1.9 times as
 * long. Citus refuses DDL in a text with other statements. Every statement
 * is idempotent, so a run that died half-way is repeated. A statement about a generation's own
 * tables contains `:generation_id` and runs once for each generation.
 */
export async function applyAgentMigrations(
  sql: SqlExecutor,
  agent: AgentSpace,
  migrations: readonly AgentMigration[],
  fromVersion: number,
): Promise<void> {
  const pending = migrations.filter(({ version }) => version > fromVersion).flatMap(({ statements }) => statements);
  if (pending.length === 0) return;
  const isCluster = (await citusVersion(sql)) !== undefined;
  let together: string[] = [];
  const send = async () => {
    const texts = isCluster ? together : together.length > 0 ? [together.join(";\n")] : [];
    together = [];
    for (const text of texts) await sql.executeSql(text);
  };
  for (const statement of pending) {
    const named = statement.replaceAll(":agent_schema", agent.schema).replaceAll(":agent_role", agent.role);
    if (!named.includes(":generation_id")) {
      together.push(named);
      continue;
    }
    await send();
    for (const id of await generationIds(sql, agent)) together.push(named.replaceAll(":generation_id", String(id)));
  }
  await send();
}

async function generationIds(sql: SqlExecutor, agent: AgentSpace): Promise<number[]> {
  const { rows } = await sql.executeSql<{ id: number }>(
    `SELECT id FROM ${agent.schema}.generations WHERE status <> 'dropped' ORDER BY id`,
  );
  return rows.map((row) => row.id);
}
