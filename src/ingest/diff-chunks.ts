import type { Chunk } from "./chunk-markdown.ts";

/** The fields of a stored chunk that the diff needs. */
interface StoredChunk {
  readonly id: string;
  readonly hash: string;
  readonly ordinal: number;
}

interface ChunkDiff<C extends Chunk> {
  /** Rows that stay, with the new chunk for each: its line numbers and ordinal may have changed. */
  readonly keep: { id: string; chunk: C }[];
  /** Chunks that need a row and an embedding, in order. */
  readonly insert: C[];
  /** Ids of rows whose chunks no longer exist. */
  readonly remove: string[];
}

/**
 * Matches a file's stored chunks with its new chunks by hash, so that an unchanged chunk keeps its
 * row and embedding wherever it moved. Equal chunks (a repeated block) are matched one to one in
 * the order of the file.
 */
export function diffChunks<C extends Chunk>(old: readonly StoredChunk[], next: readonly C[]): ChunkDiff<C> {
  const stored = new Map<string, StoredChunk[]>();
  // Sorted in reverse, so that pop() takes the earliest chunk: shift() is quadratic on a file of
  // equal chunks.
  for (const chunk of old.toSorted((a, b) => b.ordinal - a.ordinal)) {
    const same = stored.get(chunk.hash);
    if (same === undefined) {
      stored.set(chunk.hash, [chunk]);
    } else {
      same.push(chunk);
    }
  }
  const keep: ChunkDiff<C>["keep"] = [];
  const insert: C[] = [];
  for (const chunk of next) {
    const match = stored.get(chunk.hash)?.pop();
    if (match === undefined) {
      insert.push(chunk);
    } else {
      keep.push({ id: match.id, chunk });
    }
  }
  const kept = new Set(keep.map(({ id }) => id));
  return { keep, insert, remove: old.filter(({ id }) => !kept.has(id)).map(({ id }) => id) };
}
