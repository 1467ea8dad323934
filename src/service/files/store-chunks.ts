import {
  type ChunkOwner,
  type ChunkPlace,
  chunksOfFiles,
  deleteChunks,
  moveChunks,
  type StoredChunk,
} from "../../db/agent/chunks/chunks.ts";
import { type ChunkWrite, insertChunks } from "../../db/agent/chunks/insert-chunks.ts";
import {
  type ChangeStamp,
  type FileWrite,
  keepReplaced,
  type LockedFile,
  upsertFiles,
} from "../../db/agent/files/files.ts";
import type { AgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import { SQLSTATE } from "../../db/pg-error.ts";
import { diffChunks } from "../../ingest/diff-chunks.ts";
import type { PreparedChunk } from "./prepared-file.ts";

/** The new chunks of a file, session or fact, with the chunks that they replace. */
interface Replacement {
  owner: ChunkOwner;
  old: readonly StoredChunk[];
  next: readonly (PreparedChunk & { firstMessage?: number; lastMessage?: number })[];
}

/** The effect of storing chunks in one generation. */
export interface Replaced {
  /** The change in the number of chunks. */
  added: number;
  /** The number of chunks without an embedding, by the id of their file, session or fact. */
  pending: Map<string, number>;
}

/**
 * Replaces chunks in one generation with at most three statements. An unchanged chunk keeps its
 * row, keyword vector and embedding. Its place is updated if it moved.
 *
 * @param cached known embeddings, by hash
 */
export async function replaceChunks(
  tx: AgentTransaction,
  generation: Generation,
  replacements: readonly Replacement[],
  cached: ReadonlyMap<string, Float32Array>,
): Promise<Replaced> {
  const inserts: ChunkWrite[] = [];
  const moves: (ChunkPlace & { id: string })[] = [];
  const removals: string[] = [];
  for (const { owner, old, next } of replacements) {
    const places = new Map(old.map((chunk) => [chunk.id, chunk]));
    const diff = diffChunks(old, next);
    removals.push(...diff.remove);
    for (const { id, chunk } of diff.keep) {
      const place = placeOf(chunk);
      if (!isAt(places.get(id), place)) moves.push({ id, ...place });
    }
    for (const chunk of diff.insert) inserts.push({ ...chunk, ...placeOf(chunk), owner });
  }
  await deleteChunks(tx, tx.schema, generation.id, removals);
  await moveChunks(tx, tx.schema, generation.id, moves);
  await insertChunks(tx, tx.schema, generation, inserts, cached);
  const pending = new Map<string, number>();
  const missing = generation.dimensions === null ? [] : inserts.filter(({ hash }) => !cached.has(hash));
  for (const { owner } of missing) pending.set(idOf(owner), (pending.get(idOf(owner)) ?? 0) + 1);
  return { added: inserts.length - removals.length, pending };
}

function placeOf(chunk: Replacement["next"][number]): ChunkPlace {
  const { ordinal, startLine, endLine, firstMessage = null, lastMessage = null } = chunk;
  return { ordinal, startLine, endLine, firstMessage, lastMessage };
}

function isAt(stored: ChunkPlace | undefined, place: ChunkPlace): boolean {
  const keys = ["ordinal", "startLine", "endLine", "firstMessage", "lastMessage"] as const;
  return stored !== undefined && keys.every((key) => stored[key] === place[key]);
}

function idOf(owner: ChunkOwner): string {
  if ("fileId" in owner) return owner.fileId;
  return "sessionId" in owner ? owner.sessionId : owner.factId;
}

/** The chunks of one file under a generation's settings. */
interface ChunkedFile {
  path: string;
  chunks: readonly PreparedChunk[];
}

interface StoredFiles {
  /** The ids of the files, by path. */
  ids: ReadonlyMap<string, string>;
  /** The ids of the new files, which have no chunks yet. */
  created: ReadonlySet<string>;
}

/**
 * Upserts files.
 *
 * @param locked the current files at the paths, locked by this transaction
 * @param generationId the newest generation that the caller stores the files in
 * @returns the stored files, the change in files and bytes, and the bytes of the versions kept
 */
export async function storeContents(
  tx: AgentTransaction,
  files: readonly FileWrite[],
  locked: ReadonlyMap<string, LockedFile>,
  stamp: ChangeStamp & { generationId: number },
): Promise<StoredFiles & { files: number; bytes: number; historyBytes: number }> {
  if (files.length === 0) return { ids: new Map(), created: new Set(), files: 0, bytes: 0, historyBytes: 0 };
  const replacing = files.filter(({ path, hash }) => locked.has(path) && locked.get(path)?.hash !== hash);
  const { numbers, bytes: historyBytes } = await keepReplaced(tx, tx.schema, replacing, stamp);
  const rows = await upsertFiles(tx, tx.schema, files, { ...stamp, numbers });
  // The file appeared between the lock and the upsert, so the content that it replaces is unknown.
  // The transaction is retried.
  if (rows.some((row) => !row.created && !locked.has(row.path))) throw new WriteConflict();
  const created = new Set(rows.flatMap((row) => (row.created ? [row.id] : [])));
  return {
    ids: new Map(rows.map((row) => [row.path, row.id])),
    created,
    files: created.size,
    historyBytes,
    bytes: files.reduce((sum, file) => sum + file.size - (locked.get(file.path)?.size ?? 0), 0),
  };
}

/** Replaces the chunks of files in one generation. @returns the pending embeddings by path */
export async function storeChunks(
  tx: AgentTransaction,
  generation: Generation,
  files: readonly ChunkedFile[],
  { ids, created }: StoredFiles,
  cached: ReadonlyMap<string, Float32Array>,
): Promise<Replaced> {
  if (files.length === 0) return { added: 0, pending: new Map() };
  const older = [...ids.values()].filter((id) => !created.has(id));
  const stored = await chunksOfFiles(tx, tx.schema, generation.id, older);
  const old = Map.groupBy(stored, (chunk) => chunk.ownerId);
  const replacements = files.map(({ path, chunks }) => {
    const fileId = ids.get(path) ?? "";
    return { owner: { fileId }, old: old.get(fileId) ?? [], next: chunks };
  });
  const { added, pending } = await replaceChunks(tx, generation, replacements, cached);
  const byPath = files.flatMap(({ path }): [string, number][] => {
    const count = pending.get(ids.get(path) ?? "");
    return count === undefined ? [] : [[path, count]];
  });
  return { added, pending: new Map(byPath) };
}

/** Carries a SQLSTATE that makes `withAgentTransaction` retry the transaction. */
class WriteConflict extends Error {
  readonly code = SQLSTATE.serializationFailure;
}
