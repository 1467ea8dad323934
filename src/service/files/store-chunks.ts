import {
  type ChunkOwner,
  type ChunkPlace,
  deleteChunks,
  moveChunks,
  type StoredChunk,
} from "../../db/agent/chunks/chunks.ts";
import { type ChunkWrite, insertChunks } from "../../db/agent/chunks/insert-chunks.ts";
import type { AgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { Generation } from "../../db/agent/space/generations.ts";
import { diffChunks } from "../../ingest/diff-chunks.ts";
import type { PreparedChunk } from "./prepared-file.ts";

/** Chunks that are to take the place of others of the same file or session. */
export interface Replacement {
  owner: ChunkOwner;
  old: readonly StoredChunk[];
  next: readonly (PreparedChunk & { firstMessage?: number; lastMessage?: number })[];
}

/** What storing chunks changed in one generation. */
export interface Replaced {
  /** How many chunks there are more than before. */
  added: number;
  /** Chunks without an embedding, by id of their file or session. */
  pending: Map<string, number>;
}

/**
 * Puts chunks in the place of others in one generation: three statements at most, however many there are. An unchanged chunk
 * keeps its row, keyword vector and embedding, and gets its new place if it moved.
 *
 * @param cached embeddings that are at hand, by hash
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
