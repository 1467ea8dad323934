import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolder } from "../base/make-folder.ts";
import type { Config } from "../config/config.ts";
import { hasDatabase } from "../db/database-folder.ts";

const FILE = "data-folders.json";
const MOST = 8;

/**
 * Notes that this user's machine has a database in the folder. A command that finds no database
 * where it runs can then name this one. The note is only a hint, so a failure to write it is no
 * error.
 */
export function noteDataFolder({ cacheDir, dataDir }: Pick<Config, "cacheDir" | "dataDir">): void {
  const folder = resolve(dataDir);
  const known = noted(cacheDir);
  if (known[0] === folder) return;
  const all = [folder, ...known.filter((one) => one !== folder)].slice(0, MOST);
  try {
    makeFolder(cacheDir);
    writeFileSync(join(cacheDir, FILE), `${JSON.stringify(all)}\n`, { mode: 0o600 });
  } catch {
    // The cache may be read-only or full.
  }
}

/** Returns the noted folders that still hold a database, the one used last first. */
export function knownDataFolders(cacheDir: string): string[] {
  return noted(cacheDir).filter(hasDatabase);
}

function noted(cacheDir: string): string[] {
  try {
    const found: unknown = JSON.parse(readFileSync(join(cacheDir, FILE), "utf8"));
    return Array.isArray(found) ? found.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}
