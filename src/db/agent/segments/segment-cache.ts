import { LRUCache } from "lru-cache";
import type { PostingList } from "./add-concepts.ts";
import { numberOf, type SegmentChunks } from "./score-postings.ts";

/** What a process remembers of segments, by their keys. */
export interface SegmentCache {
  readonly chunks: LRUCache<string, SegmentChunks>;
  readonly postings: LRUCache<string, PostingList>;
  /** Chunks of segments of which some are known to be deleted. */
  readonly withDeletions: WeakSet<SegmentChunks>;
}

/** Of an entry besides its array: its key and its place in the cache. */
const ENTRY_BYTES = 200;

/** So that an erased agent's words are gone from every process's memory, asked again or not. */
const TTL_MS = 3_600_000;

/**
 * @param maxBytes of which half are for posting lists: 4 bytes for a chunk and a lexeme it has; the rest for the chunks, 17 bytes
 *   each, which every search looks at
 */
export function createSegmentCache(maxBytes: number): SegmentCache {
  return {
    chunks: new LRUCache({
      ttl: TTL_MS,
      maxSize: Math.ceil(maxBytes / 2),
      sizeCalculation: ({ offsets }) => ENTRY_BYTES + 17 * offsets.length,
    }),
    postings: new LRUCache({
      ttl: TTL_MS,
      maxSize: Math.ceil(maxBytes / 2),
      sizeCalculation: (list) => ENTRY_BYTES + list.byteLength,
    }),
    withDeletions: new WeakSet(),
  };
}

/**
 * Remembers which segments have chunks that were deleted: their hits are checked from now on.
 *
 * @returns whether this was new of any of them
 */
export function noteDeleted(
  { withDeletions }: SegmentCache,
  segments: readonly { chunks: SegmentChunks }[],
  chunkIds: readonly string[],
): boolean {
  const numbers = chunkIds.map(Number);
  const affected = segments.filter(({ chunks }) => numbers.some((id) => numberOf(chunks, id) !== undefined));
  const news = affected.filter(({ chunks }) => !withDeletions.has(chunks));
  for (const { chunks } of news) withDeletions.add(chunks);
  return news.length > 0;
}
