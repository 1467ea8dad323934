import { sqlState } from "../../db/pg-error.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { findKnownAgent, findOrCreateAgent, type KnownAgent } from "../agent/find-agent.ts";
import type { Caller, Deps } from "../deps.ts";
import { syncExtraPaths } from "../extra-paths/sync-extra-paths.ts";
import { retainFacts } from "../facts/retain-facts.ts";
import { indexPendingSessions } from "../sessions/index-sessions.ts";
import { retainSessions } from "../sessions/retain-sessions.ts";

/**
 * One part of a sync. Each commits by itself, can be repeated, and returns when it has nothing left to do or `signal` is
 * aborted; it is then done again from the start, unless it returns "done".
 */
type SyncStep = (deps: Deps, agent: KnownAgent, signal: AbortSignal) => Promise<unknown>;

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
export async function syncAgent(deps: Deps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
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

/**
 * Has an agent's memory synced in the background: the trigger by hand.
 *
 * @throws AppError as `findOrCreateAgent`
 */
export async function requestSync(deps: Deps, caller: Caller, agentId: string): Promise<void> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  await deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId });
}

/** A search looks for what has changed in an agent's folders at most this often. */
const SEARCH_SYNC_EVERY_MS = 60_000;

/**
 * Has an agent's folders synced when it is searched: whether they have changed is only known by looking, so each process asks
 * at most once a minute. The search neither waits for the sync nor fails with it.
 */
export async function syncOnSearch(deps: Deps, agent: KnownAgent): Promise<void> {
  if (!agent.settings.sync.onSearch || agent.settings.extraPaths.length === 0) return;
  const now = deps.clock().getTime();
  if (now - (deps.searchSyncs.get(agent.schema) ?? 0) < SEARCH_SYNC_EVERY_MS) return;
  deps.searchSyncs.set(agent.schema, now);
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
  await deps.queue.send(deps.db, SYNC_JOB, payload, "unless one waits").catch((error: unknown) => {
    deps.logger.warn({ agentId: agent.agentId, code: sqlState(error) }, "a sync could not be asked for");
  });
}
