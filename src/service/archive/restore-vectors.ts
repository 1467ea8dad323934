import { countEmbedded, pendingChunks, storeEmbeddings } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { type Generation, type MeasuredSeparation, noteSeparation } from "../../db/agent/space/generations.ts";
import { touchImport } from "../../db/control/agents.ts";
import {
  type CacheKey,
  forgetCacheKey,
  readEmbeddingCache,
  writeEmbeddingCache,
} from "../../db/control/embedding-cache.ts";
import type { Caller } from "../core/core-deps.ts";
import { agentGone, type KnownAgent } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import type { ArchiveHeader, LineOf } from "./archive-format.ts";
import { invalid } from "./read-archive.ts";

/** Where lines go. */
export interface Restore {
  deps: Deps;
  caller: Caller;
  agent: KnownAgent;
  schemaName: string;
  /** undefined: the archive's vectors are of no use here. */
  staged: StagedVectors | undefined;
}

/**
 * Where an archive's vectors wait for the chunks that they are of: in the cache, under a key that no provider has. Nobody else's
 * searches may come upon vectors that somebody sent; erasing the agent takes them along.
 */
interface StagedVectors {
  key: CacheKey;
  dimensions: number;
  generation: Generation;
  /** How well the model tells the agent's texts apart, as it was measured where the archive is from. */
  separation: MeasuredSeparation | undefined;
}

const PAGE = 500;

/** Whether an archive's vectors are those that this index would be given; undefined when they are not. */
export function placeForVectors(
  header: ArchiveHeader,
  generation: Generation,
  agent: { tenantId: string; schemaName: string },
): StagedVectors | undefined {
  const { provider, model, dimensions } = generation;
  const theirs = header.vectors;
  if (dimensions === null || theirs?.provider !== provider || theirs.model !== model) return undefined;
  if (theirs.dimensions !== dimensions) return undefined;
  const key = { tenantId: agent.tenantId, provider, model, providerKey: `import:${agent.schemaName}` };
  return { key, dimensions, generation, separation: theirs.separation };
}

/** Keeps vectors until the chunks are there. */
export async function stageVectors(
  { deps, agent, staged }: Restore,
  vectors: LineOf<"vectors">["vectors"],
): Promise<void> {
  if (!staged) return;
  const entries = new Map(vectors.map(({ hash, embedding }) => [hash, decode(embedding, staged.dimensions)]));
  const rows = [...entries].map(([hash, embedding]) => ({ hash, embedding }));
  await writeEmbeddingCache(deps.db, staged.key, rows, { agentId: agent.agentId, now: deps.clock() });
}

function decode(base64: string, dimensions: number): Float32Array {
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length !== dimensions * 4) throw invalid("has a vector of another length than its header says");
  const vector = Float32Array.from({ length: dimensions }, (_, at) => bytes.readFloatLE(at * 4));
  const squares = vector.reduce((sum, value) => sum + value * value, 0);
  // Ours have the length 1. The cosine with one of 0 is no number, which Postgres takes for the greatest.
  if (!(squares > 0.25 && squares < 4)) throw invalid("has a vector that is no vector");
  return vector;
}

/** Gives the chunks that have none the vectors that wait for them, page by page, and forgets those. */
export async function fillVectors(restore: Restore): Promise<void> {
  const { deps, agent, staged, schemaName } = restore;
  if (!staged) return;
  const table = { schema: agent.schema, generationId: staged.generation.id, dimensions: staged.dimensions };
  for (let afterId = "0"; ; ) {
    if (!(await touchImport(deps.db, schemaName, deps.clock()))) throw agentGone();
    const page = { afterId, limit: PAGE };
    const chunks = await withAgentTransaction(deps.db, agent, (tx) => pendingChunks(tx, table, page));
    const last = chunks.at(-1);
    if (!last) break;
    const known = await readEmbeddingCache(deps.db, staged.key, [...new Set(chunks.map((chunk) => chunk.hash))]);
    const rows = chunks.flatMap(({ id, hash }) => {
      const embedding = known.get(hash);
      return embedding ? [{ chunkId: id, embedding }] : [];
    });
    if (rows.length > 0) await withAgentTransaction(deps.db, agent, (tx) => storeEmbeddings(tx, table, rows));
    afterId = last.id;
  }
  await forgetCacheKey(deps.db, staged.key, agent.agentId);
  const { separation } = staged;
  if (!separation) return;
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const count = await countEmbedded(tx, table);
    await noteSeparation(tx, agent.schema, table.generationId, { count, separation });
  });
}
