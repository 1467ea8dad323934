import { AppError } from "../../base/errors.ts";
import { createAgentRole, grantAgentRights, lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { emptySchema, forgetCounts, hasAgentSchema, versionOfSchema } from "../../db/agent/schema/restored-schema.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import { type AgentRow, noteMigrated } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { type AgentMigration, newestVersion } from "../../db/migrate/agent.ts";
import { spaceOf } from "../core/agent-profile.ts";

/**
 * Replaces an agent's schema with its copy from a dump, within the caller's transaction. The agent
 * must be disabled.
 *
 * @param load fills the empty schema
 * @returns the version of the schema
 * @throws AppError `invalid_request` when the dump does not contain the agent, or comes from a
 *   newer Recollect
 */
export async function restoreFromDump(
  tx: SqlExecutor,
  row: AgentRow,
  { migrations, now, load }: { migrations: readonly AgentMigration[]; now: Date; load: () => Promise<void> },
): Promise<number> {
  const space = spaceOf(row);
  await lockAgentSchema(tx, space);
  await emptySchema(tx, space.schema);
  await load();
  if (!(await hasAgentSchema(tx, space.schema)))
    throw new AppError(
      "invalid_request",
      `The dump does not hold this agent: it has no schema ${unquoted(space.schema)}. An agent that was erased and created again has a new schema; restore it from an archive.`,
    );
  await createAgentRole(tx, space);
  await grantAgentRights(tx, space);
  const version = await versionOfSchema(tx, space, migrations);
  if (version === undefined)
    throw new AppError(
      "invalid_request",
      "The dump comes from a newer Recollect or is incomplete: its tables match no version that this Recollect knows. Use the Recollect that wrote the database.",
    );
  await noteMigrated(tx, row.tenantId, row.id, newestVersion(migrations.slice(0, version)));
  await forgetCounts(tx, space.schema, row.tenantId, row.id);
  const audit = { at: now, actor: "operator", action: "agent.restore", target: row.id };
  await insertAudit(tx, { tenantId: row.tenantId, ...audit, details: { schemaVersion: version } });
  return version;
}
