import { readFile, stat } from "node:fs/promises";

/**
 * The number of times that a file is read while it is being written, before it is left for later.
 */
const MOST_READS = 3;

/**
 * Reads a file during a moment without writes, because a half-saved file must not become memory.
 */
export async function readSettled(path: string): Promise<{ bytes: Buffer; mtime: Date }> {
  let before = await stat(path);
  for (let reads = 1; reads <= MOST_READS; reads++) {
    const bytes = await readFile(path);
    const after = await stat(path);
    if (after.mtimeMs === before.mtimeMs && after.size === bytes.length) return { bytes, mtime: after.mtime };
    before = after;
  }
  throw new Error("still being written");
}
