import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/ids.ts";
import { toVectorText } from "../db/agent/vectors.ts";
import { readEmbeddingCache, writeEmbeddingCache } from "../db/control/embedding-cache.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import type { Caller, Deps } from "./deps.ts";
import { cacheKey } from "./embedder-of.ts";

/**
 * The query's vector as pgvector text: from this process's memory, else the embedding cache, else the provider. Many
 * models embed a query differently from a document, so the hash says which it is.
 *
 * @throws AppError `embedder_unavailable` or `embedder_rejected`
 */
export async function embedQuery(
  deps: Deps,
  { caller, agentId, embedder }: { caller: Caller; agentId: string; embedder: Embedder },
  query: string,
): Promise<string> {
  const key = cacheKey(caller.tenantId, embedder);
  const hash = sha256(`query\n${query}`);
  const local = [key.tenantId, key.provider, key.model, key.providerKey, hash].join(":");
  const known = deps.queryVectors.get(local) ?? (await readEmbeddingCache(deps.db, key, [hash])).get(hash);
  if (known) {
    deps.queryVectors.set(local, known);
    return known;
  }
  const deadline = AbortSignal.timeout(deps.queryEmbedTimeoutMs);
  const [vector] = await embedder.embed([query], "query", deadline).catch((cause: unknown) => {
    if (!deadline.aborted) throw cause;
    throw new AppError("embedder_unavailable", `It took longer than ${deps.queryEmbedTimeoutMs} ms.`, { cause });
  });
  if (!vector) throw new AppError("embedder_unavailable", "The embedding provider returned no vector for the query.");
  const text = toVectorText(vector);
  deps.queryVectors.set(local, text);
  await writeEmbeddingCache(deps.db, key, [{ hash, embedding: text }], { agentId, now: deps.clock() });
  return text;
}
