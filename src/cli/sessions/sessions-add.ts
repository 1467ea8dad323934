import { basename } from "node:path";
import { AppError } from "../../base/errors.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import { reasonOf } from "../folder/walk-folder.ts";
import { withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { stoppable } from "../shell/interrupted.ts";
import { paint } from "../shell/paint.ts";
import { printableLine } from "../shell/printable.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import { withFile } from "../shell/standard-input.ts";
import { sendTranscript, type TranscriptSent } from "./send-transcript.ts";
import { notSearched, waitForIndex } from "./wait-for-index.ts";

export interface AddOptions extends RemoteOptions {
  session?: string;
  user?: string;
  wait: boolean;
  capture: boolean;
}

/** The result for one file. `--json` prints these results. */
type Added = { file: string; session: string } & (Omit<TranscriptSent, "cursor"> | { failed: string });

const MAX_NAMED = 20;

/** Matches the name of a conversation of Codex, which ends with its id. */
const ROLLOUT = /^rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i;

/**
 * Returns the session key for a transcript that does not name one. A conversation of Codex has the
 * key under which its hook stores it.
 */
export function sessionOfFile(file: string): string {
  const [, id] = ROLLOUT.exec(basename(file)) ?? [];
  if (id !== undefined) return `codex:${id}`;
  return `transcript:${basename(file).replace(/\.jsonl?$/i, "")}`;
}

/**
 * Runs `recollect sessions add FILE…`.
 *
 * @returns 1 when a file or a line was refused, or the index stalled, else 0
 * @throws AppError `invalid_request`, after the results were printed, when no line was a message or no file was stored
 */
export function addTranscripts(context: CliContext, files: readonly string[], options: AddOptions): Promise<number> {
  const added: Added[] = [];
  const run = (signal: AbortSignal) => addAll(context, files, options, { added, signal });
  return stoppable(context, options.json ?? false, () => storedSentence(added.length, files.length), run);
}

/** Returns the sentence at Ctrl-C. Messages have ids, so sending a transcript again stores none twice. */
function storedSentence(done: number, all: number): string {
  if (done < all) return `Stopped: ${done} of ${all} transcripts are stored; the same command sends the rest.`;
  return "Stopped: all messages are stored; the server indexes them.";
}

function addAll(
  context: CliContext,
  files: readonly string[],
  options: AddOptions,
  { added, signal }: { added: Added[]; signal: AbortSignal },
): Promise<number> {
  return withMemory(context, { ...options, ifMissing: "create" }, async (found, { client }) => {
    const memory = client.agent(found.id, { signal });
    for (const file of files) {
      added.push(await addOne(context, { memory, signal }, file, options));
      // A database in this process answers a request although it was ended.
      signal.throwIfAborted();
    }
    const indexing = added.flatMap((one) => ("indexing" in one ? (one.indexing ?? []) : []));
    const waits = options.wait && indexing.some((state) => state !== "off");
    const stalled = waits && (await waitForIndex(context, { client, memory }, signal));
    if (options.json) context.stdout.write(`${JSON.stringify({ agent: memory.id, files: added })}\n`);
    else for (const one of added) context.stdout.write(render(one, context.colour));
    if (indexing.includes("off")) context.stderr.write(notSearched(memory.id));
    if (added.some(isForeign) && added.every((one) => isForeign(one) || "failed" in one))
      throw new AppError("invalid_request", NOT_A_TRANSCRIPT);
    const [first] = added.flatMap((one) => ("failed" in one ? one : []));
    if (first && added.every((one) => "failed" in one))
      throw new AppError("invalid_request", `No transcript was stored. ${first.file}: ${first.failed}`);
    return stalled || added.some((one) => "failed" in one || one.bad.length > 0) ? 1 : 0;
  });
}

const NOT_A_TRANSCRIPT =
  "No line is a message. A transcript has one JSON object a line: { role, content | text } as in chat APIs, or a line of " +
  "OpenClaw, Claude Code or Codex; or it is a JSON list of such messages. Exports of other programs are read by recollect import.";

function isForeign(added: Added): boolean {
  return "isForeign" in added && added.isForeign;
}

async function addOne(
  context: CliContext,
  { memory, signal }: { memory: AgentClient; signal: AbortSignal },
  file: string,
  options: AddOptions,
): Promise<Added> {
  const session = options.session ?? sessionOfFile(file);
  try {
    const scope = options.user === undefined ? undefined : { user: options.user };
    const target = { memory, session, captures: options.capture, scope };
    const { cursor: _, ...sent } = await withFile(context, file, (path) => sendTranscript(target, path, { end: true }));
    return { file, session, ...sent };
  } catch (error) {
    // A file that does not exist, or whose name makes no valid key, must not block the other files.
    // An unreachable server ends the command.
    const code = codeOf(error);
    signal.throwIfAborted();
    if (code === undefined) return { file, session, failed: reasonOf(error, file) };
    if (code !== "invalid_session_key") throw error;
    return { file, session, failed: sentenceOf(error) };
  }
}

function render(added: Added, colour: boolean): string {
  const name = printableLine(added.file);
  if ("failed" in added) return `${paint("red", "failed", colour)} ${name}: ${added.failed}\n`;
  const counts = [
    `sent ${added.sent}`,
    ...(added.captured > 0 ? [`facts ${added.captured}`] : []),
    ...(added.duplicates > 0 ? [`known ${added.duplicates}`] : []),
    ...(added.expired > 0 ? [`too old ${added.expired}`] : []),
    `lines skipped ${added.skipped}`,
    ...(added.bad.length > 0 ? [`bad ${added.bad.length} (named below)`] : []),
    ...(added.incomplete ? ["last line cut off"] : []),
  ];
  const bad = added.bad
    .slice(0, MAX_NAMED)
    .map(({ line, reason }) => `  ${paint("yellow", "bad", colour)} ${name}:${line}: ${printableLine(reason)}\n`);
  const more = added.bad.length > MAX_NAMED ? `  and ${added.bad.length - MAX_NAMED} more\n` : "";
  return `${name} → ${printableLine(added.session)}: ${counts.join(" · ")}\n${bad.join("")}${more}`;
}
