import type { AgentTransaction } from "../db/agent/agent-transaction.ts";
import {
  type ChunkWrite,
  chunksOfFiles,
  deleteChunks,
  insertChunks,
  moveChunks,
  type StoredChunk,
} from "../db/agent/chunks.ts";
import { type LockedFile, upsertFiles } from "../db/agent/files.ts";
import type { Generation } from "../db/agent/generations.ts";
import { insertVectors } from "../db/agent/vectors.ts";
import { SQLSTATE } from "../db/pg-error.ts";
import { diffChunks } from "../ingest/diff-chunks.ts";
import type { PreparedWrite } from "./write-files.ts";

export interface StoredFile {
  pendingEmbeddings: number;
}

export interface StoreResult {
  files: Map<string, StoredFile>;
  /** How the write changes what the agent's memory amounts to. */
  delta: { files: number; bytes: number; chunks: number };
}

interface Changes {
  inserts: (ChunkWrite & { path: string })[];
  moves: { id: string; ordinal: number; startLine: number; endLine: number }[];
  removals: string[];
}

/**
 * The part of a write inside the agent's transaction: seven statements at most, whatever the number of files. An unchanged
 * chunk keeps its row, keyword vector and embedding, and gets its new place if it moved.
 *
 * @param locked what stands at the paths now, locked by this transaction
 */
export async function storeFiles(
  tx: AgentTransaction,
  generation: Generation,
  files: readonly PreparedWrite[],
  locked: ReadonlyMap<string, LockedFile>,
  cached: ReadonlyMap<string, string>,
  now: Date,
): Promise<StoreResult> {
  if (files.length === 0) return { files: new Map(), delta: { files: 0, bytes: 0, chunks: 0 } };
  const rows = await upsertFiles(tx, tx.schema, files, now);
  // The file appeared between lock and upsert, so what it replaces is unknown: the transaction runs again.
  if (rows.some((row) => !row.created && !locked.has(row.path))) throw new WriteConflict();
  const ids = new Map(rows.map((row) => [row.path, row.id]));
  const old = Map.groupBy(
    await chunksOfFiles(tx, tx.schema, generation.id, [...ids.values()]),
    (chunk) => chunk.fileId,
  );
  const changes = planChanges(files, ids, old);
  await deleteChunks(tx, tx.schema, generation.id, changes.removals);
  await moveChunks(tx, tx.schema, generation.id, changes.moves);
  const inserted = await insertChunks(tx, tx.schema, generation, changes.inserts);
  const { dimensions } = generation;
  if (dimensions !== null) {
    const rows = inserted.map((chunk) => ({ chunkId: chunk.id, embedding: cached.get(chunk.hash) ?? null }));
    await insertVectors(tx, { schema: tx.schema, generationId: generation.id, dimensions }, rows);
  }
  const isPending = (insert: ChunkWrite & { path: string }, path: string) =>
    dimensions !== null && insert.path === path && !cached.has(insert.hash);
  const stored = new Map(
    files.map((file) => [
      file.path,
      { pendingEmbeddings: changes.inserts.filter((insert) => isPending(insert, file.path)).length },
    ]),
  );
  const delta = {
    files: rows.filter((row) => row.created).length,
    bytes: files.reduce((sum, file) => sum + file.size - (locked.get(file.path)?.size ?? 0), 0),
    chunks: changes.inserts.length - changes.removals.length,
  };
  return { files: stored, delta };
}

/** Carries the SQLSTATE by which `withAgentTransaction` knows that a transaction is to be tried again. */
class WriteConflict extends Error {
  readonly code = SQLSTATE.serializationFailure;
}

function planChanges(
  files: readonly PreparedWrite[],
  ids: ReadonlyMap<string, string>,
  old: ReadonlyMap<string, StoredChunk[]>,
): Changes {
  const changes: Changes = { inserts: [], moves: [], removals: [] };
  for (const file of files) {
    const fileId = ids.get(file.path) ?? "";
    const before = old.get(fileId) ?? [];
    const places = new Map(before.map((chunk) => [chunk.id, chunk]));
    const diff = diffChunks(before, file.chunks);
    changes.removals.push(...diff.remove);
    for (const { id, chunk } of diff.keep) {
      const place = places.get(id);
      const stays =
        place?.ordinal === chunk.ordinal && place.startLine === chunk.startLine && place.endLine === chunk.endLine;
      if (!stays)
        changes.moves.push({ id, ordinal: chunk.ordinal, startLine: chunk.startLine, endLine: chunk.endLine });
    }
    const analysed = new Map(file.chunks.map((chunk) => [chunk.ordinal, chunk]));
    for (const { ordinal } of diff.insert) {
      const chunk = analysed.get(ordinal);
      if (chunk) changes.inserts.push({ ...chunk, fileId, path: file.path });
    }
  }
  return changes;
}
