import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EMPTY_DATABASE } from "../../src/db/pglite.ts";

/** The builds: the script, the built file whose age counts, and the sources. */
const BUILT = [
  {
    script: "build:console",
    built: "dist/console/index.html",
    sources: ["console", "src/client", "scripts/build-console.ts"],
  },
  {
    script: "build:reference",
    built: "dist/reference/swagger-ui-bundle.js.gz",
    sources: ["scripts/pack-reference.ts", "src/http/reference-page.ts", "scripts/packages"],
  },
  {
    script: "build:engine",
    built: "dist/onnx/wasm/ort.node.min.mjs",
    sources: ["scripts/pack-wasm.ts", "scripts/packages"],
  },
  {
    script: "build:database",
    built: fileURLToPath(EMPTY_DATABASE),
    sources: ["scripts/pack-database.ts", "drizzle", "src/db/migrate", "src/queue", "package-lock.json"],
  },
];

/**
 * Builds everything whose sources have changed, because tests open the pages, and databases begin
 * as copies of a built one.
 */
export default function setup(): void {
  // Builds as for a release: under the NODE_ENV of a test run, React would be its development
  // version.
  const env = { ...process.env, NODE_ENV: "production" };
  for (const { script, built, sources } of BUILT) {
    if (sources.flatMap(filesOf).every((path) => changedAt(path) <= changedAt(built))) continue;
    execFileSync(process.execPath, ["--run", script], { stdio: "pipe", env });
  }
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
