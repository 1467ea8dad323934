/**
 * Builds `@recollect/openclaw`, the plugin for OpenClaw: one module that contains everything, because
 * the plugin depends on nothing but OpenClaw. Run this script before `clients/openclaw` is packed.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { writeLicenses } from "./library-licenses.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "clients/openclaw/dist");

rmSync(DIST, { recursive: true, force: true });
const build = await rolldown({
  cwd: ROOT,
  input: "clients/openclaw/src/plugin.ts",
  platform: "node",
  external: (id) => id.startsWith("node:") || id.startsWith("openclaw/"),
});
const { output } = await build.write({ dir: DIST, format: "esm", entryFileNames: "plugin.js", codeSplitting: false });
writeLicenses(
  output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])),
  join(DIST, "LICENSES.txt"),
);
