import { countEmbedded, pendingHashes, storeEmbeddings } from "../../db/agent/chunks/vectors.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { type VectorTable, vectorTable } from "../../db/agent/schema/generation-tables.ts";
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

/** The chunks whose vectors are stored in one transaction. */
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
  const vector = new Float32Array(dimensions);
  let squares = 0;
  // A loop by index: `Float32Array.from` with a callback took a tenth of an import's processor time.
  for (let at = 0; at < dimensions; at++) {
    const value = bytes.readFloatLE(at * 4);
    vector[at] = value;
    squares += value * value;
  }
  // Vectors of this service have length 1. The cosine with a zero vector is NaN, which Postgres
  // orders as the greatest value.
  if (!(squares > 0.25 && squares < 4)) throw invalid("has a vector whose length is not near 1");
  return vector;
}

/** Stores the staged vectors with their chunks, page by page, and deletes the staging area. */
export async function fillVectors(restore: Restore): Promise<void> {
  const { deps, agent, staged } = restore;
  if (!staged) return;
  const table = vectorTable(agent.schema, staged.generation, staged.dimensions);
  const store = (rows: EmbeddedChunk[]) =>
    rows.length === 0 ? undefined : withAgentTransaction(deps.db, agent, (tx) => storeEmbeddings(tx, table, rows));
  let page = await readStaged(restore, staged.key, table, "0");
  while (page.lastId !== undefined) {
    const [storing, reading] = [store(page.rows), readStaged(restore, staged.key, table, page.lastId)];
    // If one of them fails, the other may not go on while the agent is erased.
    await Promise.allSettled([storing, reading]);
    await storing;
    page = await reading;
  }
  await forgetCacheKey(deps.db, staged.key, agent.agentId);
  const { separation } = staged;
  if (!separation) return;
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const count = await countEmbedded(tx, table);
    await noteSeparation(tx, agent.schema, table.generationId, { count, separation });
  });
}

type EmbeddedChunk = { chunkId: string; embedding: Float32Array };

/** Reads a page of chunks without a vector, and the staged vectors that they have. */
async function readStaged(
  { deps, agent, schemaName }: Restore,
  key: CacheKey,
  table: VectorTable,
  afterId: string,
): Promise<{ lastId: string | undefined; rows: EmbeddedChunk[] }> {
  if (!(await touchImport(deps.db, schemaName, deps.clock()))) throw agentGone();
  const chunks = await withAgentTransaction(deps.db, agent, (tx) => pendingHashes(tx, table, { afterId, limit: PAGE }));
  const known = await readEmbeddingCache(deps.db, key, [...new Set(chunks.map(({ hash }) => hash))]);
  const rows = chunks.flatMap(({ id, hash }) => {
    const embedding = known.get(hash);
    return embedding ? [{ chunkId: id, embedding }] : [];
  });
  return { lastId: chunks.at(-1)?.id, rows };
}
