import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import { agentPath, callApi } from "../shell/api-client.ts";
import type { CliContext, Connection, RemoteOptions } from "../shell/context.ts";
import type { Owner, Selection } from "./compare-files.ts";
import { createFolderMirror } from "./folder-mirror.ts";
import { originOf } from "./origin-of.ts";
import { createWatchFilter, isIgnoreFile } from "./watch-filter.ts";
import { type WatchBatch, WatchLoop } from "./watch-loop.ts";
import { createWatchReport, type WatchReport } from "./watch-report.ts";
import type { StartSource } from "./watch-source.ts";

export interface WatchOptions extends RemoteOptions, Selection {
  /** How long changes must rest, in milliseconds; without it what the agent's settings say. */
  debounce?: number;
}

const DEFAULT_DEBOUNCE_MS = 1500;
/** Below this a save that takes two steps would be two batches. */
export const LEAST_DEBOUNCE_MS = 50;
/** How long sending may go on after the user wants to stop, in milliseconds. */
const FAREWELL_MS = 5000;

/**
 * `recollect watch DIR`: keeps an agent's files those of a folder until the user stops it.
 *
 * @param root absolute path of a folder that exists
 * @returns 0
 * @throws AppError when the server refuses for good: a key that is wrong, an agent that is disabled
 */
export async function watch(
  context: CliContext,
  root: string,
  options: WatchOptions,
  startSource?: StartSource,
): Promise<number> {
  const stopping = context.stopping();
  const connection = await context.connect(options);
  const tell = createWatchReport(context, options.json ?? false);
  const ending = new AbortController();
  const endLater = () => void sleep(FAREWELL_MS, undefined, { ref: false }).then(() => ending.abort());
  stopping.addEventListener("abort", endLater, { once: true });
  try {
    const owner = {
      origin: options.origin ?? (await originOf(root, options.prefix)),
      takeOver: options.takeOver ?? false,
    };
    tell({ event: "watching", root, agent: options.agent, origin: owner.origin, server: connection.description });
    const pace = { debounceMs: options.debounce ?? DEFAULT_DEBOUNCE_MS };
    const loop = new WatchLoop({
      root,
      quietMs: () => pace.debounceMs,
      createFilter: (folder) => createWatchFilter(folder, options.ignore),
      changesFilter: isIgnoreFile,
      handle: createHandler(connection, root, options, { tell, pace, owner, signal: ending.signal }),
      outageReason,
      tell,
      signal: stopping,
      ...(startSource && { startSource }),
    });
    tell({ event: "stopped", complete: await loop.run() });
    return 0;
  } finally {
    await connection.close();
  }
}

interface Surroundings {
  tell(report: WatchReport): void;
  /** Where the debounce of the agent's settings goes. */
  pace: { debounceMs: number };
  owner: Owner;
  signal: AbortSignal;
}

function createHandler(
  connection: Connection,
  root: string,
  options: WatchOptions,
  { tell, pace, owner, signal }: Surroundings,
): (batch: WatchBatch) => Promise<string[]> {
  const mirror = createFolderMirror({ connection, agent: options.agent, root, selection: options, owner, signal });
  let saidSwitchedOff = false;
  let saidKept = false;
  return async (batch) => {
    const started = performance.now();
    if (batch.fresh) {
      const { debounceMs, isSwitchedOff } = await readPace(connection, options, signal);
      pace.debounceMs = debounceMs;
      if (isSwitchedOff && !saidSwitchedOff) tell({ event: "switched-off" });
      saidSwitchedOff = isSwitchedOff;
    }
    const { kept, again, shared, ...result } = await mirror.look(batch);
    const happened = result.sent + result.adopted + result.removed + result.skipped.length + result.failed.length > 0;
    const seconds = (performance.now() - started) / 1000;
    if (batch.fresh || happened) tell({ event: "synced", ...result, seconds });
    const [first] = batch.fresh ? shared : [];
    if (first) tell({ event: "shared", files: shared.length, by: first.origin ?? "", origin: owner.origin });
    if (kept && !saidKept) tell({ event: "kept", files: result.files });
    saidKept = kept;
    return again;
  };
}

/** How long changes must rest by the command's options, else by the agent's settings; and whether those are against it. */
export async function readPace(
  connection: Connection,
  options: { agent: string; debounce?: number },
  signal: AbortSignal,
): Promise<{ debounceMs: number; isSwitchedOff: boolean }> {
  const sync = await readSyncSettings(connection, options.agent, signal);
  const debounceMs = Math.max(LEAST_DEBOUNCE_MS, options.debounce ?? sync.watchDebounceMs ?? DEFAULT_DEBOUNCE_MS);
  return { debounceMs, isSwitchedOff: sync.watch === false };
}

/** What the agent's settings say of watching; nothing where they cannot be read. */
async function readSyncSettings(
  connection: Connection,
  agent: string,
  signal: AbortSignal,
): Promise<{ watch?: boolean; watchDebounceMs?: number }> {
  try {
    const path = agentPath(agent, "settings");
    const answer = await callApi<{ settings?: { sync?: object } }>(connection, "GET", path, undefined, { signal });
    return answer.settings?.sync ?? {};
  } catch (error) {
    if (outageReason(error) !== undefined) throw error;
    return {};
  }
}

/** What passes by itself: a server that is away, in trouble, or asks for patience. */
export function outageReason(error: unknown): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  const status = typeof error.details?.status === "number" ? error.details.status : 0;
  const passes = error.code === "service_unreachable" || status === 429 || status >= 500;
  return passes ? `${error.message} (${error.code})` : undefined;
}
