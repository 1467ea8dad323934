import { AppError } from "../../base/errors.ts";
import { lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { type AgentRow, findAgent, noteMigrated, noteMigrationFailed } from "../../db/control/agents.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { applyAgentMigrations, newestVersion } from "../../db/migrate/agent.ts";
import { sqlState } from "../../db/pg-error.ts";
import { takingLong } from "../../db/pg-limits.ts";
import { spaceOf } from "../core/agent-profile.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";

/**
 * The time after a failure in which requests do not retry the migration. The background sweep does.
 */
const RETRY_MS = 60_000;
/**
 * The longest wait of a migration for a lock that a long transaction of the agent holds. After it
 * the migration fails and is tried again later.
 */
const LOCK_TIMEOUT = "5s";

/**
 * Migrates one agent's schema to this binary's version in one transaction. Records a failure on the
 * agent.
 *
 * @returns whether the schema was older
 * @throws the database's error
 */
export async function migrateAgent(
  deps: EmbeddingDeps,
  row: Pick<AgentRow, "tenantId" | "id" | "schemaName" | "roleName">,
) {
  const newest = newestVersion(deps.migrations);
  const space = spaceOf(row);
  try {
    const migrate = async (tx: SqlExecutor) => {
      await lockAgentSchema(tx, space);
      const current = await findAgent(tx, row.tenantId, row.id);
      if (current?.schemaName !== row.schemaName || current.schemaVersion >= newest.schemaVersion) return false;
      await applyAgentMigrations(tx, space, deps.migrations, current.schemaVersion);
      await noteMigrated(tx, row.tenantId, row.id, newest);
      return true;
    };
    const setup = [`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`];
    return await takingLong(() => deps.db.transaction(migrate, { setup }));
  } catch (error) {
    const code = error instanceof AppError ? error.code : (sqlState(error) ?? "unknown");
    deps.logger.error({ tenantId: row.tenantId, agentId: row.id, code }, "an agent's schema could not be migrated");
    const failure = { version: newest.schemaVersion, error: code, now: deps.clock() };
    await noteMigrationFailed(deps.db, row.tenantId, row.id, failure);
    throw error;
  }
}

/**
 * Migrates the agent of a request, unless its migration failed a moment ago: a schema that cannot
 * be migrated must not cost every request an attempt.
 *
 * @throws AppError `agent_migration_failed`
 */
export async function migrateOnTouch(deps: EmbeddingDeps, row: AgentRow): Promise<void> {
  const failedAt = row.migrationFailedAt?.getTime();
  const message = "This agent's memory is being upgraded and cannot be used yet; try again in a minute.";
  if (failedAt !== undefined && deps.clock().getTime() - failedAt < RETRY_MS) {
    throw new AppError("agent_migration_failed", message);
  }
  try {
    await migrateAgent(deps, row);
  } catch (cause) {
    // A lock timeout and a statement timeout are failures of the migration.
    const isOwn = !(cause instanceof AppError) || cause.code === "database_busy" || cause.code === "database_timeout";
    throw isOwn ? new AppError("agent_migration_failed", message, { cause }) : cause;
  }
}
