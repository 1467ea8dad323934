import { authoriseAgent } from "../agents/access.ts";
import { parseSessionKey, sessionPath, wholeSessionKey } from "../agents/session-key.ts";
import { retentionCutoff, searchesSessions } from "../agents/session-settings.ts";
import type { MemorySettings } from "../agents/settings.ts";
import { AppError } from "../base/errors.ts";
import { type AgentTransaction, withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { insertMessages, knownMessageIds, type MessageWrite, type Role } from "../db/agent/messages.ts";
import {
  countAppended,
  deleteSessions,
  hasUnindexed,
  lockOrCreateSession,
  type SessionRow,
} from "../db/agent/sessions.ts";
import type { SqlExecutor } from "../db/database.ts";
import { normaliseMessage, renderMessage } from "../ingest/transcript.ts";
import { SYNC_JOB } from "../queue/job-contracts.ts";
import type { Caller, Deps } from "./deps.ts";
import { findOrCreateAgent, type KnownAgent, requireGeneration } from "./find-agent.ts";
import { countUsage, takeQuota } from "./quota.ts";
import { earlierAnswer, noteAnswer } from "./write-once.ts";

export interface MessageInput {
  /** The sender's own id: what is sent again under it is not stored again. */
  id?: string | undefined;
  role: Role;
  /** Without line ends. */
  name?: string | undefined;
  text: string;
  at?: Date | undefined;
}

export interface AppendedMessages {
  session: string;
  key: string;
  path: string;
  /** How many were stored; those known by their id and those older than the retention are not. */
  appended: number;
  duplicates: number;
  expired: number;
  /** The session's last message by number. */
  lastMessage: number;
  unindexedMessages: number;
  /** `queued`: a sync has been asked for; `later`: below the thresholds; `off`: the agent does not search sessions. */
  indexing: "queued" | "later" | "off";
}

/**
 * Appends messages to a session, all or nothing, in the order given. The session is made by its first message. They are
 * indexed in the background: at once when the session ends or has passed `sync.sessions.deltaMessages` or `.deltaBytes`,
 * else with the next sync.
 *
 * @param input.end whether the conversation is over, so that what is unindexed need not wait for more
 * @throws AppError `invalid_session_key`, `session_not_found`, `quota_exceeded`, and as `findOrCreateAgent`
 */
export async function appendMessages(
  deps: Deps,
  caller: Caller,
  agentId: string,
  sessionKey: string,
  input: { messages: readonly MessageInput[]; end: boolean },
): Promise<AppendedMessages> {
  authoriseAgent(caller, "agent:write", agentId);
  const name = parseSessionKey(agentId, sessionKey);
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const earlier = await earlierAnswer<AppendedMessages>(deps, caller);
  if (earlier) return earlier;
  if (!agent.usageKnown) await countUsage(deps, agent);
  const now = deps.clock();
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const session = await lockOrCreateSession(tx, agent.schema, name, now);
    const { messages, duplicates, expired } = await selectNew(tx, agent, session, input.messages, now);
    const bytes = messages.reduce((sum, message) => sum + message.size, 0);
    if (messages.length > 0) await store(tx, agent, session, messages, bytes, now);
    else if (session.created) {
      if (input.messages.length === 0) throw sessionNotFound();
      await deleteSessions(tx, agent.schema, (await requireGeneration(tx, agent)).id, [session.id]);
    }
    const before = { messages: session.lastSeq - session.indexedSeq, bytes: session.unindexedBytes };
    const after = { messages: before.messages + messages.length, bytes: before.bytes + bytes };
    const begins = session.created && messages.length > 0 && (await isWorthSyncing(tx, agent, session));
    const wish = wishOf(agent.settings, { before, after, end: input.end, begins });
    const service = await tx.asService();
    if (wish === "now") await requestIndexing(deps, service, agent);
    if (wish === "if none waits") await requestIndexing(deps, service, agent, "unless one waits");
    const answer: AppendedMessages = {
      session: name,
      key: wholeSessionKey(agentId, name),
      path: sessionPath(name),
      ...{ appended: messages.length, duplicates, expired },
      lastMessage: session.lastSeq + messages.length,
      unindexedMessages: after.messages,
      indexing: searchesSessions(agent.settings) ? (wish === "none" ? "later" : "queued") : "off",
    };
    await noteAnswer(deps, caller, service, agentId, answer);
    // Last: the agent's row stays locked until the commit, and other writers of the agent wait for it.
    if (bytes > 0) await takeQuota(service, agent, { files: 0, bytes, chunks: 0, facts: 0 });
    return answer;
  });
}

export function sessionNotFound(): AppError {
  return new AppError("session_not_found", "The agent has no such session; list its sessions to see their keys.");
}

/** The messages that the session has not yet, numbered; of two with one id the first counts. */
async function selectNew(
  tx: AgentTransaction,
  agent: KnownAgent,
  session: SessionRow,
  given: readonly MessageInput[],
  now: Date,
): Promise<{ messages: MessageWrite[]; duplicates: number; expired: number }> {
  const ids = given.flatMap((message) => message.id ?? []);
  const known = await knownMessageIds(tx, agent.schema, session.id, ids);
  const cutoff = retentionCutoff(agent.settings, now);
  const messages: MessageWrite[] = [];
  const counts = { duplicates: 0, expired: 0 };
  let { lastSeq: seq, lastLine: line } = session;
  for (const { id = null, role, name = null, text: given_, at = now } of given) {
    if (id !== null && known.has(id)) counts.duplicates++;
    // It would be deleted by the next sync, and come back whenever an old transcript is sent again.
    else if (cutoff !== undefined && at < cutoff) counts.expired++;
    else {
      if (id !== null) known.add(id);
      const text = normaliseMessage(given_);
      const lineCount = renderMessage({ role, name, text }).length;
      const size = Buffer.byteLength(text);
      messages.push({ seq: ++seq, id, role, name, text, size, firstLine: line + 1, lineCount, at });
      line += lineCount;
    }
  }
  return { messages, ...counts };
}

async function store(
  tx: AgentTransaction,
  agent: KnownAgent,
  session: SessionRow,
  messages: readonly MessageWrite[],
  bytes: number,
  now: Date,
): Promise<void> {
  await insertMessages(tx, agent.schema, session.id, messages, now);
  // A clock that runs ahead must not keep a message for ever.
  const times = messages.map((message) => Math.min(message.at.getTime(), now.getTime()));
  const lines = messages.reduce((sum, message) => sum + message.lineCount, 0);
  const first = new Date(times.reduce((a, b) => Math.min(a, b)));
  const last = new Date(times.reduce((a, b) => Math.max(a, b)));
  await countAppended(tx, agent.schema, session.id, { count: messages.length, bytes, lines, first, last }, now);
}

/** The trigger "session start": what other sessions left unindexed, and folders that may have changed. */
async function isWorthSyncing(tx: AgentTransaction, agent: KnownAgent, session: SessionRow): Promise<boolean> {
  if (!agent.settings.sync.onSessionStart) return false;
  if (agent.settings.extraPaths.length > 0) return true;
  return searchesSessions(agent.settings) && (await hasUnindexed(tx, agent.schema, session.id));
}

interface Delta {
  messages: number;
  bytes: number;
}

/**
 * Whether to ask for a sync. A job that waits may begin before this transaction commits, so an append that passes a threshold,
 * or is above it by itself, asks for its own; small ones after it do well with the one that waits.
 */
function wishOf(
  settings: MemorySettings,
  { before, after, end, begins }: { before: Delta; after: Delta; end: boolean; begins: boolean },
): "now" | "if none waits" | "none" {
  const { deltaMessages, deltaBytes } = settings.sync.sessions;
  const isPast = (delta: Delta) =>
    searchesSessions(settings) && delta.messages > 0 && (delta.messages >= deltaMessages || delta.bytes >= deltaBytes);
  const added = { messages: after.messages - before.messages, bytes: after.bytes - before.bytes };
  const isOver = end && searchesSessions(settings) && after.messages > 0;
  if (isOver || isPast(added) || (isPast(after) && !isPast(before))) return "now";
  return begins || isPast(after) ? "if none waits" : "none";
}

async function requestIndexing(deps: Deps, tx: SqlExecutor, agent: KnownAgent, turn?: "unless one waits") {
  await deps.queue.send(tx, SYNC_JOB, { tenantId: agent.tenantId, agentId: agent.agentId }, turn);
}
