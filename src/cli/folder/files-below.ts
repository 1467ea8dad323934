import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * Returns the sorted paths of all files below a folder, with `/` between segments. Returns no path
 * if the folder cannot be read. Links are left out.
 */
export async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .sort();
}
