import type { Requester, SessionEntry } from "../../../src/cli/sessions/openclaw-requester.ts";
import type { AgentClient, AppendedMessages, AppendInput, MessageInput } from "../../../src/client/client.ts";
import type { TranscriptEntry, TranscriptSdk } from "./host.ts";
import type { Memory } from "./memory.ts";
import { type OriginClass, objectOf, originOfMessage } from "./origin.ts";

/** One conversation to send. */
export interface Conversation {
  agentId: string;
  sessionKey: string;
  sessionId: string;
  requester: Requester;
}

/** Sends conversations to the memory. */
export interface TranscriptSync {
  /**
   * Sends what is new in a conversation. The facts that its user states are captured on the way.
   * After an outage, the next turn or the next process sends the rest. Calls for one
   * conversation run one after the other. Never rejects.
   *
   * @param more.entries the messages of the turn, for a version of OpenClaw that does not let
   * plugins read transcripts
   */
  send(conversation: Conversation, more?: { entries?: readonly TranscriptEntry[]; limitMs?: number }): Promise<Sent>;
}

export interface Sent {
  sent: number;
  problem?: string;
}

/** The most messages of one request, and the most characters: a request has at most 8 MB. */
const MAX_MESSAGES = 200;
const MAX_REQUEST_CHARS = 1_000_000;
/** The server refuses longer messages. */
const MAX_MESSAGE_CHARS = 262_144;
const MAX_NAME_CHARS = 200;
/** A turn does not wait for this. */
const LIMIT_MS = 20_000;
/** OpenClaw's mark for a turn without an answer. */
const SILENT = /^(?:NO_REPLY|HEARTBEAT_OK)$/;

/** Makes the sync. */
export function createTranscriptSync(
  memory: Memory,
  options: { sdk: () => Promise<TranscriptSdk | undefined>; capture: boolean; warn(message: string): void },
): TranscriptSync {
  /** The last entry of each transcript that the server has acknowledged. */
  const acknowledged = new Map<string, string>();
  const running = new Map<string, Promise<Sent>>();

  const deliver = async (
    { agentId, sessionKey, sessionId, requester }: Conversation,
    entries: readonly TranscriptEntry[],
    timeoutMs: number,
  ): Promise<Sent> => {
    const place = JSON.stringify([agentId, sessionId]);
    let sent = 0;
    const known = acknowledged.get(place) ?? (await lastKnown(memory, agentId, sessionKey));
    for (const { messages, last } of batchesOf(entries, known)) {
      const append = { session: sessionKey, messages, capture: options.capture };
      const asked = await memory.ask(agentId, (client) => appendTo(client, append, requester), { timeoutMs });
      if (!("answer" in asked)) {
        if ("refused" in asked) options.warn(`The conversation ${sessionKey} is not stored. ${asked.refused}`);
        return { sent, problem: "away" in asked ? asked.away : asked.refused };
      }
      sent += asked.answer.appended;
      acknowledged.set(place, last);
    }
    return { sent };
  };
  const run = async (
    conversation: Conversation,
    { entries: given = [], limitMs = LIMIT_MS }: { entries?: readonly TranscriptEntry[]; limitMs?: number },
  ): Promise<Sent> => {
    const { agentId, sessionKey, sessionId } = conversation;
    try {
      const sdk = await options.sdk();
      const entries = sdk ? await sdk.readEntries({ agentId, sessionKey, sessionId }) : given;
      return await deliver(conversation, entries, limitMs);
    } catch (error) {
      const problem = `The conversation ${sessionKey} could not be read: ${error instanceof Error ? error.message : error}`;
      options.warn(problem);
      return { sent: 0, problem };
    }
  };
  return {
    send: (conversation, more = {}) => {
      const { agentId, sessionId } = conversation;
      const place = JSON.stringify([agentId, sessionId]);
      const next = (running.get(place) ?? Promise.resolve()).then(() => run(conversation, more));
      running.set(place, next);
      void next.finally(() => running.get(place) === next && running.delete(place));
      return next;
    },
  };
}

/**
 * Returns the id of the last message that the server has of a conversation. Another process may have
 * sent it. If it is unknown, everything is sent, and the server leaves out what it has.
 */
async function lastKnown(memory: Memory, agentId: string, sessionKey: string): Promise<string | undefined> {
  const asked = await memory.ask(agentId, async ({ sessions }) => {
    const { lastMessageId } = await sessions.get(sessionKey, { limit: 1 });
    return lastMessageId ?? undefined;
  });
  return "answer" in asked ? asked.answer : undefined;
}

async function appendTo(client: AgentClient, append: AppendInput, { writes }: Requester): Promise<AppendedMessages> {
  try {
    return await client.sessions.append({ ...append, scope: writes });
  } catch (error) {
    // The conversation was begun under another scope, which stays in force.
    if ((error as { code?: unknown }).code !== "scope_conflict") throw error;
    return await client.sessions.append(append);
  }
}

/** Returns the conversations of an agent that have a transcript, as OpenClaw lists them now. */
export function sessionsOf(sdk: TranscriptSdk, agentId: string): readonly (SessionEntry & { sessionId: string })[] {
  return sdk.listSessions(agentId).flatMap((entry) => {
    const { sessionId } = entry;
    return sessionId === undefined ? [] : [{ ...entry, sessionId }];
  });
}

/**
 * Returns the messages of the entries after the known one, in requests of limited size. `last` is the
 * last entry of each. Earlier entries tell whom the first answer answers.
 */
function* batchesOf(
  entries: readonly TranscriptEntry[],
  known: string | undefined,
): Generator<{ messages: MessageInput[]; last: string }> {
  const knownAt = known === undefined ? -1 : entries.findLastIndex(({ entryId }) => entryId === known);
  let messages: MessageInput[] = [];
  let chars = 0;
  let last = "";
  let asked: OriginClass = "untrusted";
  for (const [at, entry] of entries.entries()) {
    if (typeof entry.entryId !== "string" || entry.entryId === "") continue;
    const fields = objectOf(entry.message);
    const origin = originOfMessage(fields, asked);
    if (fields.role === "user") asked = origin;
    if (at <= knownAt) continue;
    const message = messageOf(entry, fields, origin);
    last = entry.entryId;
    if (message === undefined) continue;
    messages.push(message);
    chars += message.text?.length ?? 0;
    if (messages.length < MAX_MESSAGES && chars < MAX_REQUEST_CHARS) continue;
    yield { messages, last };
    messages = [];
    chars = 0;
  }
  if (messages.length > 0) yield { messages, last };
}

/**
 * Returns what was said in an entry: the words of users and of the agent. Tool calls and their
 * results are no memory.
 */
function messageOf(
  entry: TranscriptEntry,
  fields: Readonly<Record<string, unknown>>,
  originClass: OriginClass,
): MessageInput | undefined {
  const { role } = fields;
  if (role !== "user" && role !== "assistant") return undefined;
  const text = wordsOf(fields.content).replaceAll("\u0000", "\ufffd").slice(0, MAX_MESSAGE_CHARS).toWellFormed();
  if (text.trim() === "" || SILENT.test(text.trim())) return undefined;
  const name = role === "user" ? speakerOf(objectOf(fields.__openclaw)) : undefined;
  return {
    id: String(entry.entryId).slice(0, MAX_NAME_CHARS),
    role,
    text,
    originClass,
    ...(name === undefined ? {} : { name }),
    ...(typeof entry.createdAt === "string" ? { at: entry.createdAt } : {}),
  };
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const words = content.flatMap((part: unknown) => {
    const { type, text } = objectOf(part);
    if (type === "image") return ["[image]"];
    return (type === "text" || type === undefined) && typeof text === "string" ? [text] : [];
  });
  return words.join("\n");
}

/** Returns the name of the person who wrote a message, as the channel knows it. */
function speakerOf(host: Readonly<Record<string, unknown>>): string | undefined {
  const name = host.senderName ?? host.senderUsername;
  if (typeof name !== "string") return undefined;
  const line = name
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARS)
    .toWellFormed();
  return line === "" ? undefined : line;
}
