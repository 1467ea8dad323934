import { chunksOfFiles } from "../../db/agent/chunks/chunks.ts";
import { type FileWrite, type LockedFile, upsertFiles } from "../../db/agent/files/files.ts";
import type { AgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import { SQLSTATE } from "../../db/pg-error.ts";
import type { PreparedChunk } from "./prepared-file.ts";
import { type Replaced, replaceChunks } from "./store-chunks.ts";

/** The chunks of one file under a generation's settings. */
export interface ChunkedFile {
  path: string;
  chunks: readonly PreparedChunk[];
}

/** Files that are stored. */
export interface StoredFiles {
  /** By path. */
  ids: ReadonlyMap<string, string>;
  /** Ids of those that are new: they have no chunks yet. */
  created: ReadonlySet<string>;
}

/**
 * Upserts files and says what that did.
 *
 * @param locked what stands at the paths now, locked by this transaction
 * @param generationId the newest generation that the caller stores them in
 * @returns what is stored now, and how many files and bytes there are more
 */
export async function storeContents(
  tx: AgentTransaction,
  files: readonly FileWrite[],
  locked: ReadonlyMap<string, LockedFile>,
  stamp: { generationId: number; now: Date },
): Promise<StoredFiles & { files: number; bytes: number }> {
  if (files.length === 0) return { ids: new Map(), created: new Set(), files: 0, bytes: 0 };
  const rows = await upsertFiles(tx, tx.schema, files, stamp);
  // The file appeared between lock and upsert, so what it replaces is unknown: the transaction runs again.
  if (rows.some((row) => !row.created && !locked.has(row.path))) throw new WriteConflict();
  const created = new Set(rows.flatMap((row) => (row.created ? [row.id] : [])));
  return {
    ids: new Map(rows.map((row) => [row.path, row.id])),
    created,
    files: created.size,
    bytes: files.reduce((sum, file) => sum + file.size - (locked.get(file.path)?.size ?? 0), 0),
  };
}

/** Makes the chunks of files in one generation those given. @returns what is pending by path */
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

/** Carries the SQLSTATE by which `withAgentTransaction` knows that a transaction is to be tried again. */
class WriteConflict extends Error {
  readonly code = SQLSTATE.serializationFailure;
}
