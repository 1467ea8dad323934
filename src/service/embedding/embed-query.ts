import { LRUCache } from "lru-cache";
import { AppError } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import { encodeVector } from "../../db/vector-codec.ts";
import type { Embedder } from "../../embeddings/embedder.ts";
import type { Caller } from "../core/core-deps.ts";
import { CACHE_TTL_MS } from "../core/purge-stale-entries.ts";
import type { EmbeddingDeps } from "./embedding-deps.ts";
import { usageOf } from "./embedding-usage.ts";
import { inPhase } from "./search-phase.ts";

/** Some 9,000 vectors of 384 dimensions, or 1,300 of 3,072. */
const MOST_BYTES = 16_000_000;
/** Of an entry besides its vector: its key and its place. */
const ENTRY_BYTES = 200;

/** What a process remembers of queries; by bytes, as a thousand agents with some questions each are more than a thousand vectors. */
export function createQueryVectors(): LRUCache<string, Uint8Array> {
  return new LRUCache({
    ttl: CACHE_TTL_MS,
    maxSize: MOST_BYTES,
    sizeCalculation: (vector) => ENTRY_BYTES + vector.length,
  });
}

/**
 * The query's vector in pgvector's binary form: from this process's memory, else the provider. It is kept nowhere else: queries are
 * without number, and an agent that is erased must not leave any in the embedding cache. Agents share none, so that the
 * time of an answer does not tell what another agent was asked.
 *
 * @throws AppError `embedder_unavailable` or `embedder_rejected`
 */
export async function embedQuery(
  deps: EmbeddingDeps,
  { caller, agentId, embedder }: { caller: Caller; agentId: string; embedder: Embedder },
  query: string,
): Promise<Uint8Array> {
  const { provider, model, providerKey } = embedder;
  const { tenantId } = caller;
  const key = [tenantId, agentId, provider, model, providerKey, sha256(query)].join(":");
  const known = deps.queryVectors.get(key);
  deps.metrics.cacheLookups.inc({ cache: "query_vectors", result: known ? "hit" : "miss" });
  if (known) return known;
  const deadline = AbortSignal.timeout(deps.queryEmbedTimeoutMs);
  // Counted as it is answered: an answer that then turns out to be useless was paid for.
  const report = ({ tokens }: { tokens: number }) =>
    deps.queryUsage.add(
      usageOf(deps, { tenantId, agentId }, embedder, { kind: "query", requests: 1, texts: 1, tokens }),
    );
  const asking = inPhase(deps, "embed", () => embedder.embed([query], "query", deadline, report));
  const [vector] = await asking.catch((cause: unknown) => {
    if (!deadline.aborted) throw cause;
    throw new AppError("embedder_unavailable", `It took longer than ${deps.queryEmbedTimeoutMs} ms.`, { cause });
  });
  if (!vector) throw new AppError("embedder_unavailable", "The embedding provider returned no vector for the query.");
  const encoded = encodeVector(vector);
  deps.queryVectors.set(key, encoded);
  return encoded;
}
