import { AppError } from "../../base/errors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import {
  type Generation,
  indexesAlike,
  lastCancelled,
  liveGenerations,
  type NewGeneration,
  noteEndpoint,
  serves,
} from "../../db/agent/schema/generations.ts";
import { REINDEX_JOB } from "../../queue/job-contracts.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { targetGeneration } from "../embedding/embedder-for.ts";
import type { EmbeddingDeps } from "../embedding/embedding-deps.ts";

/**
 * Enqueues a build of the generation, unless a build is in progress or this generation was
 * cancelled.
 */
export async function requestReindex(deps: EmbeddingDeps, agent: KnownAgent, wanted: NewGeneration): Promise<void> {
  const due = await withAgentTransaction(deps.db, agent, async (tx) => {
    const { building } = await liveGenerations(tx, agent.schema);
    const cancelled = await lastCancelled(tx, agent.schema);
    return !building && !(cancelled && indexesAlike(cancelled, wanted));
  });
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId, anew: true };
  // Many requests may arrive before the build begins.
  if (due) await deps.queue.send(deps.db, REINDEX_JOB, payload, "unless one waits");
}

/**
 * Enqueues a reindex when the active generation does not fit the settings. A cancelled build is not
 * started again. The search itself reports a misconfigured provider.
 */
export async function reindexIfDue(deps: EmbeddingDeps, agent: KnownAgent, active: Generation): Promise<void> {
  const wanted = await targetGeneration(deps, agent).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (!wanted) return;
  if (!serves(active, wanted)) return requestReindex(deps, agent, wanted);
  const { id, endpoint } = active;
  if (endpoint === null && wanted.endpoint !== null)
    await deps.db.transaction((tx) => noteEndpoint(tx, agent.schema, id, wanted.endpoint ?? ""));
}
