/**
 * Runs the command in a clone: the packed one (pack-command.ts), unless the source has changed since,
 * and else the source. This file is JavaScript, because Node.js loads 60 MB to read the first file of
 * TypeScript.
 */
import { readdirSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const CACHE = join(ROOT, "node_modules/.cache");

/** The packed command. */
export const PACKED = join(CACHE, "recollect/recollect.mjs");

/** Returns whether the packed command is newer than the source and the packages. */
export function isPackedAnew() {
  const packed = statSync(PACKED, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return [...sources, join(ROOT, "package-lock.json")].every((path) => statSync(path).mtimeMs <= packed);
}

if (import.meta.main) {
  // Keeps what V8 has compiled, and TypeScript without its types, from process to process.
  enableCompileCache(join(CACHE, "compiled"));
  await import(isPackedAnew() ? pathToFileURL(PACKED).href : "../src/start/cli.ts");
}
