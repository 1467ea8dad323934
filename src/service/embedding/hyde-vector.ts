import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { decodeVector, encodeVector } from "../../db/vector-codec.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import { hypotheticalPassage } from "../../models/hypothetical-passage.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";
import { usageOf } from "./embedding-usage.ts";
import { inPhase } from "./search-phase.ts";

interface HydeRequest {
  agent: KnownAgent;
  embedder: Embedder;
  query: string;
  /** The query's own vector in pgvector's binary form. */
  queryVector: Uint8Array;
}

/**
 * The mean of the query's vector and that of a passage that might answer it (HyDE, equation 8 of Gao et al. 2022 with one
 * passage). When there is no passage in time the query's own vector, with a warning.
 */
export async function hydeVector(
  deps: EmbeddingDeps,
  { agent, embedder, query, queryVector }: HydeRequest,
): Promise<{ vector: Uint8Array; warning?: string }> {
  const model = agent.settings.query.hyde.model;
  // Agents share none, as of queries.
  const key = ["hyde", agent.tenantId, agent.agentId, model, embedder.model, embedder.providerKey, sha256(query)].join(
    ":",
  );
  const known = deps.queryVectors.get(key);
  if (known) return { vector: known };
  try {
    const deadline = AbortSignal.timeout(deps.modelTimeoutMs);
    const passage = await inPhase(deps, "hyde", async () =>
      hypotheticalPassage(deps.models.chat(model), query, deadline),
    );
    // For a question, though it is embedded as a document.
    const report = ({ tokens }: { tokens: number }) =>
      deps.queryUsage.add(usageOf(deps, agent, embedder, { kind: "query", requests: 1, texts: 1, tokens }));
    const [made] = await embedder.embed([passage], "document", deadline, report);
    const vector = mean(queryVector, made ?? []);
    deps.queryVectors.set(key, vector);
    return { vector };
  } catch (error) {
    const code = error instanceof AppError ? error.code : "model_unavailable";
    deps.logger.warn({ code, agentId: agent.agentId }, "no hypothetical passage; searching with the query itself");
    const why = error instanceof AppError ? ` ${error.message}` : "";
    return { vector: queryVector, warning: `HyDE was left out.${why}` };
  }
}

function mean(queryVector: Uint8Array, passage: ArrayLike<number>): Uint8Array {
  const sum = decodeVector(queryVector).map((value, index) => value + (passage[index] ?? 0));
  const length = Math.hypot(...sum) || 1;
  return encodeVector(sum.map((value) => value / length));
}
