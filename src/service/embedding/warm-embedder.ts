import { AppError } from "../../base/errors.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

const warmed = new WeakSet<Embedder>();

/**
 * Prepares this process for an agent's questions: makes its embedder, and loads the model if it runs in this process, which
 * takes seconds. Otherwise the first question of a conversation would wait for it. It is done once for each model. A failure
 * is only logged: the search meets it too, and reports it.
 */
export async function warmEmbedder(deps: EmbeddingDeps, { agentId, settings }: AgentProfile): Promise<void> {
  try {
    const embedder = await deps.embedders.forSettings(settings);
    if (!embedder || !runsInProcess(embedder) || warmed.has(embedder)) return;
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
