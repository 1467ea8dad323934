/**
 * Builds `@recollect/client` from the sources of `recollect/client`: one module that contains
 * everything, and the declarations that TypeScript writes. Run this script before the workspace
 * `clients/typescript` is packed.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { writeLicenses } from "./library-licenses.ts";

const ROOT = join(import.meta.dirname, "..");
const CLIENT = join(ROOT, "clients/typescript");
const DIST = join(CLIENT, "dist");

rmSync(DIST, { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
execFileSync(process.execPath, [tsc, "-p", CLIENT], { stdio: "inherit" });

const build = await rolldown({
  cwd: ROOT,
  input: "src/client/client.ts",
  platform: "browser",
  // The client must run everywhere, so everything is bundled. A module that is not bundled would
  // have to be installed.
  external: (id) => {
    if (id.startsWith("node:")) throw new Error(`The client imports ${id}.`);
    return false;
  },
});
const { output } = await build.write({ dir: DIST, format: "esm", entryFileNames: "client.js" });
writeLicenses(
  output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])),
  join(DIST, "LICENSES.txt"),
);
