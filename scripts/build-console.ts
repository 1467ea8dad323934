import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { installPackages } from "./install-packages.ts";

/*
 * Builds the console's pages into dist/console. It installs the packages of console/ first, unless
 * the installed ones are those of the lock file, and writes a compressed copy beside each text.
 */

const OUTPUT = "dist/console";
/** Files that compression makes smaller. A font is compressed already. */
const TEXTS = new Set([".html", ".js", ".css", ".svg"]);

installPackages("console");
await build({ configFile: "console/vite.config.ts", logLevel: "warn" });
for (const entry of readdirSync(OUTPUT, { recursive: true, withFileTypes: true })) {
  if (entry.isFile() && TEXTS.has(extname(entry.name))) compress(join(entry.parentPath, entry.name));
}

/** Writes `file.br` and `file.gz` beside a file. The service sends what the browser accepts. */
function compress(file: string): void {
  const text = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
}
