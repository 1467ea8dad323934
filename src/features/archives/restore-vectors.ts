import { countEmbedded, pendingChunks, storeEmbeddings } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, type MeasuredSeparation, noteSeparation } from "../../db/agent/schema/generations.ts";
import { touchImport } from "../../db/control/agents.ts";
import {
  type CacheKey,
  forgetCacheKey,
  readEmbeddingCache,
  writeEmbeddingCache,
} from "../../db/control/embedding-cache.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { agentGone, type KnownAgent } from "../../service/core/known-agent.ts";
import type { Deps } from "../../service/deps.ts";
import type { ArchiveHeader, LineOf } from "./archive-format.ts";
import { invalid } from "./parse-line.ts";

/** The target of a restore. */
export interface Restore {
  deps: Deps;
  caller: Caller;
  agent: KnownAgent;
  schemaName: string;
  /** Undefined when the archive's vectors do not fit the index's model. */
  staged: StagedVectors | undefined;
  /** The match conditions of the routing rules that lead to the agent. */
  bindings: Record<string, unknown>[];
}

/**
 * The staging area of an archive's vectors: entries of the embedding cache under a key that no
 * provider has. So no search of another agent uses vectors that a client sent, and the erasure of
 * the agent deletes them.
 */
interface StagedVectors {
  key: CacheKey;
  dimensions: number;
  generation: Generation;
  /** The model's separation of the agent's texts, as measured at the archive's source. */
  separation: MeasuredSeparation | undefined;
}

const PAGE = 500;

/**
 * Returns the staging area of an archive's vectors; undefined when they do not fit the index's
 * model.
 */
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

/** Stages vectors until the chunks exist. */
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
  // Vectors of this service have length 1. The cosine with a zero vector is NaN, which Postgres
  // orders as the greatest value.
  if (!(squares > 0.25 && squares < 4)) throw invalid("has a vector whose length is not near 1");
  return vector;
}

/** Stores the staged vectors with their chunks, page by page, and deletes the staging area. */
export async function fillVectors(restore: Restore): Promise<void> {
  const { deps, agent, staged, schemaName } = restore;
  if (!staged) return;
  const table = vectorTable(agent.schema, staged.generation, staged.dimensions);
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
