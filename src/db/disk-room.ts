import { statfsSync } from "node:fs";

/**
 * The bytes that writes leave free on the disk of an embedded database: two segments of its
 * write-ahead log. Postgres ends itself when the disk has no room for the next segment. Then it
 * cannot even be opened for reading, because recovery begins a new segment.
 */
export const RESERVED_BYTES = 2 * 16 * 2 ** 20;

/**
 * The setting that is `on` while the embedded database refuses writes because the disk has no room.
 */
export const DISK_FULL_SETTING = "recollect.disk_full";

/**
 * Returns whether a folder's disk has more free bytes than the reserve; true if the file system
 * cannot tell. The call takes 3 µs, so it is made for every statement: on a fast disk one
 * transaction writes the whole reserve within a fifth of a second.
 */
export function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > RESERVED_BYTES;
  } catch {
    return true;
  }
}
