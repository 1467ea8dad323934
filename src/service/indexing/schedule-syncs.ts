import { MINUTE_MS } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { pruneActivity, pruneHours } from "../../db/control/agent-activity.ts";
import { type AgentInUse, agentsInUse } from "../../db/control/agents.ts";
import { pruneAnswers } from "../../db/control/idempotency-keys.ts";
import { DEFAULT_TENANT_ID, findTenant } from "../../db/control/tenants.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { agentKey, SCHEDULE_JOB, type SchedulePayload, SYNC_JOB } from "../../queue/job-contracts.ts";
import type { Turn } from "../../queue/queue.ts";
import { systemCaller } from "../../settings/access.ts";
import { layersOf } from "../../settings/service-defaults.ts";
import { DEFAULT_SETTINGS, type SettingsPatch } from "../../settings/settings-schema.ts";
import { findOrCreateAgent } from "../agent/create-agent.ts";
import { ACTIVITY_TTL_MS, HOURS_TTL_MS } from "../core/activity.ts";
import { ANSWER_TTL_MS } from "../core/idempotency.ts";
import type { IndexDeps } from "./index-deps.ts";

const PAGE = 100;
/**
 * The most old rows that one run deletes. With one run a minute, that is more than can be written.
 */
const PRUNED_AT_ONCE = 50_000;
const MINUTES_A_DAY = 1440;
/**
 * The minutes before its start that the first run also covers, so that no minute is lost if the
 * clocks of two processes differ.
 */
const OVERLAP_MINUTES = 5;

/**
 * Enqueues a sync of every agent that is due, page by page, and lets the features enqueue their jobs. The job enqueues itself
 * for the next minute, so that it runs once over all processes and continues after all of them were
 * down.
 *
 * @param signal aborted when the process stops: the rest follows at the next interval
 */
export async function scheduleSyncs(deps: IndexDeps, job: SchedulePayload, signal: AbortSignal): Promise<void> {
  const now = currentMinute(deps);
  // The next run is enqueued first, so that the chain continues whatever happens to this run. A
  // slow clock must not make the next run repeat minutes.
  if (job.reason === "interval")
    await sendSchedule(deps, deps.db, "interval", Math.max(now, job.throughMinute), "in a minute");
  else await makeImplicitAgents(deps);
  await pruneAnswers(deps.db, before(deps, ANSWER_TTL_MS), PRUNED_AT_ONCE);
  await pruneActivity(deps.db, before(deps, ACTIVITY_TTL_MS), PRUNED_AT_ONCE);
  await pruneHours(deps.db, before(deps, HOURS_TTL_MS), PRUNED_AT_ONCE);
  // This includes agents that no longer have folders, because the files of these folders must be
  // deleted.
  const withFolders = job.reason === "folders" ? await schemasWithFolders(deps) : new Set<string>();
  const isDue = (agent: AgentInUse, wants: SyncWants) =>
    job.reason === "folders"
      ? wants.hasFolders || withFolders.has(agent.schemaName)
      : fallsDue(agentKey(agent), wants.intervalMinutes, job.throughMinute, now);
  const isDueNow = (key: string, intervalMinutes: number) =>
    job.reason === "interval" && fallsDue(key, intervalMinutes, job.throughMinute, now);
  let after: AgentInUse | undefined;
  while (!signal.aborted) {
    const page = await agentsInUse(deps.db, after, PAGE);
    for (const agent of page) {
      const { tenantId, agentId } = agent;
      if (agent.tenantDisabledAt !== null) continue;
      if (isDue(agent, wantsOf(deps, agent)))
        await deps.queue.send(deps.db, SYNC_JOB, { tenantId, agentId }, "unless one waits");
      for (const scheduleAgent of deps.hooks.scheduleAgent) await scheduleAgent(deps, agent, isDueNow);
    }
    after = page.at(-1);
    if (!after || page.length < PAGE) return;
    await yieldToLoop();
  }
}

async function schemasWithFolders({ hooks, db }: IndexDeps): Promise<ReadonlySet<string>> {
  const found = await Promise.all(hooks.schemasWithFolders.map((find) => find(db)));
  return new Set(found.flatMap((schemas) => [...schemas]));
}

/**
 * Starts the schedule. Each process that takes jobs calls this. The queue keeps one waiting job of
 * each kind. A running job enqueues the next one itself, so a second start would repeat minutes.
 */
export async function startSchedule(deps: IndexDeps): Promise<void> {
  await syncAllFolders(deps, deps.db);
  const throughMinute = currentMinute(deps) - OVERLAP_MINUTES;
  await sendSchedule(deps, deps.db, "interval", throughMinute, "in a minute, unless one waits or runs");
}

/**
 * Enqueues a sync of the folders of all agents. Called when a worker starts, and when settings
 * change that many agents share.
 */
export function syncAllFolders(deps: IndexDeps, sql: SqlExecutor): Promise<void> {
  return sendSchedule(deps, sql, "folders", currentMinute(deps));
}

function sendSchedule(
  deps: IndexDeps,
  sql: SqlExecutor,
  reason: SchedulePayload["reason"],
  throughMinute: number,
  turn?: Turn,
): Promise<void> {
  return deps.queue.send(sql, SCHEDULE_JOB, { reason, throughMinute }, turn);
}

/**
 * Creates the agents for which the operator's files configure folders and that have not been
 * written to yet.
 */
async function makeImplicitAgents(deps: IndexDeps): Promise<void> {
  const tenant = await findTenant(deps.db, DEFAULT_TENANT_ID);
  if (!tenant) return;
  for (const agentId of new Set([deps.defaults.defaultAgentId, ...deps.defaults.agentIds])) {
    const { hasFolders } = wantsOf(deps, {
      tenantId: tenant.id,
      agentId,
      settings: {},
      tenantSettings: tenant.settings,
      facts: 0,
      historyBytes: 0,
    });
    if (!hasFolders) continue;
    await findOrCreateAgent(deps, systemCaller(tenant.id), agentId).catch((error: unknown) => {
      // If the agent is disabled or its embedder is unavailable, it is not created now but when it
      // is used.
      if (!(error instanceof AppError)) throw error;
    });
  }
}

/** The reasons for which an agent may be due for a sync. */
interface SyncWants {
  hasFolders: boolean;
  /** The minutes between two syncs; 0: no syncs at intervals. */
  intervalMinutes: number;
}

/**
 * Returns the few settings that decide about syncs, each from the strongest layer that has it.
 * Resolving all settings of ten thousand agents took more than a second of every minute.
 */
function wantsOf(deps: IndexDeps, agent: Omit<AgentInUse, "schemaName" | "tenantDisabledAt">): SyncWants {
  const isDefaultTenant = agent.tenantId === DEFAULT_TENANT_ID;
  const layers = layersOf(deps.defaults, {
    agentId: isDefaultTenant ? agent.agentId : undefined,
    tenantSettings: agent.tenantSettings,
    agentSettings: agent.settings,
  }).map((layer) => layer.settings);
  const strongest = <T>(value: (settings: SettingsPatch) => T | undefined): T | undefined => {
    const layer = layers.findLast((settings) => value(settings) !== undefined);
    return layer && value(layer);
  };
  return {
    hasFolders: (strongest((settings) => settings.extraPaths) ?? []).length > 0,
    intervalMinutes: intervalOf({
      intervalMinutes: strongest((settings) => settings.sync?.intervalMinutes) ?? DEFAULT_SETTINGS.sync.intervalMinutes,
      keepsTime:
        (agent.facts ?? 0) > 0 ||
        (agent.historyBytes ?? 0) > 0 ||
        strongest((settings) => settings.sync?.sessions?.retentionDays) !== undefined,
    }),
  };
}

/**
 * Returns the minutes between two syncs of an agent; 0: none. An agent with facts, earlier versions
 * of files or retention of messages has at least one a day.
 */
export function intervalOf(sync: { intervalMinutes: number; keepsTime: boolean }): number {
  const daily = sync.keepsTime ? MINUTES_A_DAY : 0;
  if (sync.intervalMinutes === 0) return daily;
  return daily === 0 ? sync.intervalMinutes : Math.min(daily, sync.intervalMinutes);
}

/**
 * Returns whether an agent is due in the minutes after `from` up to `to`. Its syncs are equally
 * spaced from an offset that is a hash of its name. So agents with the same interval are spread over
 * it, and no state is stored for each agent.
 */
export function fallsDue(key: string, intervalMinutes: number, from: number, to: number): boolean {
  if (intervalMinutes <= 0) return false;
  const shift = Number.parseInt(sha256(key).slice(0, 8), 16) % intervalMinutes;
  return Math.floor((to + shift) / intervalMinutes) > Math.floor((from + shift) / intervalMinutes);
}

function before({ clock }: IndexDeps, ageMs: number): Date {
  return new Date(clock().getTime() - ageMs);
}

function currentMinute(deps: IndexDeps): number {
  return Math.floor(deps.clock().getTime() / MINUTE_MS);
}
