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
