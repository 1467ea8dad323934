import { statfsSync } from "node:fs";

/**
 * The room that writes leave on the disk of an embedded database: two segments of its write-ahead log. Postgres ends itself when it has
 * no room for the next segment, and then cannot be opened for reading either, because recovery begins a new segment.
 */
export const RESERVED_BYTES = 2 * 16 * 2 ** 20;

/** The setting that is on while the embedded database refuses writes for want of room. */
export const DISK_FULL_SETTING = "recollect.disk_full";

/**
 * Whether a folder's disk has more than the reserve. A file system that does not tell has room. The question takes 3 µs, so every
 * statement asks: on a fast disk one transaction writes the whole reserve within a fifth of a second.
 */
export function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > RESERVED_BYTES;
  } catch {
    return true;
  }
}
