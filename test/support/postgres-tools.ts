import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, type TestOptions } from "vitest";
import { skipped } from "./needs.ts";

const IMAGE = "pgvector/pgvector:pg17";
const SERVER_MAJOR = 17;
const TOOLS = ["pg_dump", "pg_restore"];

const isNewEnough = (tool: string) =>
  Number(/(\d+)/.exec(spawnSync(tool, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1] ?? 0) >= SERVER_MAJOR;
const hasImage = () => spawnSync("docker", ["image", "inspect", IMAGE]).status === 0;

/** Options of a suite that dumps and restores. */
export function needsPostgresTools(): TestOptions {
  if (inject("serverUrl") === undefined) return skipped("needs Postgres: an embedded database has no dumps");
  return TOOLS.every(isNewEnough) || hasImage()
    ? {}
    : skipped(`needs pg_dump and pg_restore ${SERVER_MAJOR}, or Docker with ${IMAGE}`);
}

/**
 * Returns the folder of the tools for PATH: undefined if this machine has them, else a folder of
 * scripts that run the tools of a container.
 */
export function postgresTools(): string | undefined {
  if (TOOLS.every(isNewEnough)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "recollect-tools-"));
  for (const tool of TOOLS) {
    const script = join(folder, tool);
    writeFileSync(script, `#!/bin/sh\nexec docker run --rm -i --network host --entrypoint ${tool} ${IMAGE} "$@"\n`);
    chmodSync(script, 0o755);
  }
  return folder;
}
