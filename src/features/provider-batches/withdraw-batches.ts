import { AppError } from "../../base/errors.ts";
import { lookUpAgent } from "../../db/control/agents.ts";
import type { EmbedBatches } from "../../embeddings/embed-batches.ts";
import { profileOf } from "../../service/core/agent-profile.ts";
import type { EmbeddingDeps } from "../../service/embedding/embedding-deps.ts";
import { agentBatches, type BatchRow } from "./sql/batches.ts";

/** The longest time that an erasure waits for a provider. */
const PATIENCE_MS = 10_000;

/**
 * Cancels a batch at the provider and deletes the file with its texts.
 *
 * @throws AppError as the provider does
 */
export async function withdrawBatch(batches: EmbedBatches, row: BatchRow, signal: AbortSignal): Promise<void> {
  const known = row.remoteId === null ? undefined : { id: row.remoteId, inputFile: row.inputFile ?? undefined };
  const remote = known ?? (await batches.find(row.id, row.createdAt, signal));
  if (!remote) return;
  const cancelling = batches.cancel(remote.id, signal);
  await cancelling.finally(() => batches.discard(remote.inputFile === undefined ? [] : [remote.inputFile], signal));
}

/**
 * Cancels the batches of an agent that is being erased, as far as their provider answers. A batch
 * that stays at the provider expires after some days. Without open batches this is one statement.
 */
export async function withdrawAgentBatches(deps: EmbeddingDeps, tenantId: string, agentId: string): Promise<void> {
  const rows = (await agentBatches(deps.db, tenantId, agentId)).filter((row) => row.status !== "direct");
  const lookup = rows.length > 0 ? await lookUpAgent(deps.db, tenantId, agentId) : undefined;
  if (!lookup?.agent) return;
  // The agent's own settings name the provider of its batches. `profileOf` ignores these settings
  // for an agent that is being erased, so the status is replaced here.
  const { settings } = profileOf(deps, { ...lookup, agent: { ...lookup.agent, status: "disabled" } }, agentId);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  for (const row of rows) {
    try {
      const embedder = await deps.embedders.forSettings(settings);
      if (embedder?.batches && embedder.provider === row.provider && embedder.providerKey === row.providerKey)
        await withdrawBatch(embedder.batches, row, signal);
    } catch (error) {
      const code = error instanceof AppError ? error.code : "unknown";
      deps.logger.warn({ agentId, provider: row.provider, code }, "a batch of an erased agent stays at its provider");
    }
  }
}
