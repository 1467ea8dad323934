import { join } from "node:path";
import type { AgentClient } from "../../client/agent-client.ts";
import { filesBelow } from "../folder/files-below.ts";
import { NO_SUCH_FILE, reasonOf } from "../folder/walk-folder.ts";
import { readDebounceMs } from "../folder/watch.ts";
import { type WatchBatch, WatchLoop } from "../folder/watch-loop.ts";
import { createWatchReport, type WatchReport } from "../folder/watch-report.ts";
import { scopeOf } from "../folder/watch-scope.ts";
import type { StartSource } from "../folder/watch-source.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { codeOf, outageReason, sentenceOf } from "../shell/problem.ts";
import type { FileCursor } from "../shell/read-lines.ts";
import { sendTranscript } from "./send-transcript.ts";

export interface SessionsWatchOptions extends RemoteOptions {
  /** The time in milliseconds for which changes must rest; default: the agent's settings. */
  debounce?: number;
  /** Whether facts are captured as the agent's settings say; false: none are captured. */
  capture?: boolean;
}

const TRANSCRIPT = /\.jsonl$/i;
/**
 * The error codes by which only one transcript is left out. Any other error would recur for every
 * transcript.
 */
const ABOUT_A_TRANSCRIPT = new Set(["quota_exceeded", "invalid_session_key"]);

/**
 * Runs `recollect sessions watch DIR`. Appends new lines of the transcripts below a folder until
 * the user stops it. When a transcript is deleted, its session stays.
 *
 * @param root absolute path of a folder that exists
 * @returns 0
 * @throws RecollectError when the server refuses permanently, for example because the key is wrong
 * or the agent is disabled; AppError `config_invalid` when the agent's settings say
 * `sync.watch: false`
 */
export function watchTranscripts(
  context: CliContext,
  root: string,
  options: SessionsWatchOptions,
  startSource?: StartSource,
): Promise<number> {
  const signal = context.stopping();
  return withMemory(
    context,
    { ...options, waits: signal, ifMissing: "create" },
    async (memory, { client, description }) => {
      const tell = createWatchReport(context, options.json ?? false);
      tell({ event: "watching", root, agent: memory.id, server: description });
      const pace = { debounceMs: options.debounce ?? 0 };
      const handle = createHandler(memory, root, options, tell);
      const loop = new WatchLoop({
        root,
        quietMs: () => pace.debounceMs,
        createFilter: () => (path, stats) => stats.isFile() && !TRANSCRIPT.test(path),
        changesFilter: () => false,
        handle: async (batch) => {
          pace.debounceMs = await readDebounceMs(client.agent(memory.id, { signal }), options);
          return handle(batch);
        },
        outageReason,
        tell,
        signal,
        ...(startSource && { startSource }),
      });
      tell({ event: "stopped", complete: await loop.run() });
      return 0;
    },
  );
}

function createHandler(
  memory: AgentClient,
  root: string,
  { capture = true }: SessionsWatchOptions,
  tell: (report: WatchReport) => void,
): (batch: WatchBatch) => Promise<string[]> {
  /** The position up to which each transcript has been sent. */
  const cursors = new Map<string, FileCursor>();
  const append = async (path: string): Promise<void> => {
    const session = `transcript:${path.replace(TRANSCRIPT, "")}`;
    const from = cursors.get(path);
    cursors.delete(path);
    const target = { memory, session, captures: capture };
    const { cursor, ...sent } = await sendTranscript(target, join(root, path), from ? { from } : {});
    cursors.set(path, cursor);
    if (sent.sent + sent.bad.length > 0) tell({ event: "appended", file: path, session, ...sent });
  };
  return async ({ paths }) => {
    const scope = scopeOf(paths);
    const all = (await filesBelow(root)).filter((path) => TRANSCRIPT.test(path));
    for (const path of paths.has("") ? all : all.filter(scope.covers))
      await append(path).catch((error: unknown) => {
        const reason = reasonAbout(error, path);
        if (reason !== undefined) tell({ event: "not-appended", file: path, reason });
      });
    return [];
  };
}

/**
 * Returns the reason why one transcript was left out, or undefined if it was deleted after the
 * folder was read.
 *
 * @throws the error, if it concerns more than one transcript
 */
function reasonAbout(error: unknown, path: string): string | undefined {
  const code = codeOf(error);
  if (code === undefined) {
    const reason = reasonOf(error, path);
    return reason === NO_SUCH_FILE ? undefined : reason;
  }
  if (!ABOUT_A_TRANSCRIPT.has(code)) throw error;
  return sentenceOf(error);
}
