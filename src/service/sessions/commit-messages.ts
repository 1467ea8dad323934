import { AppError } from "../../base/errors.ts";
import { type AgentTransaction, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { SCOPE_PARTS, type Scope, scopeOfRow } from "../../db/agent/schema/scope.ts";
import { insertMessages, knownMessageIds, type MessageWrite } from "../../db/agent/sessions/messages.ts";
import {
  countAppended,
  deleteSessions,
  lockOrCreateSession,
  lockSessions,
  type SessionRow,
} from "../../db/agent/sessions/sessions.ts";
import { normaliseMessage, renderMessage } from "../../ingest/session-windows.ts";
import { sessionPath, wholeSessionKey } from "../../settings/memory-path.ts";
import { retentionCutoff, searchesSessions } from "../../settings/retention.ts";
import type { Caller } from "../core/core-deps.ts";
import type { GroupCommits } from "../core/group-commit.ts";
import type { Registered } from "../core/hooks.ts";
import { recordAnswer } from "../core/idempotency.ts";
import { type KnownAgent, requireGeneration } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import type { CaptureOutput } from "../facts/captured-facts.ts";
import type { WrittenFacts } from "../facts/write-facts.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { requireNoFile } from "../files/session-paths.ts";
import type { AppendInput } from "./append-input.ts";
import { isEmpty, resentPlaces } from "./resent-messages.ts";
import type { CapturePlan, SessionHooks } from "./session-hooks.ts";
import { isUrgent, isWorthSyncing, requestSync } from "./sync-after-append.ts";

export interface AppendedMessages {
  session: string;
  key: string;
  path: string;
  /**
   * The number of stored messages. Known messages, messages older than the retention and messages
   * without a text are not stored.
   */
  appended: number;
  duplicates: number;
  expired: number;
  skipped: number;
  /** The number of the session's last message. */
  lastMessage: number;
  unindexedMessages: number;
  /**
   * `done`: the next search finds the messages; `queued`: a sync will index them; `off`: the agent
   * does not search sessions.
   */
  indexing: "done" | "queued" | "off";
  /** The captured statements; absent when capture was off. */
  captured?: CaptureOutput | undefined;
}

/**
 * The answer of an append, with the information for the steps after the commit: `isUrgent` tells
 * whether a sync is due at once if the session cannot be indexed now.
 */
export interface Committed {
  answer: AppendedMessages;
  isUrgent: boolean;
  /** Whether these are the session's first messages. */
  begins: boolean;
}

/** A locked session with the messages to append. */
interface Appending {
  session: SessionRow & { created: boolean };
  messages: MessageWrite[];
  /** The numbers of the messages, by their position in the input. */
  seqs: Map<number, number>;
  bytes: number;
  duplicates: number;
  expired: number;
  skipped: number;
}

/** The dependencies of appends. */
export interface SessionDeps extends FileDeps {
  /** The group commits of appends, by schema. */
  readonly appendCommits: GroupCommits<Append, Committed>;
  readonly hooks: Registered<SessionHooks>;
}

/** One append of a group. */
export interface Append {
  caller: Caller;
  agent: KnownAgent;
  session: string;
  input: AppendInput;
  plan: CapturePlan | undefined;
}

/**
 * The cost of storing a fact, measured in chunks of files. A fact is compared with others, in
 * statements of its own.
 */
const CHUNKS_PER_FACT = 20;

/**
 * Stores messages with their captured facts, all or nothing, and enqueues the sync that indexes
 * them if this process does not. In the database, appends to one agent would wait for each other at
 * its sessions, facts and counters, and hold a connection each. So they wait in this process, and
 * all waiting appends share the next transaction.
 *
 * @throws AppError `session_not_found`, `scope_conflict`, `invalid_session_key`, `quota_exceeded`,
 *   `database_busy`
 */
export async function commitMessages(deps: SessionDeps, append: Append): Promise<Committed> {
  const { agent, input, plan } = append;
  return deps.appendCommits.add(agent.schema, {
    item: append,
    kind: JSON.stringify(agent.limits),
    // Appends name nothing that would keep them apart: even two appends to one session may share a
    // transaction.
    names: [],
    bytes: input.messages.reduce((sum, message) => sum + message.text.length, 0),
    chunks: input.messages.length + CHUNKS_PER_FACT * (plan?.count ?? 0),
    commit: (appends) => commitAppends(deps, agent, appends),
  });
}

/** A stored append. The service's role has yet to write its own rows. */
interface Stored {
  answer: AppendedMessages;
  appending: Appending;
  written: WrittenFacts | undefined;
  /** Whether a sync is due because the session begins. */
  isDue: boolean;
}

async function commitAppends(deps: FileDeps, agent: KnownAgent, appends: readonly Append[]): Promise<Committed[]> {
  const now = deps.clock();
  // Sorted, so that two processes that lock the same sessions cannot deadlock. Appends to one
  // session keep their order.
  const inOrder = appends.toSorted((a, b) => (a.session < b.session ? -1 : Number(a.session > b.session)));
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const isWorth = appends.length > 1 ? await lockAll(tx, agent, inOrder) : undefined;
    const stored = new Map<Append, Stored>();
    for (const append of inOrder) stored.set(append, await appendOne(tx, append, now, isWorth));
    const all = [...stored.values()];
    const grows = all.some(({ answer }) => answer.appended > 0);
    const service = await tx.asService();
    await requestSync(deps, service, agent, { isDue: all.some(({ isDue }) => isDue), grows });
    for (const [{ caller }, { answer, written }] of stored) {
      await written?.conclude(service);
      await recordAnswer(deps, caller, service, agent.agentId, answer);
    }
    // Comes last, since it locks the agent's row until the commit, and other writers of the agent
    // wait for the lock.
    const added = total(all);
    if (added.bytes > 0) await takeQuota(service, agent, added);
    return appends.map((append) => committed(append, stored.get(append) as Stored));
  });
}

/**
 * Locks the existing sessions of a group, in the fixed order in which several sessions are always
 * locked.
 *
 * @returns whether a new session is worth a sync. This must be known before the group's own
 *   messages count as unindexed
 */
async function lockAll(tx: AgentTransaction, agent: KnownAgent, appends: readonly Append[]): Promise<boolean> {
  const names = new Set(appends.map(({ session }) => session));
  const { size } = await lockSessions(tx, agent.schema, [...names]);
  return size < names.size && (await isWorthSyncing(tx, agent, "0"));
}

/** @param isWorth whether a new session is worth a sync; undefined: not known yet */
async function appendOne(
  tx: AgentTransaction,
  { agent, session: name, input, plan }: Append,
  now: Date,
  isWorth: boolean | undefined,
): Promise<Stored> {
  const { scope: asked = {} } = input;
  const session = await lockOrCreateSession(tx, agent.schema, name, asked, now);
  const scope = scopeOfRow(session);
  requireScope(scope, asked);
  const known = {
    ids: await knownOf(tx, session, input.messages),
    places: await resentPlaces(tx, session, input.messages),
  };
  const appending = selectNew(agent, session, input.messages, known, now);
  const { messages, seqs, duplicates, expired, skipped } = appending;
  await store(tx, agent, appending, input, now);
  const begins = session.created && messages.length > 0;
  const isDue = begins && (isWorth ?? (await isWorthSyncing(tx, agent, session.id)));
  const { captured, written } = (await plan?.write(tx, { seqs, scope })) ?? {};
  const answer: AppendedMessages = {
    session: name,
    key: wholeSessionKey(agent.agentId, name),
    path: sessionPath(name),
    appended: messages.length,
    duplicates,
    expired,
    skipped,
    lastMessage: session.lastSeq + messages.length,
    unindexedMessages: session.lastSeq - session.indexedSeq + messages.length,
    indexing: searchesSessions(agent.settings) ? "queued" : "off",
    ...(captured ? { captured } : {}),
  };
  return { answer, appending, written, isDue };
}

function committed({ agent, input }: Append, { answer, appending }: Stored): Committed {
  const isSearched = searchesSessions(agent.settings);
  const begins = appending.session.created && appending.messages.length > 0;
  return { answer, isUrgent: isSearched && isUrgent(agent, appending, input.end), begins };
}

/** Returns the amounts that a group adds to the agent's usage. */
function total(stored: readonly Stored[]) {
  const sum = { files: 0, bytes: 0, chunks: 0, facts: 0 };
  for (const { appending, written } of stored) {
    sum.bytes += appending.bytes + (written?.added.bytes ?? 0);
    sum.chunks += written?.added.chunks ?? 0;
    sum.facts += written?.added.facts ?? 0;
  }
  return sum;
}

export function sessionNotFound(): AppError {
  return new AppError("session_not_found", "The agent has no such session; list its sessions.");
}

/**
 * Refuses an append with another scope than its session's. Otherwise a search for one user would
 * show messages of another user.
 *
 * @throws AppError `scope_conflict`
 */
function requireScope(scope: Scope, asked: Scope): void {
  if (SCOPE_PARTS.every((part) => !asked[part] || asked[part] === scope[part])) return;
  throw new AppError(
    "scope_conflict",
    "This conversation is for another scope. Append to it with its own scope or without one, or begin another conversation.",
  );
}

function knownOf(tx: AgentTransaction, session: SessionRow, given: AppendInput["messages"]): Promise<Set<string>> {
  const ids = given.flatMap((message) => message.id ?? []);
  return knownMessageIds(tx, tx.schema, session.id, ids);
}

/**
 * Selects and numbers the new messages. If two messages have one id, the first is stored.
 *
 * @param known the ids that the session has, and the places of messages that it has
 */
function selectNew(
  agent: KnownAgent,
  session: Appending["session"],
  given: AppendInput["messages"],
  known: { ids: Set<string>; places: ReadonlySet<number> },
  now: Date,
): Appending {
  const cutoff = retentionCutoff(agent.settings, now);
  const messages: MessageWrite[] = [];
  const seqs = new Map<number, number>();
  const counts = { duplicates: 0, expired: 0, skipped: 0 };
  let { lastSeq: seq, lastLine: line } = session;
  for (const [place, { id = null, role, name = null, text: given_, at = now, originClass = null }] of given.entries()) {
    if (isEmpty(given_)) counts.skipped++;
    else if ((id !== null && known.ids.has(id)) || known.places.has(place)) counts.duplicates++;
    // The next sync would delete this message, and it would come back whenever the old transcript
    // is sent again.
    else if (cutoff !== undefined && at < cutoff) counts.expired++;
    else {
      if (id !== null) known.ids.add(id);
      const text = normaliseMessage(given_);
      const lineCount = renderMessage({ role, name, text }).length;
      const size = Buffer.byteLength(text);
      messages.push({ seq: ++seq, id, role, name, text, size, firstLine: line + 1, lineCount, at, originClass });
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
