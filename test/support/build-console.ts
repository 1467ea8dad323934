import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What the console is made of. */
const SOURCES = ["console", "src/client", "package-lock.json"];
const BUILT = "dist/console/index.html";

/** Builds the console when its sources have changed since: its tests open what is built. */
export default function setup(): void {
  const built = changedAt(BUILT);
  if (SOURCES.flatMap(filesOf).every((path) => changedAt(path) <= built)) return;
  // As it is shipped: under the NODE_ENV of a test run React would be the one for developing.
  const env = { ...process.env, NODE_ENV: "production" };
  execFileSync(process.execPath, ["--run", "build:console"], { stdio: "pipe", env });
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
