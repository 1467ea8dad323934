import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The pages that are built: by which script, the file by whose age their own is known, and what they are made of. */
const PAGES = [
  {
    script: "build:console",
    built: "dist/console/index.html",
    sources: ["console", "src/client", "package-lock.json"],
  },
  {
    ...{ script: "build:reference", built: "dist/reference/swagger-ui-bundle.js.gz" },
    sources: ["scripts/pack-reference.ts", "src/http/reference-page.ts", "package-lock.json"],
  },
];

/** Builds the pages whose sources have changed since: the tests open what is built. */
export default function setup(): void {
  // As they are shipped: under the NODE_ENV of a test run React would be the one for developing.
  const env = { ...process.env, NODE_ENV: "production" };
  for (const { script, built, sources } of PAGES) {
    if (sources.flatMap(filesOf).every((path) => changedAt(path) <= changedAt(built))) continue;
    execFileSync(process.execPath, ["--run", script], { stdio: "pipe", env });
  }
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
