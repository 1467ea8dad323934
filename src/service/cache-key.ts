import type { CacheKey } from "../db/control/embedding-cache.ts";
import type { Embedder } from "../embeddings/embedder.ts";
import type { Caller } from "./deps.ts";

/** Where an embedder's vectors are cached for a tenant. */
export function cacheKey(caller: Caller, embedder: Embedder): CacheKey {
  return {
    tenantId: caller.tenantId,
    provider: embedder.provider,
    model: embedder.model,
    providerKey: embedder.providerKey,
  };
}
