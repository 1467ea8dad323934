import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DEFAULT_TENANT_ID } from "../../src/db/control/tenants.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import type { Deps } from "../../src/service/deps.ts";
import { syncAgent } from "../../src/service/indexing/sync-agent.ts";

/** A folder on this machine's disk, to be used as an extra path or as the root of some. */
export interface ExtraFolder {
  path: string;
  /** Returns the absolute path of an entry of the folder. */
  at(relative: string): string;
  /** Writes a file; `ageSeconds` sets its time back. */
  write(relative: string, content: string | Buffer, ageSeconds?: number): void;
  remove(): void;
}

export function extraFolder(): ExtraFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "recollect-extra-")));
  const at = (relative: string) => join(path, relative);
  return {
    path,
    at,
    write: (relative, content, ageSeconds = 0) => {
      mkdirSync(dirname(at(relative)), { recursive: true });
      writeFileSync(at(relative), content);
      const time = Date.now() / 1000 - ageSeconds;
      utimesSync(at(relative), time, time);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export interface Synced {
  files: number;
  read: number;
  deleted: number;
}

/**
 * Runs the sync of an agent of the default tenant as its job does, and returns the figures that it
 * logs.
 */
export async function syncNow(deps: Deps, agentId: string, signal = new AbortController().signal): Promise<Synced> {
  let synced: Synced = { files: 0, read: 0, deleted: 0 };
  const info = (line: unknown) => {
    synced = { ...synced, ...(line as Synced) };
  };
  const logger = { ...deps.logger, info } as Deps["logger"];
  await syncAgent({ ...deps, logger }, jobCaller(DEFAULT_TENANT_ID), agentId, signal);
  return synced;
}
