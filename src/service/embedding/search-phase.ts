import { inSpan } from "../../observe/trace.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";

type SearchPhase = "embed" | "hyde" | "keyword" | "vector" | "fuse" | "rerank";

/** Runs one part of a search, timed and traced. */
export function inPhase<T>(
  { metrics }: Pick<EmbeddingDeps, "metrics">,
  phase: SearchPhase,
  work: () => Promise<T>,
): Promise<T> {
  return inSpan(`search ${phase}`, {}, async () => {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      metrics.searchPhases.observe({ phase }, (performance.now() - begun) / 1000);
    }
  });
}
