import { totalmem } from "node:os";

/**
 * Returns the bytes of memory that this process may use: the machine's memory, or less where a
 * container has a limit.
 */
export function memoryBytes(): number {
  // Without a limit the value is 0, or more than the machine's memory.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/**
 * Returns the megabytes for the cache of posting lists if the setting is unset. Half a gigabyte
 * holds the posting lists of the words that are searched in a million chunks. Without the cache,
 * reading the lists again for each search takes Postgres and the process some ten milliseconds at
 * that size.
 */
export function keywordCacheFor(bytes: number): number {
  return Math.round(Math.min(512, Math.max(64, bytes / 32 / 1e6)));
}

/**
 * Returns the threads that one tenant may use to chunk texts: half of the processors, so that
 * requests and the embedding model keep the other half, and one for each 2 GB of memory, because a
 * thread may take 384 MB and as many threads again parse large bodies. At least two, so that a
 * large file does not hold up the tenant's small ones; at most eight, because by then the provider
 * of embeddings is the slower part.
 */
export function prepareThreadsFor(processors: number, bytes: number): number {
  return Math.max(2, Math.min(8, Math.floor(processors / 2), Math.floor(bytes / 2e9)));
}
