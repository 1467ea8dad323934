import { join } from "node:path";
import type { AgentClient } from "../../client/agent-client.ts";
import { filesBelow } from "../folder/files-below.ts";
import { reasonOf } from "../folder/walk-folder.ts";
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
  /** How long changes must rest, in milliseconds; without it what the agent's settings say. */
  debounce?: number;
  /** false: nothing is captured; else as the agent's settings say. */
  capture?: boolean;
}

const TRANSCRIPT = /\.jsonl$/i;
/** What one transcript can be refused for; anything else would be so for every one. */
const ABOUT_A_TRANSCRIPT = new Set(["quota_exceeded", "invalid_session_key"]);

/**
 * `recollect sessions watch DIR`: appends what transcripts below a folder are given, until the user stops it. A transcript
 * that is deleted leaves its session: what was said stays said.
 *
 * @param root absolute path of a folder that exists
 * @returns 0
 * @throws RecollectError when the server refuses for good: a key that is wrong, an agent that is disabled; AppError
 *   `config_invalid` when the agent's settings say `sync.watch: false`
 */
export function watchTranscripts(
  context: CliContext,
  root: string,
  options: SessionsWatchOptions,
  startSource?: StartSource,
): Promise<number> {
  const signal = context.stopping();
  return withMemory(context, { ...options, waits: signal }, async (memory, { client, description }) => {
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
  });
}

function createHandler(
  memory: AgentClient,
  root: string,
  { capture = true }: SessionsWatchOptions,
  tell: (report: WatchReport) => void,
): (batch: WatchBatch) => Promise<string[]> {
  /** How far each transcript has been sent. */
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

/** Why one transcript was left out; undefined: it has gone since the folder was read. @throws what is not about it alone */
function reasonAbout(error: unknown, path: string): string | undefined {
  const code = codeOf(error);
  if (code === undefined) {
    const reason = reasonOf(error, path);
    return reason === "ENOENT" ? undefined : reason;
  }
  if (!ABOUT_A_TRANSCRIPT.has(code)) throw error;
  return sentenceOf(error);
}
