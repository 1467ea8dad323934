import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files for browsers that a build has made, by their path below its folder. */
export type BuiltFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/**
 * Reads a build's output into memory, some hundred kilobytes. Returns undefined if nothing was
 * built.
 */
export function readBuiltFiles(folder: string): BuiltFiles | undefined {
  try {
    const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return new Map(
      paths.map((path) => [path.slice(folder.length + 1).replaceAll("\\", "/"), new Uint8Array(readFileSync(path))]),
    );
  } catch {
    return undefined;
  }
}
