import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { syncExtraPaths } from "../extra-paths/sync-extra-paths.ts";
import { retainFacts } from "../facts/retain-facts.ts";
import { indexPendingSessions } from "../sessions/index-sessions.ts";
import { retainSessions } from "../sessions/retain-sessions.ts";
import type { IndexDeps } from "./index-deps.ts";

/**
 * One part of a sync. Each commits by itself, can be repeated, and returns when it has nothing left to do or `signal` is
 * aborted; it is then done again from the start, unless it returns "done".
 */
type SyncStep = (deps: IndexDeps, agent: KnownAgent, signal: AbortSignal) => Promise<unknown>;

/** What a sync consists of, in this order: nothing is embedded that is about to be deleted. */
const STEPS: readonly SyncStep[] = [retainSessions, retainFacts, indexPendingSessions, syncExtraPaths];

/** How long one job works on one agent before it goes to the back of the queue. */
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
