import type { z } from "zod";
import { dayIn } from "../../base/civil-day.ts";
import { AppError } from "../../base/errors.ts";
import { factWithNeighbours } from "../../db/agent/facts/fact-lookup.ts";
import { type FactRow, factPath } from "../../db/agent/facts/facts.ts";
import { readFileAsOf } from "../../db/agent/files/file-versions.ts";
import { readFile } from "../../db/agent/files/files.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { isVisibleTo, type Scope, scopeOfRow } from "../../db/agent/schema/scope.ts";
import { isSaidBy, messagesFrom } from "../../db/agent/sessions/messages.ts";
import { readSession } from "../../db/agent/sessions/sessions.ts";
import { toLines } from "../../ingest/normalise.ts";
import { renderMessage } from "../../ingest/session-windows.ts";
import { pagesOf } from "../../relevance/snippets/pages.ts";
import { foldersOf } from "../../settings/extra-paths.ts";
import {
  checkReadablePath,
  factOfPath,
  parseSessionKey,
  sessionOfPath,
  sessionPath,
} from "../../settings/memory-path.ts";
import { searchesSessions } from "../../settings/retention.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import { settingsZone } from "../../settings/settings-zone.ts";
import { isInFolders } from "../../settings/shared-paths.ts";
import { type FoundAgent, findMemory } from "../agent/find-agent.ts";
import { noticingFailure } from "../core/activity.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { wasSaidAgain } from "../facts/present-fact.ts";
import { type HookedSearchDeps, openOtherMemory } from "./search-hooks.ts";
import type { getInput, linesNotFound, readLines } from "./search-schemas.ts";
import { placesOf } from "./shown-path.ts";

const DEFAULT_LINES = 120;
const MAX_CHARS = 12_000;

type GetInput = z.output<typeof getInput>;
export type GetOutput = z.output<typeof readLines | typeof linesNotFound>;

/** Consecutive lines of a file, a transcript or a fact. */
interface Lines {
  /** The number of the first line. */
  first: number;
  lines: readonly string[];
  /** The number of the next line; undefined if these lines reach the end. */
  next?: number | undefined;
  /** The line on which each page begins, if the text is of a document. */
  pages?: readonly number[] | undefined;
  /** The messages of a session to which the lines belong. */
  messages?: readonly { firstLine: number; at: Date }[] | undefined;
}

/**
 * Answers the tool `memory_get`: reads lines of one file, session or fact, at most 120 lines unless
 * `lines` says otherwise, and always at most 12,000 characters. `nextFrom` says where to continue.
 * A longer line is cut, and `nextChar` says where to continue in it with `fromChar`. With `asOf` a
 * file is read as it was then, a fact as it held then, and a conversation up to that time.
 *
 * Sessions are readable for agents that search sessions; lines of removed messages are skipped, and
 * `days` says of which days the lines are. If the text ends before the first line, a note says so.
 * Facts are readable even if they no longer hold, and whatever `sources` says, since
 * `memory_recall` searches them. A session or fact that `scope` may not see counts as missing.
 * `@handbook/…` is a path in the memory that the agent `handbook` shares with this one. A path that
 * names nothing is taken for a citation or another form in which tools show paths (`placesOf`).
 *
 * @throws AppError `invalid_path`, `invalid_agent_id`, `agent_not_found`
 */
export async function getMemory(
  deps: HookedSearchDeps,
  caller: Caller,
  agentId: string,
  input: GetInput,
): Promise<GetOutput> {
  const begun = performance.now();
  const found = await findMemory(deps, caller, "search", agentId);
  const work = () => readFound(deps, agentId, found, input);
  const { read, of } = await noticingFailure(deps, { agent: found.agent, caller, kind: "read", begun }, work);
  const tookMs = performance.now() - begun;
  for (const agent of new Set([found.agent, of]))
    if (agent) deps.activity.note(agent, caller, "read", "status" in read ? 0 : 1, tookMs);
  return read;
}

/** Returns the answer, and the agent in whose memory the text was found. */
async function readFound(
  deps: HookedSearchDeps,
  agentId: string,
  found: FoundAgent,
  input: GetInput,
): Promise<{ read: GetOutput; of?: KnownAgent | undefined }> {
  let refusal: unknown;
  for (const [n, { path, from, lines }] of placesOf(agentId, input.path).entries()) {
    const wanted = { ...input, path, from: input.from ?? from, lines: input.lines ?? (input.from ? undefined : lines) };
    try {
      const answer = await readPlace(deps, found, wanted);
      if (!("status" in answer.read)) return answer;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "invalid_path") throw error;
      // Another form of a path may be none, such as a long one with an ending.
      if (n === 0) refusal = error;
    }
  }
  if (refusal !== undefined) throw refusal;
  return { read: { status: "not_found", text: "", path: input.path.normalize("NFC") } };
}

async function readPlace(
  deps: HookedSearchDeps,
  { agent, profile }: FoundAgent,
  input: GetInput,
): Promise<{ read: GetOutput; of?: KnownAgent | undefined }> {
  const other = agent && (await openOtherMemory(deps, agent, input.path.normalize("NFC")));
  if (other && input.asOf)
    throw new AppError("invalid_path", "A shared memory can only be read as it is now. Leave out asOf.");
  const { path: inMemory, prefix } = other ?? { path: input.path, prefix: "" };
  const memory: ReadMemory | undefined = other ? other.memory : agent && { agent };
  const { path, read } = readerOf(memory?.agent.settings ?? profile.settings, inMemory);
  const wanted = { from: input.from ?? 1, count: input.lines ?? DEFAULT_LINES };
  const isOffered = isInFolders(path, memory?.folders ?? []);
  const { asOf } = input;
  const at = asOf ?? deps.clock();
  const reader = other ? other.scope : input.scope;
  const found =
    memory &&
    isOffered &&
    (await withAgentReads(deps.db, memory.agent, (tx) => read(tx, { ...memory, prefix, at, asOf, reader }, wanted)));
  if (!found) return { read: { status: "not_found", text: "", path: prefix + path } };
  const by = other ? { sharedBy: other.sharedBy } : {};
  // The line that was asked for may be gone, and then the answer begins with another line.
  const fromChar = found.first === wanted.from ? (input.fromChar ?? 1) : 1;
  const zone = settingsZone(memory?.agent.settings);
  const lines = cutLines(prefix + path, found, { count: wanted.count, fromChar, zone });
  return { read: { ...lines, ...by }, of: memory.agent };
}

/** The memory that is read: the agent's own, or the shared part of another agent's. */
interface ReadMemory {
  agent: KnownAgent;
  /** The shared folders, if the memory is another agent's. */
  folders?: readonly string[];
}

/** A memory with the values that decide how its lines are shown. */
interface ShownMemory extends ReadMemory {
  /** The prefix of its paths. */
  prefix: string;
  /** The time at which facts are judged. */
  at: Date;
  /** The past time at which files and conversations are read; undefined: now. */
  asOf: Date | undefined;
  /** The scope whose sessions and facts may be read; undefined: all. */
  reader: Scope | undefined;
}

/** Returns whether the reader of a memory may see a session or a fact of this scope. */
function isShown({ reader }: ShownMemory, scope: Scope): boolean {
  return reader === undefined || isVisibleTo(scope, reader);
}

/**
 * Returns the path in normal form C, and a function that reads it as a session, a fact or a file.
 *
 * @throws AppError `invalid_path`
 */
function readerOf(settings: MemorySettings, asked: string) {
  const normal = asked.normalize("NFC");
  const name = sessionOfPath(normal);
  // The path of a session may have longer segments than the path of a file.
  const path = name === undefined ? checkReadablePath(asked, foldersOf(settings)) : normal;
  const factId = factOfPath(path);
  const session = searchesSessions(settings) ? name : undefined;
  const read = async (tx: AgentReads, memory: ShownMemory, wanted: { from: number; count: number }) => {
    const transcript = session === undefined ? undefined : await readTranscript(tx, memory, session, wanted);
    if (transcript) return transcript;
    // A source of another agent's memory is only read if its settings and the share include it in
    // searches.
    const isRead = (source: "facts" | "memory") => memory.folders === undefined || settings.sources.includes(source);
    const fact = factId === undefined || !isRead("facts") ? undefined : await readFactLines(tx, memory, factId);
    // A missing fact's path may belong to a file that was written before facts had paths.
    const file = () => (isRead("memory") ? readFileLines(tx, memory.agent, path, memory.asOf) : undefined);
    const text = fact ? { lines: fact } : await file();
    return text && { ...text, first: wanted.from, lines: text.lines.slice(wanted.from - 1) };
  };
  return { path, read };
}

async function readFileLines(
  tx: AgentReads,
  agent: KnownAgent,
  path: string,
  asOf: Date | undefined,
): Promise<Omit<Lines, "first"> | undefined> {
  const { schema } = agent;
  const file = asOf ? await readFileAsOf(tx, schema, path, asOf) : await readFile(tx, schema, path);
  return file && { lines: toLines(file.content), pages: file.original?.pages };
}

/**
 * Reads the lines of a session from a given number on: as many as can be shown, up to a gap where a
 * message was removed.
 */
async function readTranscript(
  tx: AgentReads,
  memory: ShownMemory,
  name: string,
  { from, count }: { from: number; count: number },
): Promise<Lines | undefined> {
  const { schema } = memory.agent;
  const session = await readSession(tx, schema, name);
  if (!session || !isShown(memory, scopeOfRow(session))) return undefined;
  const start = [{ id: session.id, fromSeq: 1, fromLine: Math.min(from, session.lastLine + 1) }];
  // Every message has a line; characters are at most four bytes.
  const size = { limit: Math.min(count, MAX_CHARS) + 1, least: 1, maxBytes: MAX_CHARS * 4 };
  const read = await messagesFrom(tx, schema, start, size);
  const { asOf } = memory;
  // Messages of an import need not be in order of time, so later ones may stand between earlier ones.
  const messages = asOf ? read.filter(({ at }) => at <= asOf) : read;
  const [opening] = messages;
  const lastRead = read.at(-1);
  const after = lastRead ? lastRead.firstLine + lastRead.lineCount : session.lastLine + 1;
  const rest = after <= session.lastLine ? after : undefined;
  if (!opening && asOf && !(await isSaidBy(tx, schema, session.id, asOf))) return undefined;
  if (!opening) return { first: from, lines: [], next: rest };
  const lines: string[] = [];
  let end = opening.firstLine;
  for (const message of messages) {
    if (message.firstLine !== end)
      return { ...skipTo(opening.firstLine, lines, from), messages, next: message.firstLine };
    lines.push(...renderMessage(message));
    end = message.firstLine + message.lineCount;
  }
  return { ...skipTo(opening.firstLine, lines, from), messages, next: rest };
}

function skipTo(firstLine: number, lines: readonly string[], from: number): Lines {
  const first = Math.max(firstLine, from);
  return { first, lines: lines.slice(first - firstLine) };
}

/** Returns the lines that fit an answer. The first begins at `fromChar`, which counts from 1. */
function cutLines(
  path: string,
  found: Lines,
  { count, fromChar, zone }: { count: number; fromChar: number; zone: string },
): z.output<typeof readLines> {
  const start = characterStart(found.lines[0] ?? "", fromChar - 1);
  const taken: string[] = [];
  let chars = 0;
  let nextChar: number | undefined;
  for (const [index, whole] of found.lines.slice(0, count).entries()) {
    const line = index === 0 ? whole.slice(start) : whole;
    const cost = line.length + (taken.length > 0 ? 1 : 0);
    if (chars + cost > MAX_CHARS) {
      if (index > 0) break;
      const end = characterStart(line, MAX_CHARS);
      taken.push(line.slice(0, end));
      nextChar = start + end + 1;
      break;
    }
    taken.push(line);
    chars += cost;
  }
  const text = taken.join("\n");
  const next = taken.length < found.lines.length ? found.first + taken.length : found.next;
  return {
    text,
    path,
    from: found.first,
    lines: taken.length,
    ...(taken.length > 0 ? pagesOf(found.pages, found.first, found.first + taken.length - 1) : {}),
    ...daysOf(found, taken.length, zone),
    ...(next !== undefined || nextChar !== undefined ? { truncated: true } : {}),
    ...(next !== undefined ? { nextFrom: next } : {}),
    ...(nextChar !== undefined ? { nextChar } : {}),
    ...(taken.length === 0 && found.first > 1 ? { note: `The text ends before line ${found.first}.` } : {}),
  };
}

/** Returns the days of the first lines of a session: the first of these lines, and each at which another day begins. */
function daysOf(
  { first, messages = [] }: Lines,
  count: number,
  zone: string,
): { days?: { line: number; day: string }[] } {
  const days: { line: number; day: string }[] = [];
  for (const { firstLine, at } of messages) {
    if (firstLine >= first + count) break;
    const one = { line: Math.max(first, firstLine), day: dayIn(zone, at) };
    // A message that ends before the first line counts only until the next one begins.
    if (one.line === days.at(-1)?.line) days.pop();
    if (one.day !== days.at(-1)?.day) days.push(one);
  }
  return days.length === 0 ? {} : { days };
}

/** Returns an index of a line, or the index before it if a surrogate pair would be split there. */
function characterStart(line: string, at: number): number {
  const isInPair = /[\udc00-\udfff]/.test(line.charAt(at)) && /[\ud800-\udbff]/.test(line.charAt(at - 1));
  return isInPair ? at - 1 : at;
}

/**
 * Returns a fact as lines of text: its statement, subject, category, validity, predecessor and source. If
 * the fact no longer holds, the first line says so. Returns undefined if there is no such fact, or
 * the reader may not see it.
 */
async function readFactLines(tx: AgentReads, memory: ShownMemory, id: string): Promise<string[] | undefined> {
  const { agent, prefix, at } = memory;
  const known = await factWithNeighbours(tx, agent.schema, id);
  const rows = known.filter((row) => isShown(memory, row));
  const fact = rows.find((row) => row.id === id);
  if (!fact) return undefined;
  const source = await describeSource(tx, memory, fact);
  const next = rows.find((row) => row.id === fact.supersededBy);
  const replaced = rows.filter((row) => row.supersededBy === id);
  const { user, agent: ofAgent, session } = fact;
  const scope = Object.entries({ user, agent: ofAgent, session }).filter(([, value]) => value !== "");
  const [first = "", ...others] = toLines(fact.text);
  const end = endOf(fact, at);
  return [
    ...[`${end}${first}`, ...others, ""],
    ...(fact.subject === null ? [] : [`subject: ${toLines(fact.subject).join(" ")}`]),
    `category: ${fact.category}`,
    `holds since: ${day(fact.validFrom)}`,
    ...(fact.validTo ? [`held until: ${day(fact.validTo)}`] : []),
    ...(fact.expiresAt ? [`expires: ${day(fact.expiresAt)}`] : []),
    ...(wasSaidAgain(fact) ? [`last said: ${day(fact.confirmedAt)}`] : []),
    ...(next ? [`replaced by: ${reference(next, prefix)}`] : []),
    ...replaced.map((one) => `replaced: ${reference(one, prefix)}`),
    ...(fact.key === null ? [] : [`key: ${fact.key}`]),
    ...(scope.length === 0 ? [] : [`for: ${scope.map((part) => part.join(" ")).join(", ")}`]),
    ...(fact.tags.length === 0 ? [] : [`tags: ${fact.tags.join(", ")}`]),
    `source: ${source}`,
  ];
}

/**
 * Returns the beginning of the first line of a fact that does not hold, and "" for a fact that
 * does.
 */
function endOf({ validFrom, validTo, expiresAt }: FactRow, now: Date): string {
  if (validTo && validTo <= now) return `No longer holds, since ${day(validTo)}: `;
  if (expiresAt && expiresAt <= now) return `No longer holds, expired ${day(expiresAt)}: `;
  return validFrom > now ? `Holds only from ${day(validFrom)} on: ` : "";
}

/** Returns another fact on one line, with its path. */
function reference({ id, text }: FactRow, prefix: string): string {
  return `${toLines(text).join(" ")} (${prefix}${factPath(id)})`;
}

/** Returns the source of a fact, with a path for `memory_get` if it has one. */
async function describeSource(tx: AgentReads, memory: ShownMemory, { source }: FactRow): Promise<string> {
  const { prefix, reader } = memory;
  switch (source.kind) {
    case "call":
      return source.note === undefined ? "stored directly" : `stored directly, ${source.note}`;
    case "file":
      return `${prefix}${source.path}${source.startLine === undefined ? "" : `#L${source.startLine}`}`;
    case "message": {
      const place = await pathOfMessage(tx, memory, source);
      if (place !== undefined) return place;
      // The name of a conversation may reveal the speaker.
      return reader === undefined ? `said in the conversation ${source.session}` : "said in a conversation";
    }
  }
}

async function pathOfMessage(
  tx: AgentReads,
  memory: ShownMemory,
  { session: key, message }: { session: string; message?: number | undefined },
): Promise<string | undefined> {
  const { agent, prefix } = memory;
  const name = searchesSessions(agent.settings) ? sessionName(agent.agentId, key) : undefined;
  const session = name === undefined ? undefined : await readSession(tx, agent.schema, name);
  if (name === undefined || !session || !isShown(memory, scopeOfRow(session))) return undefined;
  const path = prefix + sessionPath(name);
  if (message === undefined) return `said in ${path}`;
  const page = { limit: 1, least: 1, maxBytes: 1 };
  const [found] = await messagesFrom(tx, agent.schema, [{ id: session.id, fromSeq: message }], page);
  // Retention may have removed the message. The next message is then not the source.
  return found?.seq === message ? `said in ${path}#L${found.firstLine}` : `said in ${path}, message ${message}`;
}

/**
 * Returns the name of a session. Callers name a source freely, and a text that is no session key
 * has no path.
 */
function sessionName(agentId: string, key: string): string | undefined {
  try {
    return parseSessionKey(agentId, key);
  } catch {
    return undefined;
  }
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
