import { countOf } from "../../base/text/count-of.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";
import {
  type AgentRow,
  agentsBehind,
  agentsBeingErased,
  agentsFailed,
  countByVersion,
  giveUpImports,
} from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { newestVersion } from "../../db/migrate/agent.ts";
import { MIGRATE_FLEET_JOB } from "../../queue/job-contracts.ts";
import type { JobCounts } from "../../queue/pg-boss-sql.ts";
import { authorise, systemCaller } from "../../settings/access.ts";
import { migrateAgent } from "../agent/migrate-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import { finishErasures } from "./erase-agent.ts";

/**
 * The number of agents that are migrated first, those with the least memory. The other agents
 * follow only if all of these succeed.
 */
const CANARIES = 3;
const BATCH = 50;
/**
 * The number of agents migrated at the same time. The sweep must leave connections for requests.
 */
const PARALLEL = 2;
/** The time for which the sweep skips an agent after a failure. */
const RETRY_AFTER_MS = 300_000;
const SHOWN_FAILURES = 100;

/** The state of the fleet. */
export interface FleetStatus {
  /** The schema version of this binary. */
  targetVersion: number;
  agents: number;
  current: number;
  behind: number;
  versions: { schemaVersion: number; agents: number }[];
  /** The jobs of the whole service, by kind. */
  jobs: JobCounts;
  failed: {
    tenantId: string;
    agentId: string;
    schemaVersion: number;
    error: string;
    failedAt: string;
    attempts: number;
  }[];
}

/**
 * Migrates every agent's schema to this binary's version, smallest memory first, while requests
 * continue. An agent that is used before its turn is migrated by that request. The first few agents
 * are canaries: if one fails, no other agent is touched, and the job is retried later with other
 * canaries. So one agent that cannot be migrated does not stop the fleet, and a broken migration
 * affects one agent per try. After the canaries, a failure is recorded and the other agents follow.
 *
 * @param signal aborted when the process stops; the next job migrates the rest
 * @throws Error when a canary failed, or any agent failed after the canaries
 */
export async function migrateFleet(deps: Deps, job: { retryFailed: boolean }, signal: AbortSignal): Promise<void> {
  await eraseGivenUp(deps);
  const { schemaVersion } = newestVersion(deps.migrations);
  const failedBefore = new Date(deps.clock().getTime() - (job.retryFailed ? 0 : RETRY_AFTER_MS));
  const canaries = await agentsBehind(deps.db, schemaVersion, { failedBefore, limit: CANARIES });
  for (const row of canaries) {
    if (!(await tryToMigrate(deps, row)))
      throw new Error("An agent could not be migrated; the fleet waits until it can.");
  }
  let [done, failed] = [canaries.length, 0];
  const tried = new Set<string>();
  while (!signal.aborted) {
    const batch = await agentsBehind(deps.db, schemaVersion, { failedBefore, limit: BATCH });
    // An agent that appears again could not be recorded as failed. The next job handles it.
    if (batch.every((row) => tried.has(row.schemaName))) break;
    for (const row of batch) tried.add(row.schemaName);
    for (let at = 0; at < batch.length && !signal.aborted; at += PARALLEL) {
      const results = await Promise.all(batch.slice(at, at + PARALLEL).map((row) => tryToMigrate(deps, row)));
      done += results.filter(Boolean).length;
      failed += results.filter((result) => !result).length;
      await yieldToLoop();
    }
    deps.logger.info({ schemaVersion, done, failed }, "migrating agents");
  }
  if (signal.aborted) return deps.queue.send(deps.db, MIGRATE_FLEET_JOB, { retryFailed: false });
  if (failed > 0) throw new Error(`${countOf(failed, "agent")} could not be migrated.`);
}

/**
 * The time without progress after which an import counts as dead. The sweep then erases its hidden
 * agent.
 */
export const IMPORT_GIVEN_UP_MS = 600_000;

async function eraseGivenUp(deps: Deps): Promise<void> {
  const left = await giveUpImports(deps.db, new Date(deps.clock().getTime() - IMPORT_GIVEN_UP_MS));
  // This job replaced the delayed job that those imports had enqueued.
  if (left > 0)
    await deps.queue.send(deps.db, MIGRATE_FLEET_JOB, { retryFailed: false }, { afterMs: IMPORT_GIVEN_UP_MS });
  await finishErasures(deps, systemCaller);
}

async function tryToMigrate(deps: Deps, row: AgentRow): Promise<boolean> {
  try {
    await migrateAgent(deps, row);
    return true;
  } catch {
    // The failure is already recorded on the agent and logged.
    return false;
  }
}

/** Enqueues the sweep if any agent needs it. Every process calls this at its start. */
export async function requestSweep(deps: Deps): Promise<void> {
  const { schemaVersion } = newestVersion(deps.migrations);
  const behind = (await countByVersion(deps.db)).some((row) => row.schemaVersion < schemaVersion);
  const importing = await giveUpImports(deps.db, new Date(deps.clock().getTime() - IMPORT_GIVEN_UP_MS));
  if (behind || importing > 0 || (await agentsBeingErased(deps.db, 1)).length > 0)
    await deps.queue.send(deps.db, MIGRATE_FLEET_JOB, { retryFailed: false });
}

/**
 * Returns the progress of the fleet's migration, and the agents that failed.
 *
 * @throws AppError `forbidden`
 */
export async function fleetStatus(deps: Deps, caller: Caller): Promise<FleetStatus> {
  authorise(caller, "admin");
  const { schemaVersion } = newestVersion(deps.migrations);
  const versions = await countByVersion(deps.db);
  const total = (rows: typeof versions) => rows.reduce((sum, row) => sum + row.agents, 0);
  const behind = total(versions.filter((row) => row.schemaVersion < schemaVersion));
  const failed = await agentsFailed(deps.db, SHOWN_FAILURES);
  return {
    targetVersion: schemaVersion,
    agents: total(versions),
    current: total(versions) - behind,
    behind,
    versions,
    jobs: await deps.queue.counts(),
    failed: failed.map((row) => ({
      tenantId: row.tenantId,
      agentId: row.id,
      schemaVersion: row.schemaVersion,
      error: row.migrationError ?? "",
      failedAt: row.migrationFailedAt?.toISOString() ?? "",
      attempts: row.migrationAttempts,
    })),
  };
}

/** Starts the sweep now, including agents that failed. @throws AppError `forbidden` */
export async function startFleetMigration(deps: Deps, caller: Caller): Promise<FleetStatus> {
  authorise(caller, "admin");
  const { schemaVersion } = newestVersion(deps.migrations);
  await deps.db.transaction(async (tx) => {
    const audit = { at: deps.clock(), actor: caller.actor, action: "fleet.migrate", target: String(schemaVersion) };
    await insertAudit(tx, { tenantId: caller.tenantId, ...audit });
    await deps.queue.send(tx, MIGRATE_FLEET_JOB, { retryFailed: true });
  });
  return fleetStatus(deps, caller);
}
