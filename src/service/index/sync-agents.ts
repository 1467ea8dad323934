import { setImmediate } from "node:timers/promises";
import { systemCaller } from "../../agents/access.ts";
import { DEFAULT_SETTINGS, type SettingsPatch } from "../../agents/settings-schema.ts";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { schemasWithExtraPaths } from "../../db/agent/files/extra-paths.ts";
import { type AgentInUse, agentsInUse } from "../../db/control/agents.ts";
import { pruneAnswers } from "../../db/control/idempotency-keys.ts";
import { DEFAULT_TENANT_ID, findTenant } from "../../db/control/tenants.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { agentKey, SCHEDULE_JOB, type SchedulePayload, SYNC_JOB } from "../../queue/job-contracts.ts";
import type { Turn } from "../../queue/queue.ts";
import { findKnownAgent, findOrCreateAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { ANSWER_TTL_MS } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { syncExtraPaths } from "../extra-paths/sync-extra-paths.ts";
import { retainFacts } from "../facts/forget-facts.ts";
import { indexPendingSessions } from "../sessions/index-sessions.ts";
import { retainSessions } from "../sessions/retain-sessions.ts";
import type { IndexDeps } from "./index-deps.ts";

const PAGE = 100;
/** Old answers that one run deletes; at a run a minute, more than can be written. */
const PRUNED_AT_ONCE = 50_000;
const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 1440;
/** A first look also covers the last few minutes: between two processes' clocks no minute may be lost. */
const OVERLAP_MINUTES = 5;

/**
 * Asks for a sync of every agent that is due for one, page by page. It is a job that asks for itself in a minute, so that it
 * runs once over all processes, and goes on where it was after all of them were away.
 *
 * @param signal aborted when the process stops: the rest has its turn at the next interval
 */
export async function scheduleSyncs(deps: IndexDeps, job: SchedulePayload, signal: AbortSignal): Promise<void> {
  const now = currentMinute(deps);
  // First, so that the chain goes on whatever happens to this one.
  // A clock that is behind must not send the next one back over minutes that were looked at.
  if (job.reason === "interval")
    await sendSchedule(deps, deps.db, "interval", Math.max(now, job.throughMinute), "in a minute");
  else await makeImplicitAgents(deps);
  await pruneAnswers(deps.db, new Date(deps.clock().getTime() - ANSWER_TTL_MS), PRUNED_AT_ONCE);
  // Also of those that have none any more: their files are to be forgotten.
  const withFolders = job.reason === "folders" ? await schemasWithExtraPaths(deps.db) : new Set<string>();
  const isDue = (agent: AgentInUse, wants: SyncWants) =>
    job.reason === "folders"
      ? wants.hasFolders || withFolders.has(agent.schemaName)
      : fallsDue(agentKey(agent), wants.intervalMinutes, job.throughMinute, now);
  let after: AgentInUse | undefined;
  while (!signal.aborted) {
    const page = await agentsInUse(deps.db, after, PAGE);
    for (const agent of page) {
      const { tenantId, agentId } = agent;
      if (agent.tenantDisabledAt === null && isDue(agent, wantsOf(deps, agent)))
        await deps.queue.send(deps.db, SYNC_JOB, { tenantId, agentId }, "unless one waits");
    }
    after = page.at(-1);
    if (!after || page.length < PAGE) return;
    await setImmediate();
  }
}

/**
 * Begins the schedule, in each process that takes jobs; the queue keeps one of each that waits. One that runs sends the next
 * itself: a beginning that came before it would go back over minutes that were looked at.
 */
export async function startSchedule(deps: IndexDeps): Promise<void> {
  await syncAllFolders(deps, deps.db);
  const throughMinute = currentMinute(deps) - OVERLAP_MINUTES;
  await sendSchedule(deps, deps.db, "interval", throughMinute, "in a minute, unless one waits or runs");
}

/** Has the folders of all agents looked at: when a worker starts, and when settings change that many agents share. */
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

/** Agents that the operator's files give folders to, and that nobody has written to yet. */
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
    });
    if (!hasFolders) continue;
    await findOrCreateAgent(deps, systemCaller(tenant.id), agentId).catch((error: unknown) => {
      // One that is disabled, or whose embedder cannot be had just now, has its turn when it is used.
      if (!(error instanceof AppError)) throw error;
    });
  }
}

/** Why an agent may be due for a sync. What has to be done for time's sake belongs here. */
interface SyncWants {
  hasFolders: boolean;
  /** Minutes between two syncs; 0: none at intervals. */
  intervalMinutes: number;
}

/**
 * The few settings that matter here, from the strongest layer that has them. Resolving all settings of ten thousand agents
 * took more than a second of every minute.
 */
function wantsOf(deps: IndexDeps, agent: Omit<AgentInUse, "schemaName" | "tenantDisabledAt">): SyncWants {
  const isDefaultTenant = agent.tenantId === DEFAULT_TENANT_ID;
  const operators = deps.defaults.layers(isDefaultTenant ? agent.agentId : undefined).map((layer) => layer.settings);
  const layers: SettingsPatch[] = [...operators, agent.tenantSettings, agent.settings];
  const strongest = <T>(value: (settings: SettingsPatch) => T | undefined): T | undefined => {
    const layer = layers.findLast((settings) => value(settings) !== undefined);
    return layer && value(layer);
  };
  return {
    hasFolders: (strongest((settings) => settings.extraPaths) ?? []).length > 0,
    intervalMinutes: intervalOf({
      intervalMinutes: strongest((settings) => settings.sync?.intervalMinutes) ?? DEFAULT_SETTINGS.sync.intervalMinutes,
      keepsTime:
        (agent.facts ?? 0) > 0 || strongest((settings) => settings.sync?.sessions?.retentionDays) !== undefined,
    }),
  };
}

/** Minutes between two syncs of an agent; one with something that time makes go, old messages or facts, has one a day. */
export function intervalOf(sync: { intervalMinutes: number; keepsTime: boolean }): number {
  const daily = sync.keepsTime ? MINUTES_A_DAY : 0;
  if (sync.intervalMinutes === 0) return daily;
  return daily === 0 ? sync.intervalMinutes : Math.min(daily, sync.intervalMinutes);
}

/**
 * Whether an agent's turn comes in the minutes after `from` up to `to`. Its turns lie at equal distances from a moment that
 * its name decides, so that agents with one interval are spread over it and nothing has to be remembered of each.
 */
export function fallsDue(key: string, intervalMinutes: number, from: number, to: number): boolean {
  if (intervalMinutes <= 0) return false;
  const shift = Number.parseInt(sha256(key).slice(0, 8), 16) % intervalMinutes;
  return Math.floor((to + shift) / intervalMinutes) > Math.floor((from + shift) / intervalMinutes);
}

function currentMinute(deps: IndexDeps): number {
  return Math.floor(deps.clock().getTime() / MINUTE_MS);
}

/**
 * One part of a sync. Each commits by itself, can be repeated, and returns when it has nothing left to do or `signal` is
 * aborted; it is then done again from the start, unless it returns "done".
 */
type SyncStep = (deps: IndexDeps, agent: KnownAgent, signal: AbortSignal) => Promise<unknown>;

/** What a sync consists of, in this order: nothing is embedded that is about to be deleted. */
const STEPS: readonly SyncStep[] = [retainSessions, retainFacts, indexPendingSessions, syncExtraPaths];

/** How long one job works on one agent before it yields to other jobs. */
const TURN_MS = 30_000;

/**
 * Brings an agent's memory up to what stands outside it or has not been indexed yet. Asked for when a session begins, when a
 * search meets something that is not indexed, at intervals, on boot and by hand.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job
 */
export async function syncAgent(deps: IndexDeps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const turn = AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)]);
  for (const step of STEPS) {
    const result = await step(deps, agent, turn);
    if (!turn.aborted || result === "done") continue;
    const rest = { tenantId: agent.tenantId, agentId };
    return deps.queue.send(deps.db, SYNC_JOB, rest, signal.aborted ? undefined : "after others");
  }
}
