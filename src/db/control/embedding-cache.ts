import type { SqlExecutor } from "../database.ts";
import { decodeVector, encodeVectors, readVector } from "../vector-codec.ts";

/**
 * The tenant, provider, model and endpoint of a vector. Vectors with equal keys may replace each
 * other.
 */
export interface CacheKey {
  tenantId: string;
  provider: string;
  model: string;
  providerKey: string;
}

/**
 * Reads the cached vectors of these hashes. A hash that is not cached is absent.
 *
 * @param ofAgent reads only the entries that this agent added
 */
export async function readEmbeddingCache(
  sql: SqlExecutor,
  key: CacheKey,
  hashes: readonly string[],
  ofAgent?: string,
): Promise<Map<string, Float32Array>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql.executeSql<{ hash: string; embedding: string }>(
    `SELECT hash, ${readVector("embedding")} AS embedding
       FROM recollect.embedding_cache
      WHERE tenant_id = $1
        AND provider = $2
        AND model = $3
        AND provider_key = $4
        AND hash = ANY($5::text[])
        AND ($6::text IS NULL OR agent_id = $6)`,
    [key.tenantId, key.provider, key.model, key.providerKey, hashes, ofAgent ?? null],
    { prepare: true },
  );
  return new Map(rows.map((row) => [row.hash, decodeVector(row.embedding)]));
}

/**
 * Stores vectors by hash, with the agent that used the text first. Nothing is stored for an agent
 * that is erased. The agent's row is locked until the transaction ends, so an erasure waits and
 * finds the new entries. Rows are written in the order of their hashes, so that two writers of the
 * same hashes cannot deadlock.
 */
export async function writeEmbeddingCache(
  sql: SqlExecutor,
  key: CacheKey,
  entries: readonly { hash: string; embedding: Float32Array }[],
  origin: { agentId: string; now: Date },
): Promise<void> {
  if (entries.length === 0) return;
  const sorted = entries.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  await sql.executeSql(
    `WITH origin AS MATERIALIZED (
       SELECT id
         FROM recollect.agents
        WHERE tenant_id = $1
          AND id = $7
          FOR KEY SHARE
     )
     INSERT INTO recollect.embedding_cache (tenant_id, provider, model, provider_key, hash, embedding, agent_id, created_at)
     SELECT $1, $2, $3, $4, e.hash, e.embedding, origin.id, $8
       FROM origin, unnest($5::text[], $6::vector[]) AS e (hash, embedding)
     ON CONFLICT DO NOTHING`,
    [
      key.tenantId,
      key.provider,
      key.model,
      key.providerKey,
      sorted.map((e) => e.hash),
      encodeVectors(sorted.map((e) => e.embedding)),
      origin.agentId,
      origin.now,
    ],
  );
}

/**
 * Deletes the oldest entries that an agent added to the cache, beyond its newest `maxEntries`.
 *
 * @returns the number of deleted entries: `limit` when there may be more to delete
 */
export async function trimEmbeddingCache(
  sql: SqlExecutor,
  agent: { tenantId: string; agentId: string },
  maxEntries: number,
  limit: number,
): Promise<number> {
  // Counts first and then reads the oldest entries. Skipping the newest ones instead sorted them
  // each time, half a second for 100,000 entries.
  const { rows } = await sql.executeSql<{ count: number }>(
    `WITH oldest AS MATERIALIZED (
       SELECT tenant_id, hash, provider, model, provider_key, row_number() OVER (ORDER BY created_at, hash DESC) AS number
         FROM recollect.embedding_cache
        WHERE tenant_id = $1
          AND agent_id = $2
        ORDER BY created_at, hash DESC
        LIMIT $4
     ), doomed AS (
       SELECT *
         FROM oldest
        WHERE number <= (
          SELECT count(*) - $3
            FROM recollect.embedding_cache
           WHERE tenant_id = $1
             AND agent_id = $2)
     ), gone AS (
       DELETE FROM recollect.embedding_cache c
        USING doomed d
        WHERE c.tenant_id = d.tenant_id
          AND c.hash = d.hash
          AND c.provider = d.provider
          AND c.model = d.model
          AND c.provider_key = d.provider_key
       RETURNING 1
     )
     SELECT count(*)::int AS count FROM gone`,
    [agent.tenantId, agent.agentId, maxEntries, limit],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Deletes the entries that an agent added, and entries without an owner.
 *
 * @returns the number of entries
 */
export async function forgetAgentEmbeddings(sql: SqlExecutor, tenantId: string, agentId: string): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `WITH gone AS (
       DELETE FROM recollect.embedding_cache
        WHERE tenant_id = $1
          AND (agent_id = $2 OR agent_id IS NULL)
       RETURNING 1
     )
     SELECT count(*)::int AS count FROM gone`,
    [tenantId, agentId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Deletes the cached vectors of these hashes, of all models.
 *
 * @returns the number of entries
 */
export async function forgetEmbeddings(sql: SqlExecutor, tenantId: string, hashes: readonly string[]): Promise<number> {
  const { rows } = await sql.executeSql<{ count: number }>(
    `WITH gone AS (
       DELETE FROM recollect.embedding_cache
        WHERE tenant_id = $1
          AND hash = ANY($2::text[])
       RETURNING 1
     )
     SELECT count(*)::int AS count FROM gone`,
    [tenantId, hashes],
  );
  return rows[0]?.count ?? 0;
}

/** Deletes all entries that an agent added under a cache key. */
export async function forgetCacheKey(sql: SqlExecutor, key: CacheKey, agentId: string): Promise<void> {
  await sql.executeSql(
    `DELETE FROM recollect.embedding_cache
      WHERE tenant_id = $1
        AND agent_id = $2
        AND provider = $3
        AND model = $4
        AND provider_key = $5`,
    [key.tenantId, agentId, key.provider, key.model, key.providerKey],
  );
}
