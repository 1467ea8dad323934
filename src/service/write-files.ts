import { checkMemoryPath } from "../agents/memory-path.ts";
import { AppError } from "../base/errors.ts";
import { type AgentTransaction, withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { deleteFiles, fileHashes, type LockedFile, lockFiles } from "../db/agent/files.ts";
import type { Generation } from "../db/agent/generations.ts";
import { readEmbeddingCache } from "../db/control/embedding-cache.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../queue/job-contracts.ts";
import { cacheKey } from "./cache-key.ts";
import type { Caller, Deps } from "./deps.ts";
import { embedderFor, findOrCreateAgent, type KnownAgent, requireGeneration } from "./find-agent.ts";
import type { PreparedFile } from "./prepare-file.ts";
import { countUsage, takeQuota } from "./quota.ts";
import { type StoredFile, storeFiles } from "./store-files.ts";

export interface FileInput {
  path: string;
  content: string;
  mtime?: Date | undefined;
}

export interface WrittenFile {
  path: string;
  hash: string;
  status: "created" | "updated" | "unchanged";
  chunks: number;
  /** Chunks whose embedding is still to be made; they are found by keyword meanwhile. */
  pendingEmbeddings: number;
}

export interface PreparedWrite extends PreparedFile {
  path: string;
  content: string;
  mtime: Date;
}

/**
 * Writes and deletes files of an agent, all or nothing. When it returns the files are durable and found by keyword, and
 * the job that embeds what the cache did not have is committed with them. The CPU work (chunking) and the cache lookup
 * come first; nothing but SQL happens inside the transaction.
 */
export async function writeFiles(
  deps: Deps,
  caller: Caller,
  agentId: string,
  batch: { put: readonly FileInput[]; delete: readonly string[] },
): Promise<{ files: WrittenFile[]; deleted: string[] }> {
  const put = batch.put.map((file) => ({ ...file, path: checkMemoryPath(file.path) }));
  const doomed = batch.delete.map(checkMemoryPath);
  rejectRepeatedPaths([...put.map((file) => file.path), ...doomed]);
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const { generation, before } = await withAgentTransaction(deps.db, agent, async (tx) => ({
    generation: await requireGeneration(tx, agent),
    before: await fileHashes(
      tx,
      agent.schema,
      put.map((file) => file.path),
    ),
  }));
  const prepared = await Promise.all(
    put.map(async (file): Promise<PreparedWrite> => {
      const request = { content: file.content, tokens: generation.chunkTokens, overlap: generation.chunkOverlap };
      return {
        path: file.path,
        content: file.content,
        mtime: file.mtime ?? deps.clock(),
        ...(await deps.preparer.prepare(request)),
      };
    }),
  );
  const changed = prepared.filter((file) => before.get(file.path) !== file.hash);
  const embedder = embedderFor(deps, generation);
  const cached = embedder
    ? await readEmbeddingCache(deps.db, cacheKey(caller, embedder), [
        ...new Set(changed.flatMap((file) => file.chunks.map((chunk) => chunk.hash))),
      ])
    : new Map<string, string>();
  const { stored, deleted } = await commit(deps, agent, { changed, doomed, cached });
  return { files: prepared.map((file) => describe(file, before, stored.get(file.path))), deleted };
}

async function commit(
  deps: Deps,
  agent: KnownAgent,
  write: { changed: PreparedWrite[]; doomed: string[]; cached: ReadonlyMap<string, string> },
): Promise<{ stored: Map<string, StoredFile>; deleted: string[] }> {
  if (write.changed.length === 0 && write.doomed.length === 0) return { stored: new Map(), deleted: [] };
  if (!agent.usageKnown) await countUsage(deps, agent);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const generation = await requireGeneration(tx, agent);
    const paths = [...write.changed.map((file) => file.path), ...write.doomed];
    const locked = await lockFiles(tx, agent.schema, paths);
    const { files: stored, delta } = await storeFiles(
      tx,
      generation,
      write.changed,
      locked,
      write.cached,
      deps.clock(),
    );
    const removal = await remove(tx, generation, write.doomed, locked);
    const pending = [...stored.values()].some((file) => file.pendingEmbeddings > 0);
    const service = await tx.asService();
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    if (pending) await deps.queue.send(service, EMBED_JOB, payload);
    await deps.queue.send(service, MAINTAIN_INDEX_JOB, payload);
    // Last: the agent's row stays locked until the commit, and other writers of the agent wait for it.
    await takeQuota(service, agent, {
      files: delta.files - removal.deleted.length,
      bytes: delta.bytes - removal.bytes,
      chunks: delta.chunks - removal.chunks,
      facts: 0,
    });
    return { stored, deleted: removal.deleted };
  });
}

async function remove(
  tx: AgentTransaction,
  generation: Generation,
  doomed: readonly string[],
  locked: ReadonlyMap<string, LockedFile>,
): Promise<{ deleted: string[]; bytes: number; chunks: number }> {
  const deleted = doomed.filter((path) => locked.has(path));
  if (deleted.length === 0) return { deleted, bytes: 0, chunks: 0 };
  const rows = deleted.flatMap((path) => locked.get(path) ?? []);
  const ids = rows.map((row) => row.id);
  const chunks = await deleteFiles(tx, tx.schema, generation.id, ids);
  return { deleted, bytes: rows.reduce((sum, row) => sum + row.size, 0), chunks };
}

/** Two writes of one path in one batch have no order, so the batch has no meaning. */
function rejectRepeatedPaths(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(path))
      throw new AppError("invalid_request", "A path occurs more than once in the batch; send each path once.", {
        details: { path },
      });
    seen.add(path);
  }
}

function describe(
  file: PreparedWrite,
  before: ReadonlyMap<string, string>,
  stored: StoredFile | undefined,
): WrittenFile {
  const known = before.get(file.path);
  const status = known === undefined ? "created" : known === file.hash ? "unchanged" : "updated";
  return {
    path: file.path,
    hash: file.hash,
    status,
    chunks: file.chunks.length,
    pendingEmbeddings: stored?.pendingEmbeddings ?? 0,
  };
}
