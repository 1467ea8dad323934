import { AppError } from "../../base/errors.ts";
import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { chunksOfWindows } from "../../db/agent/chunks/chunks.ts";
import {
  type AgentTransaction,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { type Generation, liveGenerations, textLanguages } from "../../db/agent/schema/generations.ts";
import { type MessageRow, messagesFrom } from "../../db/agent/sessions/messages.ts";
import {
  type IndexState,
  type IndexTarget,
  indexStatesOf,
  lockIndexStates,
  noteIndexed,
  sessionsToIndex,
} from "../../db/agent/sessions/session-index.ts";
import {
  firstChangedWindow,
  lastCompleteWindow,
  lastWindowOf,
  WINDOW_MESSAGES,
  windowRange,
} from "../../ingest/session-windows.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB, REINDEX_JOB } from "../../queue/job-contracts.ts";
import { searchesSessions } from "../../settings/retention.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import { cachedEmbeddings, chunkLimit } from "../embedding/embedder-for.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { PreparedWindow } from "../files/prepared-file.ts";
import { replaceChunks } from "../files/store-chunks.ts";

const BATCH_SESSIONS = 20;
/**
 * The most messages of each session in one transaction, and roughly the most bytes of all sessions
 * in it.
 */
const PAGE_MESSAGES = 200;
const PAGE_BYTES = 1_000_000;

/** Windows of one session that go into an index. */
interface WindowsPage {
  session: IndexState;
  from: number;
  to: number;
  /** The last message that is in the index after this page. */
  seq: number;
  bytes: number;
  chunks: readonly PreparedWindow[];
}

/**
 * Indexes messages that appends have left unindexed, as a step of the sync, if the agent searches
 * sessions. Each page is committed by itself, so a crash loses no finished page. Messages that
 * arrive meanwhile are indexed by their append or by the next sync.
 */
export async function indexPendingSessions(deps: FileDeps, agent: KnownAgent, signal: AbortSignal): Promise<void> {
  if (!searchesSessions(agent.settings)) return;
  const { active, building } = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  if (!active) return;
  try {
    const result = await indexInto(deps, agent, active, "active", signal);
    // The generation that replaced this one has everything that this call has stored so far, but
    // lacks the rest.
    if (result === "given up") await indexPendingSessions(deps, agent, signal);
    // The index that is being built has to catch up.
    else if (building) await deps.queue.send(deps.db, REINDEX_JOB, payloadOf(agent));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "quota_exceeded") throw error;
    // A retry would not help. The agent's status shows the unindexed messages.
    deps.logger.warn({ agentId: agent.agentId, code: error.code }, "sessions could not be indexed");
  }
}

/**
 * The most pages of a session that are indexed while its append waits. The sync indexes the rest.
 */
const MAX_PAGES_AT_ONCE = 10;

/**
 * Indexes the new messages of sessions after their commit, so that the very next search finds them.
 * Reads a page again if another process has stored it first.
 *
 * @param caller the caller that receives the result
 * @returns the sessions whose messages from before the call are all in the index; a sync has to
 *   index the others
 * @throws AppError `quota_exceeded`
 */
export async function indexSessions(
  deps: FileDeps,
  caller: Caller,
  agent: KnownAgent,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const indexed = new Set<string>();
  let left = [...keys];
  for (let page = 0; page < MAX_PAGES_AT_ONCE && left.length > 0; page++) {
    const { live, states, next } = await readStates(deps, agent, left);
    const isIndexed = (key: string) => {
      const state = states.get(key);
      return !state || state.heldSeq >= state.lastSeq;
    };
    for (const key of left.filter(isIndexed)) indexed.add(key);
    left = left.filter((key) => !isIndexed(key));
    if (left.length === 0 || !live.active) break;
    const batch = left.slice(0, BATCH_SESSIONS);
    const statesOf = (of: ReadonlyMap<string, IndexState>) => batch.flatMap((key) => of.get(key) ?? []);
    const pages = await readPages(deps, agent, live.active, statesOf(states));
    const carried = live.building ? await readPages(deps, agent, live.building, statesOf(next)) : [];
    const active: Part = { generation: live.active, target: "active", pages };
    const alongside = live.building && { generation: live.building, pages: carried };
    const stored = await storePages(deps, agent, active, { caller, alongside });
    if (!stored) break;
    // The index that is being built has to catch up. A job that already waits will begin after this
    // commit.
    const isCarried = carried.length > 0 && carried.every(isWhole);
    if (live.building && !isCarried) await deps.queue.send(deps.db, REINDEX_JOB, payloadOf(agent), "unless one waits");
    const done = new Set(stored.filter(isWhole).map(({ session }) => session.id));
    const isDone = (key: string) => done.has(states.get(key)?.id ?? "");
    for (const key of left.filter(isDone)) indexed.add(key);
    left = left.filter((key) => !isDone(key));
  }
  return indexed;
}

/** Returns whether the index has all messages of a session once this page is stored. */
function isWhole({ session, seq }: WindowsPage): boolean {
  return seq >= session.lastSeq;
}

/**
 * Returns how far the sessions are indexed in the active generation, and in the one that is being
 * built.
 */
async function readStates(deps: FileDeps, agent: KnownAgent, keys: readonly string[]) {
  return withAgentReads(deps.db, agent, async (tx) => {
    const [live, states] = await Promise.all([
      liveGenerations(tx, agent.schema),
      indexStatesOf(tx, agent.schema, "active", keys),
    ]);
    const building = live.building?.id;
    const next = building === undefined ? new Map() : await indexStatesOf(tx, agent.schema, { building }, keys);
    return { live, states, next };
  });
}

/**
 * Indexes the messages of the agent's sessions that a generation lacks.
 *
 * @returns `stopped` when the process stops before the end, `given up` when the generation is no
 *   longer the target
 */
export async function indexInto(
  deps: FileDeps,
  agent: KnownAgent,
  generation: Generation,
  target: IndexTarget,
  signal: AbortSignal,
): Promise<"done" | "stopped" | "given up"> {
  for (let afterId = "0"; ; ) {
    const batch = await withAgentTransaction(deps.db, agent, (tx) =>
      sessionsToIndex(tx, agent.schema, target, { afterId, limit: BATCH_SESSIONS }),
    );
    for (let rest = batch; rest.length > 0; ) {
      if (signal.aborted) return "stopped";
      const pages = await readPages(deps, agent, generation, rest);
      const stored = await storePages(deps, agent, { generation, target, pages });
      if (stored === undefined) return "given up";
      rest = stored.filter(({ session, seq }) => seq < session.lastSeq).map((page) => advance(page));
      await yieldToLoop();
    }
    const last = batch.at(-1);
    if (!last) return "done";
    afterId = last.id;
  }
}

/** Reads the next windows of each session, and cuts them off the event loop. */
async function readPages(
  deps: FileDeps,
  agent: KnownAgent,
  generation: Generation,
  sessions: readonly IndexState[],
): Promise<WindowsPage[]> {
  const starts = sessions.map(({ id, heldSeq }) => ({ id, fromSeq: windowRange(firstChangedWindow(heldSeq)).first }));
  const size = {
    limit: PAGE_MESSAGES,
    // Enough messages that a page always completes a window, and the next page begins after it.
    least: 2 * WINDOW_MESSAGES,
    maxBytes: Math.floor(PAGE_BYTES / sessions.length),
  };
  const rows = await withAgentReads(deps.db, agent, (tx) => messagesFrom(tx, agent.schema, starts, size));
  const bySession = Map.groupBy(rows, (row) => row.sessionId);
  const { chunkTokens: tokens, chunkOverlap: overlap } = generation;
  const limit = await chunkLimit(deps, generation, agent);
  const languages = textLanguages(generation);
  return Promise.all(
    sessions.map(async (session) => {
      const messages = bySession.get(session.id) ?? [];
      const range = pageRange(session, messages);
      const bytes = messages
        .filter((message) => message.seq > session.heldSeq && message.seq <= range.seq)
        .reduce((sum, message) => sum + message.size, 0);
      const { from, to } = range;
      const chunks = await deps.preparer.prepareWindows(agent.tenantId, {
        messages,
        from,
        to,
        tokens,
        overlap,
        limit,
        languages,
      });
      return { session, ...range, bytes, chunks };
    }),
  );
}

/**
 * Returns the windows that these messages complete. If they include the session's last message,
 * also returns the windows that may still grow.
 */
function pageRange(session: IndexState, messages: readonly MessageRow[]): { from: number; to: number; seq: number } {
  const from = firstChangedWindow(session.heldSeq);
  const lastRead = messages.at(-1)?.seq ?? 0;
  const complete = lastCompleteWindow(lastRead);
  // A page that completes no window holds all remaining messages, because the later ones were
  // removed.
  const isLast = lastRead >= session.lastSeq || complete < from;
  const to = isLast ? lastWindowOf(session.lastSeq) : complete;
  return { from, to, seq: isLast ? session.lastSeq : windowRange(to).last };
}

/** Pages to store in one generation. */
interface Part {
  generation: Generation;
  target: IndexTarget;
  pages: readonly WindowsPage[];
}

/**
 * Stores pages in a generation.
 *
 * @param more.caller the caller that receives the result
 * @param more.alongside pages of the same sessions for the generation that is being built. Without
 *   them, busy conversations would prevent that generation from becoming active. Skipped if that
 *   generation has ended.
 * @returns the pages that were stored; undefined when the generation is no longer the target
 */
async function storePages(
  deps: FileDeps,
  agent: KnownAgent,
  part: Part,
  { caller, alongside }: { caller?: Caller; alongside?: Omit<Part, "target"> | undefined } = {},
): Promise<WindowsPage[] | undefined> {
  const hashes = part.pages.flatMap((page) => page.chunks.map((chunk) => chunk.hash));
  const cached = await cachedEmbeddings(deps, agent, part.generation, hashes, caller);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const stored = await storePart(tx, part, cached);
    if (!stored) return undefined;
    const { kept, added } = stored;
    const next: Part | undefined = alongside && { ...alongside, target: { building: alongside.generation.id } };
    // No cached embeddings here: the job `embed` looks into the cache.
    const pendingNext = next ? (await storePart(tx, next, new Map()))?.pending : undefined;
    const service = await tx.asService();
    if (stored.pending.size > 0 || (pendingNext?.size ?? 0) > 0)
      await deps.queue.send(service, EMBED_JOB, payloadOf(agent));
    if (part.target === "active") {
      await deps.queue.send(service, MAINTAIN_INDEX_JOB, payloadOf(agent));
      // Comes last, since it locks the agent's row until the commit, and other writers of the agent
      // wait for the lock.
      await takeQuota(service, agent, { files: 0, bytes: 0, chunks: added, facts: 0 });
    }
    return kept;
  });
}

/**
 * Stores pages in a generation, within a transaction. Returns undefined when the generation is no
 * longer the target.
 */
async function storePart(
  tx: AgentTransaction,
  { generation, target, pages }: Part,
  cached: ReadonlyMap<string, Float32Array>,
) {
  // Lock the sessions before reading the generations: during a switch to a new generation, indexing
  // waits at this lock, and then reads the generations that the switch has left.
  const ids = pages.map((page) => page.session.id);
  const now = await lockIndexStates(tx, tx.schema, target, ids);
  const live = await liveGenerations(tx, tx.schema);
  if ((target === "active" ? live.active : live.building)?.id !== generation.id) return undefined;
  // Skips sessions that were deleted, trimmed or indexed meanwhile. The next sync indexes them.
  const kept = pages.filter(({ session }) => {
    const current = now.get(session.id);
    return current?.heldSeq === session.heldSeq && current.removed === session.removed;
  });
  const { added, pending } = await storeWindows(tx, generation, kept, cached);
  const indexed = kept.map(({ session, seq, bytes }) => ({ id: session.id, seq, bytes }));
  await noteIndexed(tx, tx.schema, target, indexed);
  return { kept, added, pending };
}

function advance({ session, seq }: WindowsPage): IndexState {
  return { ...session, heldSeq: seq };
}

/**
 * Replaces windows of sessions in a generation, within the transaction that has locked the
 * sessions.
 */
export async function storeWindows(
  tx: AgentTransaction,
  generation: Generation,
  pages: readonly { session: { id: string }; from: number; to: number; chunks: readonly PreparedWindow[] }[],
  cached: ReadonlyMap<string, Float32Array>,
) {
  const ranges = pages.map(({ session, from, to }) => ({ id: session.id, from, to }));
  const stored = await chunksOfWindows(tx, tx.schema, generation.id, ranges);
  const old = Map.groupBy(stored, (chunk) => chunk.ownerId);
  const replacements = pages.map(({ session, chunks }) => ({
    owner: { sessionId: session.id },
    old: old.get(session.id) ?? [],
    next: chunks,
  }));
  return replaceChunks(tx, generation, replacements, cached);
}

function payloadOf(agent: KnownAgent) {
  return { tenantId: agent.tenantId, agentId: agent.agentId };
}
