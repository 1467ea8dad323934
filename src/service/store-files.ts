import type { AgentTransaction } from "../db/agent/agent-transaction.ts";
import {
  type ChunkWrite,
  chunksOfFiles,
  deleteChunks,
  insertChunks,
  moveChunks,
  type StoredChunk,
} from "../db/agent/chunks.ts";
import { type FileWrite, type LockedFile, upsertFiles } from "../db/agent/files.ts";
import type { Generation } from "../db/agent/generations.ts";
import { insertVectors } from "../db/agent/vectors.ts";
import { SQLSTATE } from "../db/pg-error.ts";
import { diffChunks } from "../ingest/diff-chunks.ts";
import type { PreparedChunk } from "./prepare-file.ts";

/** The chunks of one file under a generation's settings. */
export interface ChunkedFile {
  path: string;
  chunks: readonly PreparedChunk[];
}

/** What storing chunks changed in one generation. */
export interface StoredChunks {
  /** How many chunks there are more than before. */
  added: number;
  /** Chunks without an embedding, by path. */
  pending: Map<string, number>;
}

interface Changes {
  inserts: (ChunkWrite & { path: string })[];
  moves: { id: string; ordinal: number; startLine: number; endLine: number }[];
  removals: string[];
}

/**
 * Upserts files and says what that did.
 *
 * @param locked what stands at the paths now, locked by this transaction
 * @param generationId the newest generation that the caller stores them in
 * @returns ids by path
 */
export async function storeContents(
  tx: AgentTransaction,
  files: readonly FileWrite[],
  locked: ReadonlyMap<string, LockedFile>,
  stamp: { generationId: number; now: Date },
): Promise<{ ids: Map<string, string>; files: number; bytes: number }> {
  if (files.length === 0) return { ids: new Map(), files: 0, bytes: 0 };
  const rows = await upsertFiles(tx, tx.schema, files, stamp);
  // The file appeared between lock and upsert, so what it replaces is unknown: the transaction runs again.
  if (rows.some((row) => !row.created && !locked.has(row.path))) throw new WriteConflict();
  return {
    ids: new Map(rows.map((row) => [row.path, row.id])),
    files: rows.filter((row) => row.created).length,
    bytes: files.reduce((sum, file) => sum + file.size - (locked.get(file.path)?.size ?? 0), 0),
  };
}

/**
 * Makes the chunks of files in one generation those given: five statements at most, whatever the number of files. An
 * unchanged chunk keeps its row, keyword vector and embedding, and gets its new place if it moved.
 */
export async function storeChunks(
  tx: AgentTransaction,
  generation: Generation,
  files: readonly ChunkedFile[],
  ids: ReadonlyMap<string, string>,
  cached: ReadonlyMap<string, string>,
): Promise<StoredChunks> {
  if (files.length === 0) return { added: 0, pending: new Map() };
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
  const waiting = dimensions === null ? [] : changes.inserts.filter((insert) => !cached.has(insert.hash));
  const pending = Map.groupBy(waiting, (insert) => insert.path);
  return {
    added: changes.inserts.length - changes.removals.length,
    pending: new Map([...pending].map(([path, inserts]) => [path, inserts.length])),
  };
}

/** Carries the SQLSTATE by which `withAgentTransaction` knows that a transaction is to be tried again. */
class WriteConflict extends Error {
  readonly code = SQLSTATE.serializationFailure;
}

function planChanges(
  files: readonly ChunkedFile[],
  ids: ReadonlyMap<string, string>,
  old: ReadonlyMap<string, StoredChunk[]>,
): Changes {
  const changes: Changes = { inserts: [], moves: [], removals: [] };
  for (const file of files) {
    const fileId = ids.get(file.path) ?? "";
    const before = old.get(fileId) ?? [];
    const places = new Map(before.map((chunk) => [chunk.id, chunk]));
    const diff = diffChunks(before, [...file.chunks]);
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
