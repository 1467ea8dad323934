import { AppError } from "../../base/errors.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { inPhase } from "../embedding/search-phase.ts";
import type { SearchDeps } from "./search-deps.ts";

/**
 * The reranker's scores of the pool, 0..1 by chunk; empty if the reranker is off or did not answer.
 */
interface Reranked {
  scores: ReadonlyMap<string, number>;
  warning?: string;
}

/**
 * Reranks the best hits of the pool within the deadline. If the reranker does not answer, the order
 * stays. Do not call this inside a transaction.
 *
 * @param pool best first
 */
export async function rerankPool(
  deps: SearchDeps,
  agent: KnownAgent,
  query: string,
  pool: readonly { chunkId: string; text: string; named: boolean }[],
): Promise<Reranked> {
  const { provider, model, candidates } = agent.settings.query.rerank;
  const asked = pool.filter((hit) => !hit.named).slice(0, candidates);
  if (provider === "none" || asked.length < 2) return { scores: new Map() };
  try {
    const reranker = deps.models.reranker(provider, model);
    const texts = asked.map((hit) => hit.text);
    const deadline = AbortSignal.timeout(deps.modelTimeoutMs);
    const scores = await inPhase(deps, "rerank", () => reranker.rerank(query, texts, deadline));
    return { scores: new Map(asked.map((hit, index) => [hit.chunkId, scores[index] ?? 0])) };
  } catch (error) {
    const code = error instanceof AppError ? error.code : "model_unavailable";
    deps.logger.warn({ code, agentId: agent.agentId, provider }, "reranking failed; the order stays as it was");
    const why = error instanceof AppError ? ` ${error.message}` : ` It took longer than ${deps.modelTimeoutMs} ms.`;
    return { scores: new Map(), warning: `The hits are not reranked.${why}` };
  }
}
