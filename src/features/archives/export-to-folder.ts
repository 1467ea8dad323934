import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../base/errors.ts";
import type { AgentPayload } from "../../queue/job-contracts.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import type { Deps } from "../../service/deps.ts";
import { exportAgent } from "./export-agent.ts";

/** The archives that workers write at intervals. */
export interface ScheduledExports {
  /** The operator's folder for archives. */
  readonly folder: string;
  readonly intervalHours: number;
  /** The number of archives that are kept of each agent. */
  readonly keep: number;
}

/**
 * Writes an agent's archive to the operator's folder, in a subfolder named by tenant and agent, and
 * deletes the oldest archives beyond the number to keep. An archive gets its final name only when
 * it is complete.
 *
 * @throws AppError `config_invalid` when the folder does not exist or cannot be written
 */
export async function exportToFolder(
  deps: Deps,
  caller: Caller,
  { tenantId, agentId }: AgentPayload,
  { folder: top, keep, signal }: ScheduledExports & { signal: AbortSignal },
): Promise<void> {
  // An agent that was never written to has no memory to export.
  if (!(await findKnownAgent(deps, caller, "tenant", agentId))) return;
  const folder = join(top, tenantId, agentId);
  const name = `${deps.clock().toISOString().replace(/[:.]/g, "-")}.archive`;
  await make(top, [tenantId, agentId]);
  const exported = () => exportAgent(deps, caller, agentId, { vectors: false });
  await writeWhole(join(folder, name), exported, signal);
  await deleteOldest(folder, keep);
}

/**
 * Creates the subfolders of `top`, but not `top` itself: for a share that is not mounted, that
 * would create a folder on this machine's disk.
 */
async function make(top: string, names: readonly string[]): Promise<void> {
  let folder = top;
  for (const name of names) {
    folder = join(folder, name);
    await mkdir(folder, { mode: 0o700 }).catch((cause: { code?: string }) => {
      if (cause.code !== "EEXIST") throw notWritable(cause);
    });
  }
}

function notWritable(cause: unknown): AppError {
  return new AppError("config_invalid", "The folder of RECOLLECT_EXPORT_DIR does not exist or is not writable.", {
    cause,
  });
}

/**
 * Writes an archive under a temporary name and renames it when it is complete. Starts the export
 * only once the file is open, because an export holds a snapshot of the agent until its stream is
 * read to the end.
 */
async function writeWhole(
  path: string,
  exported: () => Promise<ReadableStream<Uint8Array>>,
  signal: AbortSignal,
): Promise<void> {
  const partial = `${path}.part`;
  const file = await open(partial, "w", 0o600).catch((cause: unknown) => {
    throw notWritable(cause);
  });
  try {
    for await (const part of await exported()) {
      signal.throwIfAborted();
      await file.write(part);
    }
    await file.sync();
    await file.close();
    await rename(partial, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Deletes the oldest archives, whose names sort by time, and incomplete archives that a killed
 * process left.
 */
async function deleteOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).sort();
  const whole = names.filter((name) => NAME.test(name));
  const halves = names.filter((name) => HALF.test(name));
  for (const name of [...whole.slice(0, -keep), ...halves]) await rm(join(folder, name), { force: true });
}

const NAME = /^\d{4}-\d\d-\d\dT[\d-]+Z\.archive$/;
const HALF = /^\d{4}-\d\d-\d\dT[\d-]+Z\.archive\.part$/;
