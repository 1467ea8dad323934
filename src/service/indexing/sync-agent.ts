import { noteSync } from "../../db/control/agents.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { findOrCreateAgent } from "../agent/create-agent.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { retainFacts } from "../facts/forget-facts.ts";
import { retainHistory } from "../history/retain-history.ts";
import { indexPendingSessions } from "../sessions/index-sessions.ts";
import { retainSessions } from "../sessions/retain-sessions.ts";
import type { IndexDeps } from "./index-deps.ts";

/**
 * A step of a sync. It commits its own work, can be repeated, and returns when nothing is left to
 * do or `signal` is aborted. After an abort it is repeated from the start, unless it returned
 * "done".
 */
type SyncStep = (deps: IndexDeps, agent: KnownAgent, signal: AbortSignal) => Promise<unknown>;

/**
 * The core's steps of a sync, which the sync of the server's folders follows. Their order makes sure
 * that nothing is embedded that is about to be deleted.
 */
const STEPS: readonly SyncStep[] = [retainSessions, retainFacts, retainHistory, indexPendingSessions];

/** The longest time that one job works on one agent before it yields to other jobs. */
const TURN_MS = 30_000;

/**
 * Deletes what the agent's settings no longer keep, indexes messages that are not indexed yet, and
 * synchronises the memory with the agent's folders on the server. Requested by new and urgent
 * messages, by searches, by changes of settings, at intervals, at the start of a worker, and
 * manually.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job
 */
export async function syncAgent(deps: IndexDeps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const turn = AbortSignal.any([signal, AbortSignal.timeout(TURN_MS)]);
  for (const step of [...STEPS, ...deps.hooks.syncFolders]) {
    const result = await step(deps, agent, turn);
    if (!turn.aborted || result === "done") continue;
    const rest = { tenantId: agent.tenantId, agentId };
    return deps.queue.send(deps.db, SYNC_JOB, rest, signal.aborted ? undefined : "after others");
  }
  await noteSync(deps.db, agent.tenantId, agentId, deps.clock());
}

/**
 * Enqueues a sync of an agent's memory: the manual trigger.
 *
 * @throws AppError as `findOrCreateAgent`
 */
export async function requestSync(deps: IndexDeps, caller: Caller, agentId: string): Promise<void> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  await deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId });
}
