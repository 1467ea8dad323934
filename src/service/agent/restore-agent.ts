import { AppError } from "../../base/errors.ts";
import type { AgentSpace } from "../../db/agent/schema/agent-transaction.ts";
import { createAgentRole, grantAgentRights, lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { activeGenerationId } from "../../db/agent/schema/generations.ts";
import {
  emptySchema,
  forgetAnswers,
  hasAgentSchema,
  missingParts,
  versionOfSchema,
} from "../../db/agent/schema/restored-schema.ts";
import { unquoted } from "../../db/agent/schema/schema-name.ts";
import { type AgentRow, noteMigrated } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { deleteUsage, insertUsage } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { type AgentMigration, applyAgentMigrations, newestVersion } from "../../db/migrate/agent.ts";
import { spaceOf } from "../core/agent-profile.ts";
import { countMemory } from "../core/quota.ts";

/** The most missing parts that an error names. */
const NAMED_PARTS = 3;

/**
 * Replaces an agent's schema with its copy from a dump, within the caller's transaction, migrates it
 * to this binary's version, and counts its usage. The agent must be disabled.
 *
 * @param load fills the empty schema
 * @returns the version that the schema had in the dump
 * @throws AppError `invalid_request` when the dump does not contain the agent, is incomplete, or
 *   comes from a newer Recollect
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
  await applyAgentMigrations(tx, space, migrations, version);
  await refuseIncomplete(tx, space, migrations);
  await noteMigrated(tx, row.tenantId, row.id, newestVersion(migrations));
  await forgetAnswers(tx, space.schema);
  await deleteUsage(tx, row.tenantId, row.id);
  await insertUsage(tx, row.tenantId, row.id, await countMemory({ ...tx, schema: space.schema }, space));
  const audit = { at: now, actor: "operator", action: "agent.restore", target: row.id };
  await insertAudit(tx, { tenantId: row.tenantId, ...audit, details: { schemaVersion: version } });
  return version;
}

/** @throws AppError `invalid_request` when the schema lacks its index, a column or a constraint */
async function refuseIncomplete(
  tx: SqlExecutor,
  space: AgentSpace,
  migrations: readonly AgentMigration[],
): Promise<void> {
  const missing =
    (await activeGenerationId(tx, space.schema)) === undefined
      ? ["an active index generation"]
      : await missingParts(tx, space, migrations);
  if (missing.length === 0) return;
  const others = missing.length > NAMED_PARTS ? ` and ${missing.length - NAMED_PARTS} more` : "";
  throw new AppError(
    "invalid_request",
    `The dump is incomplete. It lacks ${missing.slice(0, NAMED_PARTS).join(", ")}${others}. Nothing was changed; make the dump's text again.`,
  );
}
