import { AppError, faultOf } from "../../base/errors.ts";
import type { Generation, NewGeneration } from "../../db/agent/schema/generations.ts";
import { REINDEX_JOB } from "../../queue/job-contracts.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import { type AgentProfile, withoutRemote } from "../core/agent-profile.ts";
import { targetGeneration } from "./embedder-for.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";
import { queryReport } from "./embedding-usage.ts";

/**
 * The time from a provider's failure until a job checks whether it still fails. Vectors of two
 * models do not mix, so the fallback needs an index of its own, which a short outage is not worth.
 */
const FALLBACK_AFTER_MS = 60_000;
/** The time limit of the check, including all retries. */
const PROBE_MS = 30_000;

/**
 * Returns the settings with the fallback in place of the provider, without the values that only
 * this provider understands; undefined if there is no fallback.
 */
function fallbackSettings(settings: MemorySettings): MemorySettings | undefined {
  const { provider, fallback } = settings;
  if (fallback === "none" || fallback === "auto" || fallback === provider) return undefined;
  const unset = { model: undefined, outputDimensionality: undefined, queryInputType: undefined };
  return { ...withoutRemote(settings), ...unset, documentInputType: undefined, provider: fallback, fallback: "none" };
}

/**
 * Returns the generation to build: the one of the settings, or the one of their fallback while the
 * provider fails. If there is a fallback, the provider is asked for one embedding.
 *
 * @throws AppError as `targetGeneration`
 */
export async function reachableTarget(deps: EmbeddingDeps, agent: AgentProfile): Promise<NewGeneration> {
  const settings = fallbackSettings(agent.settings);
  if (!settings) return targetGeneration(deps, agent);
  const signal = AbortSignal.timeout(PROBE_MS);
  try {
    const embedder = await deps.embedders.forSettings(agent.settings);
    await embedder?.embed(["memory"], "document", signal, queryReport(deps, agent, embedder));
    return await targetGeneration(deps, agent);
  } catch (error) {
    if (!(error instanceof AppError) && !signal.aborted) throw error;
    const fault = error instanceof AppError ? faultOf(error) : { code: "embedder_unavailable" };
    const { provider, fallback } = agent.settings;
    deps.logger.warn(
      { agentId: agent.agentId, ...fault, provider, fallback },
      "the provider fails; its fallback is used",
    );
    return targetGeneration(deps, { ...agent, settings });
  }
}

/**
 * Enqueues a delayed reindex, which uses the fallback if the provider still fails then. Does
 * nothing without a fallback.
 */
export async function requestFallback(
  deps: EmbeddingDeps,
  { tenantId, agentId, settings }: AgentProfile,
): Promise<void> {
  if (!fallbackSettings(settings)) return;
  const how = { afterMs: FALLBACK_AFTER_MS, unlessOneWaits: true } as const;
  await deps.queue.send(deps.db, REINDEX_JOB, { tenantId, agentId }, how);
}

/**
 * Returns the configured provider if the generation was made with its fallback; undefined if it was
 * made with the provider of the current settings, or of older ones.
 */
export function standsInFor({ provider }: Generation, { settings }: AgentProfile): { from: string } | undefined {
  return provider === fallbackSettings(settings)?.provider ? { from: settings.provider } : undefined;
}
