import { clearRejected } from "../../db/agent/chunks/vectors.ts";
import { countIndexedFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { countIndexed } from "../../db/agent/files/unindexed-files.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { forgetCancelled, liveGenerations, serves, setGenerationStatus } from "../../db/agent/schema/generations.ts";
import { countCarried } from "../../db/agent/sessions/session-index.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { EMBED_JOB, REINDEX_JOB } from "../../queue/job-contracts.ts";
import { authoriseAgent } from "../../settings/access.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { targetGeneration, unlessNoEmbedder } from "../embedding/embedder-for.ts";
import type { IndexDeps } from "./index-deps.ts";
import { dropEnded } from "./reindex-agent.ts";
import { pendingOf } from "./take-over.ts";

/** The status of a build. */
export interface ReindexStatus {
  /** `due`: an index that the settings or a caller ask for is not being built yet. */
  state: "none" | "building" | "due";
  provider?: string;
  model?: string;
  files?: { indexed: number; total: number };
  facts?: { indexed: number; total: number };
  sessions?: { indexed: number; total: number };
  pendingEmbeddings?: number;
  startedAt?: string;
}

/** Returns the progress of the index that is being built beside the active one. */
export async function reindexStatus(deps: IndexDeps, agent: KnownAgent): Promise<ReindexStatus> {
  const wanted = await targetGeneration(deps, agent).catch(unlessNoEmbedder);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const { active, building } = await liveGenerations(tx, agent.schema);
    if (!building) return { state: active && wanted && !serves(active, wanted) ? ("due" as const) : ("none" as const) };
    const { files, indexed } = await countIndexed(tx, agent.schema, building.id);
    const facts = await countIndexedFacts(tx, agent.schema, building.id);
    const sessions = await countCarried(tx, agent.schema, building.id);
    return {
      state: "building" as const,
      provider: building.provider,
      model: building.model,
      files: { indexed, total: files },
      facts: { indexed: facts.indexed, total: facts.facts },
      sessions: { indexed: sessions.indexed, total: sessions.sessions },
      pendingEmbeddings: await pendingOf(tx, agent, building),
      startedAt: building.createdAt.toISOString(),
    };
  });
}

/**
 * Starts a reindex, even if one was cancelled or the active index still serves the settings. Texts
 * that the provider refused are tried again.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
export async function startReindex(deps: IndexDeps, caller: Caller, agentId: string): Promise<ReindexStatus> {
  authoriseAgent(caller, "tenant", agentId);
  const agent = await findKnownAgent(deps, caller, "tenant", agentId);
  if (!agent) return { state: "none" };
  await deps.db.transaction(async (tx) => {
    const audit = { at: deps.clock(), actor: caller.actor, action: "agent.reindex", target: agentId };
    await insertAudit(tx, { tenantId: caller.tenantId, ...audit });
    const payload = { tenantId: caller.tenantId, agentId };
    await lockAgentSchema(tx, agent);
    await forgetCancelled(tx, agent.schema);
    const { active, building } = await liveGenerations(tx, agent.schema);
    let refused = 0;
    for (const generation of [active, building])
      if (generation && generation.dimensions !== null) refused += await clearRejected(tx, agent.schema, generation.id);
    if (refused > 0) await deps.queue.send(tx, EMBED_JOB, payload);
    await deps.queue.send(tx, REINDEX_JOB, { ...payload, anew: true });
  });
  const status = await reindexStatus(deps, agent);
  // The job that was just sent has not begun yet.
  return status.state === "none" ? { state: "due" } : status;
}

/**
 * Cancels the index that is being built; the active index stays. No build for the same settings
 * starts by itself afterwards.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
export async function cancelReindex(deps: IndexDeps, caller: Caller, agentId: string): Promise<ReindexStatus> {
  const agent = await findKnownAgent(deps, caller, "tenant", agentId);
  if (!agent) return { state: "none" };
  await deps.db.transaction(async (tx) => {
    await lockAgentSchema(tx, agent);
    const { building } = await liveGenerations(tx, agent.schema);
    if (!building) return;
    await setGenerationStatus(tx, agent.schema, building.id, "cancelled");
    const audit = { at: deps.clock(), actor: caller.actor, action: "agent.cancel-reindex", target: agentId };
    await insertAudit(tx, { tenantId: caller.tenantId, ...audit });
  });
  await dropEnded(deps, agent);
  return reindexStatus(deps, agent);
}
