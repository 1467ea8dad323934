import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A console that is served: its files by their path below `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** Reads a built console into memory, some hundred kilobytes; undefined where none was built. */
export function readConsole(folder: string): ConsoleFiles | undefined {
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
