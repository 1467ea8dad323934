import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { countMemory } from "../db/agent/chunks.ts";
import { isIndexable } from "../db/agent/generation-tables.ts";
import { type Generation, markVectorIndex } from "../db/agent/generations.ts";
import { refreshLexemeStats } from "../db/agent/lexeme-stats.ts";
import { buildVectorIndex } from "../db/agent/vector-index.ts";
import type { Caller, Deps } from "./deps.ts";
import { findKnownAgent, type KnownAgent, requireGeneration } from "./find-agent.ts";

/** Statistics are counted anew when the number of chunks has changed by this share since they were. */
const STALE_SHARE = 0.1;

/** Keeps an agent's index fit for its size. */
export async function maintainIndex(deps: Deps, caller: Caller, agentId: string): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const generation = await withAgentTransaction(deps.db, agent, (tx) => requireGeneration(tx, agent));
  await fitIndex(deps, agent, generation);
}

/**
 * Gives a generation the term statistics and, once there are `vectorIndexThreshold` chunks and none of them waits for its
 * embedding, the HNSW index that its size calls for (fill first, build after: ten times cheaper).
 */
export async function fitIndex(deps: Deps, agent: KnownAgent, generation: Generation): Promise<void> {
  const counts = await withAgentTransaction(deps.db, agent, async (tx) => {
    const counted = generation.statsChunkCount ?? 0;
    const counts = await countMemory(tx, agent.schema, generation);
    if (Math.abs(counts.chunks - counted) > counted * STALE_SHARE) {
      await refreshLexemeStats(tx, { schema: agent.schema, generationId: generation.id, now: deps.clock() });
    }
    return counts;
  });
  const { dimensions } = generation;
  if (
    dimensions === null ||
    !isIndexable(dimensions) ||
    generation.vectorIndex ||
    counts.pendingEmbeddings > 0 ||
    counts.chunks < deps.vectorIndexThreshold
  )
    return;
  await buildVectorIndex(deps.db, { schema: agent.schema, generationId: generation.id, dimensions });
  await withAgentTransaction(deps.db, agent, (tx) => markVectorIndex(tx, agent.schema, generation.id));
}
