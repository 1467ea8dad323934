import { totalmem } from "node:os";

/** Bytes of memory that this process may use: the machine's, or less where a container has a limit. */
export function memoryBytes(): number {
  // Without a limit it is 0, or more than there is.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/**
 * Megabytes for the cache of posting lists where nothing is set. Half a gigabyte holds the words that are asked for in a million
 * chunks; lists that are read again for each search take Postgres and the process some ten milliseconds there.
 */
export function keywordCacheFor(bytes: number): number {
  return Math.round(Math.min(512, Math.max(64, bytes / 32 / 1e6)));
}
