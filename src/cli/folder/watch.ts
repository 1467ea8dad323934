import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../../base/errors.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { outageReason } from "../shell/problem.ts";
import { LEAST_DEBOUNCE_MS } from "../shell/shared-options.ts";
import type { Selection } from "./compare-files.ts";
import { createFolderMirror, type FolderMirror } from "./folder-mirror.ts";
import { originOf } from "./origin-of.ts";
import { createWatchFilter, isIgnoreFile } from "./watch-filter.ts";
import { type WatchBatch, WatchLoop } from "./watch-loop.ts";
import { createWatchReport, type WatchReport } from "./watch-report.ts";
import type { StartSource } from "./watch-source.ts";

export interface WatchOptions extends RemoteOptions, Selection {
  /** The time in milliseconds for which changes must rest; default: the agent's settings. */
  debounce?: number;
}

const DEFAULT_DEBOUNCE_MS = 1500;
/** The time in milliseconds for which sending may continue after the user stops the command. */
const FAREWELL_MS = 5000;

/**
 * Runs `recollect watch DIR`. Keeps an agent's files equal to a folder until the user stops it.
 *
 * @param root absolute path of a folder that exists
 * @returns 0
 * @throws RecollectError when the server refuses permanently, for example because the key is wrong
 * or the agent is disabled; AppError `config_invalid` when the agent's settings say
 * `sync.watch: false`
 */
export function watch(
  context: CliContext,
  root: string,
  options: WatchOptions,
  startSource?: StartSource,
): Promise<number> {
  const stopping = context.stopping();
  return withMemory(
    context,
    { ...options, waits: stopping, ifMissing: "create" },
    async (found, { client, description }) => {
      const ending = new AbortController();
      const endLater = () => void sleep(FAREWELL_MS, undefined, { ref: false }).then(() => ending.abort());
      if (stopping.aborted) endLater();
      stopping.addEventListener("abort", endLater, { once: true });
      const memory = client.agent(found.id, { signal: ending.signal });
      const tell = createWatchReport(context, options.json ?? false);
      const origin = options.origin ?? (await originOf(root, options.prefix));
      const owner = { origin, takeOver: options.takeOver ?? false };
      tell({ event: "watching", root, agent: memory.id, origin, server: description });
      const pace = { debounceMs: options.debounce ?? DEFAULT_DEBOUNCE_MS };
      const mirror = createFolderMirror({ memory, description, root, selection: options, owner });
      const loop = new WatchLoop({
        root,
        quietMs: () => pace.debounceMs,
        createFilter: (folder) => createWatchFilter(folder, options.ignore),
        changesFilter: isIgnoreFile,
        handle: createHandler(memory, mirror, options, { tell, pace, origin }),
        outageReason,
        tell,
        signal: stopping,
        ...(startSource && { startSource }),
      });
      tell({ event: "stopped", complete: await loop.run() });
      return 0;
    },
  );
}

interface Surroundings {
  tell(report: WatchReport): void;
  /** The current debounce, from the command's options or the agent's settings. */
  pace: { debounceMs: number };
  origin: string;
}

function createHandler(
  memory: AgentClient,
  mirror: FolderMirror,
  options: WatchOptions,
  { tell, pace, origin }: Surroundings,
): (batch: WatchBatch) => Promise<string[]> {
  let saidKept = false;
  return async (batch) => {
    const started = performance.now();
    pace.debounceMs = await readDebounceMs(memory, options);
    const { kept, again, shared, ...result } = await mirror.look(batch);
    const happened = result.sent + result.adopted + result.removed + result.skipped.length + result.failed.length > 0;
    const seconds = (performance.now() - started) / 1000;
    if (batch.fresh || happened) tell({ event: "synced", ...result, seconds });
    const [first] = batch.fresh ? shared : [];
    if (first) tell({ event: "shared", files: shared.length, by: first.origin ?? "", origin });
    if (kept && !saidKept) tell({ event: "kept", files: result.files });
    saidKept = kept;
    return again;
  };
}

/**
 * Returns the time in milliseconds for which changes must rest, from the command's options or else
 * from the agent's settings. The settings are read before each batch, so that a setting that
 * forbids watching ends a running watch.
 *
 * @throws AppError `config_invalid` when the settings say `sync.watch: false`
 */
export async function readDebounceMs(memory: AgentClient, options: { debounce?: number }): Promise<number> {
  const sync = await readSyncSettings(memory);
  if (sync.watch === false)
    throw new AppError(
      "config_invalid",
      `The settings of the agent ${memory.id} say sync.watch: false, so nothing is watched for it. ` +
        `To allow it: recollect agents set ${memory.id} sync.watch true. To send once: recollect sync or recollect sessions add.`,
    );
  return Math.max(LEAST_DEBOUNCE_MS, options.debounce ?? sync.watchDebounceMs ?? DEFAULT_DEBOUNCE_MS);
}

/** Returns the agent's settings about watching, or nothing if the settings cannot be read. */
async function readSyncSettings(memory: AgentClient): Promise<{ watch?: boolean; watchDebounceMs?: number }> {
  try {
    const { settings } = (await memory.settings()) as { settings?: { sync?: object } };
    return settings?.sync ?? {};
  } catch (error) {
    if (outageReason(error) !== undefined) throw error;
    return {};
  }
}
