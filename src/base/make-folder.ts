import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder, and the folders above it that are missing. Node's own `recursive` never returns where
 * the system answers ENOENT although the folder above exists, as `/proc` does.
 *
 * @throws the system's error, such as ENOENT, EACCES, ENOTDIR or EEXIST
 */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = [];
  let at = resolve(folder);
  while (statSync(at, { throwIfNoEntry: false }) === undefined && dirname(at) !== at) {
    missing.push(at);
    at = dirname(at);
  }
  // mkdir answers EEXIST if a file stands in the folder's place.
  if (missing.length === 0 && !statSync(at).isDirectory()) missing.push(at);
  for (const path of missing.reverse()) make(path, mode);
}

function make(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    const isThere = (error as { code?: unknown }).code === "EEXIST" && statSync(path).isDirectory();
    if (!isThere) throw error;
  }
}
