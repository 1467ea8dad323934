import { AppError } from "../../base/errors.ts";
import { type AgentSpace, withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/space/generations.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import { embedderFor } from "./embedder-for.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

const warmed = new WeakSet<Embedder>();

/**
 * Prepares this process for an agent's questions: makes its embedder, and loads the model if it runs in this process, which
 * takes seconds. Otherwise the first question of a conversation would wait for it. It is done once for each model. A failure
 * is only logged: the search meets it too, and reports it.
 */
export async function warmEmbedder(deps: EmbeddingDeps, agent: AgentProfile & AgentSpace): Promise<void> {
  const { agentId, settings } = agent;
  try {
    const usual = await deps.embedders.forSettings(settings);
    if (!usual || !runsInProcess(usual)) return;
    // That of its index, which may be a former default.
    const generation = await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, agent.schema));
    const embedder = generation && (await embedderFor(deps, generation, agent));
    if (!embedder || warmed.has(embedder)) return;
    warmed.add(embedder);
    // One that failed is tried again by the next conversation.
    await embedder.embed(["hello"], "query").catch((error: unknown) => {
      warmed.delete(embedder);
      throw error;
    });
  } catch (error) {
    const code = error instanceof AppError ? error.code : "internal";
    deps.logger.debug({ agentId, code }, "an embedder could not be prepared");
  }
}
