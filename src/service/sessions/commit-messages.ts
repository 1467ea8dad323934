import { sessionPath, wholeSessionKey } from "../../agents/memory-path.ts";
import { retentionCutoff, searchesSessions } from "../../agents/retention.ts";
import { AppError } from "../../base/errors.ts";
import type { FactScope } from "../../db/agent/facts/facts.ts";
import { insertMessages, knownMessageIds, type MessageWrite, type Role } from "../../db/agent/sessions/messages.ts";
import {
  countAppended,
  deleteSessions,
  hasUnindexed,
  lockOrCreateSession,
  type SessionRow,
} from "../../db/agent/sessions/sessions.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { normaliseMessage, renderMessage } from "../../ingest/session-windows.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import type { Caller } from "../core/core-deps.ts";
import { recordAnswer } from "../core/idempotency.ts";
import { type KnownAgent, requireGeneration } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { CaptureOutput } from "../facts/capture-turn.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { requireNoFile } from "../files/session-paths.ts";
import { type CapturePlan, writeCaptured } from "./capture-appended.ts";

interface MessageInput {
  /** The sender's own id. A message with a known id is not stored again. */
  id?: string | undefined;
  role: Role;
  /** Without line ends. */
  name?: string | undefined;
  text: string;
  /** The speaker's own words; default: the whole text. */
  own?: string | undefined;
  at?: Date | undefined;
}

export interface AppendInput {
  messages: readonly MessageInput[];
  /** Whether the conversation is over. */
  end: boolean;
  /** Whether the user's statements are captured; default: as the agent's settings say. */
  capture?: boolean | undefined;
  /** The scope of the captured facts. */
  scope?: FactScope | undefined;
}

export interface AppendedMessages {
  session: string;
  key: string;
  path: string;
  /** The number of stored messages. Messages with a known id and messages older than the retention are not stored. */
  appended: number;
  duplicates: number;
  expired: number;
  /** The number of the session's last message. */
  lastMessage: number;
  unindexedMessages: number;
  /** `done`: found by the next search; `queued`: a sync sees to it; `off`: the agent does not search sessions. */
  indexing: "done" | "queued" | "off";
  /** The captured statements; absent when capture was off. */
  captured?: CaptureOutput | undefined;
}

/** The answer of an append, and whether a sync is due at once if the session cannot be indexed now. */
export interface Committed {
  answer: AppendedMessages;
  isUrgent: boolean;
  /** Whether these are the session's first messages. */
  begins: boolean;
}

/** How long after an append a sync checks that it was indexed: the process may have been killed in between. */
const LOOK_AFTER_MS = 10_000;

/** A locked session with the messages to append. */
interface Appending {
  session: SessionRow & { created: boolean };
  messages: MessageWrite[];
  /** Numbers of the messages, by their place in what was given. */
  seqs: Map<number, number>;
  bytes: number;
  duplicates: number;
  expired: number;
}

/**
 * Stores messages with their captured facts, all or nothing, and enqueues the sync that indexes them if this process does
 * not.
 *
 * @throws AppError `session_not_found`, `invalid_session_key`, `quota_exceeded`
 */
export async function commitMessages(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  name: string,
  input: AppendInput,
  plan: CapturePlan | undefined,
): Promise<Committed> {
  const now = deps.clock();
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const session = await lockOrCreateSession(tx, agent.schema, name, now);
    const appending = selectNew(agent, session, input.messages, await knownOf(tx, session, input.messages), now);
    const { messages, seqs, bytes, duplicates, expired } = appending;
    await store(tx, agent, appending, input, now);
    const begins = session.created && messages.length > 0;
    const isDue = begins && (await isWorthSyncing(tx, agent, session));
    const { captured, written } = await writeCaptured(deps, agent, tx, plan, seqs);
    const service = await tx.asService();
    await requestSync(deps, service, agent, { isDue, grows: messages.length > 0 });
    await written?.conclude(service);
    const isSearched = searchesSessions(agent.settings);
    const answer: AppendedMessages = {
      ...{ session: name, key: wholeSessionKey(agent.agentId, name), path: sessionPath(name) },
      ...{ appended: messages.length, duplicates, expired },
      lastMessage: session.lastSeq + messages.length,
      unindexedMessages: session.lastSeq - session.indexedSeq + messages.length,
      indexing: isSearched ? "queued" : "off",
      ...(captured ? { captured } : {}),
    };
    await recordAnswer(deps, caller, service, agent.agentId, answer);
    // Last, since it locks the agent's row until the commit, and other writers of the agent wait for it.
    const facts = written?.added ?? { bytes: 0, chunks: 0, facts: 0 };
    if (bytes > 0) await takeQuota(service, agent, { ...facts, files: 0, bytes: bytes + facts.bytes });
    return { answer, isUrgent: isSearched && isUrgent(agent, appending, input.end), begins };
  });
}

export function sessionNotFound(): AppError {
  return new AppError("session_not_found", "The agent has no such session.");
}

function knownOf(tx: AgentTransaction, session: SessionRow, given: AppendInput["messages"]): Promise<Set<string>> {
  const ids = given.flatMap((message) => message.id ?? []);
  return knownMessageIds(tx, tx.schema, session.id, ids);
}

/** The new messages, numbered. Of two with one id the first counts. */
function selectNew(
  agent: KnownAgent,
  session: Appending["session"],
  given: AppendInput["messages"],
  known: Set<string>,
  now: Date,
): Appending {
  const cutoff = retentionCutoff(agent.settings, now);
  const messages: MessageWrite[] = [];
  const seqs = new Map<number, number>();
  const counts = { duplicates: 0, expired: 0 };
  let { lastSeq: seq, lastLine: line } = session;
  for (const [place, { id = null, role, name = null, text: given_, at = now }] of given.entries()) {
    if (id !== null && known.has(id)) counts.duplicates++;
    // The next sync would delete it, and it would come back whenever an old transcript is sent again.
    else if (cutoff !== undefined && at < cutoff) counts.expired++;
    else {
      if (id !== null) known.add(id);
      const text = normaliseMessage(given_);
      const lineCount = renderMessage({ role, name, text }).length;
      const size = Buffer.byteLength(text);
      messages.push({ seq: ++seq, id, role, name, text, size, firstLine: line + 1, lineCount, at });
      line += lineCount;
      seqs.set(place, seq);
    }
  }
  const bytes = messages.reduce((sum, message) => sum + message.size, 0);
  return { session, messages, seqs, bytes, ...counts };
}

async function store(
  tx: AgentTransaction,
  agent: KnownAgent,
  { session, messages, bytes }: Appending,
  input: AppendInput,
  now: Date,
): Promise<void> {
  if (messages.length === 0) {
    if (!session.created) return;
    if (input.messages.length === 0) throw sessionNotFound();
    await deleteSessions(tx, agent.schema, (await requireGeneration(tx, agent)).id, [session.id]);
    return;
  }
  if (session.created) await requireNoFile(tx, [session.key]);
  await insertMessages(tx, agent.schema, session.id, messages, now);
  // A sender's clock that runs ahead must not keep a message for ever.
  const times = messages.map((message) => Math.min(message.at.getTime(), now.getTime()));
  const lines = messages.reduce((sum, message) => sum + message.lineCount, 0);
  const first = new Date(times.reduce((a, b) => Math.min(a, b)));
  const last = new Date(times.reduce((a, b) => Math.max(a, b)));
  await countAppended(tx, agent.schema, session.id, { count: messages.length, bytes, lines, first, last }, now);
}

/** The trigger "session start": other sessions may be unindexed, and folders may have changed. */
async function isWorthSyncing(tx: AgentTransaction, agent: KnownAgent, session: SessionRow): Promise<boolean> {
  if (!agent.settings.sync.onSessionStart) return false;
  if (agent.settings.extraPaths.length > 0) return true;
  return searchesSessions(agent.settings) && (await hasUnindexed(tx, agent.schema, session.id));
}

/** Requests a sync at once when a new session is worth it; else a little later, to check that the session was indexed. */
async function requestSync(
  deps: FileDeps,
  service: SqlExecutor,
  { settings, tenantId, agentId }: KnownAgent,
  { isDue, grows }: { isDue: boolean; grows: boolean },
): Promise<void> {
  const looks = grows && searchesSessions(settings);
  if (!isDue && !looks) return;
  const later = { afterMs: LOOK_AFTER_MS, unlessOneWaits: true } as const;
  await deps.queue.send(service, SYNC_JOB, { tenantId, agentId }, isDue ? "unless one waits" : later);
}

/**
 * Whether messages that could not be indexed need a sync at once: when the session is over, or when the unindexed messages
 * pass a threshold. Otherwise they wait for the sync that checks appends.
 */
function isUrgent({ settings }: KnownAgent, { session, messages, bytes }: Appending, end: boolean): boolean {
  const { deltaMessages, deltaBytes } = settings.sync.sessions;
  const before = { messages: session.lastSeq - session.indexedSeq, bytes: session.unindexedBytes };
  const added = { messages: messages.length, bytes };
  const after = { messages: before.messages + added.messages, bytes: before.bytes + added.bytes };
  const isPast = (delta: typeof added) =>
    delta.messages > 0 && (delta.messages >= deltaMessages || delta.bytes >= deltaBytes);
  return (end && after.messages > 0) || isPast(added) || (isPast(after) && !isPast(before));
}
