import { yieldToLoop } from "../../base/yield-to-loop.ts";
import { withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { type Generation, liveGenerations, textLanguages } from "../../db/agent/schema/generations.ts";
import { type MessageRow, messagesFrom } from "../../db/agent/sessions/messages.ts";
import {
  type AgeingSession,
  expiredMessages,
  lockAgeingSession,
  lockExpiredSessions,
  nextAgeingSession,
  removeMessages,
} from "../../db/agent/sessions/session-retention.ts";
import { deleteSessions } from "../../db/agent/sessions/sessions.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { firstChangedWindow, lastWindowOf, windowRange } from "../../ingest/session-windows.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../../queue/job-contracts.ts";
import { retentionCutoff } from "../../settings/retention.ts";
import { type KnownAgent, requireGeneration } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import { cachedEmbeddings, chunkLimit } from "../embedding/embedder-for.ts";
import type { FileDeps } from "../files/file-deps.ts";
import type { PreparedWindow } from "../files/prepared-file.ts";
import { storeWindows } from "./index-sessions.ts";

/** The most that one transaction deletes: whole sessions, or messages of one session. */
const BATCH_SESSIONS = 100;
const BATCH_MESSAGES = 500;
const MAX_WHOLE_MESSAGES = 5000;

/**
 * Deletes messages older than `sync.sessions.retentionDays` with their chunks, and sessions that
 * have no messages left, as a step of the sync. Each batch is one transaction with an entry in the
 * audit log.
 */
export async function retainSessions(deps: FileDeps, agent: KnownAgent, signal: AbortSignal): Promise<void> {
  const cutoff = retentionCutoff(agent.settings, deps.clock());
  if (!cutoff) return;
  while (!signal.aborted && (await deleteWholeSessions(deps, agent, cutoff))) await yieldToLoop();
  for (let afterId = "0"; !signal.aborted; ) {
    const session = await withAgentTransaction(deps.db, agent, (tx) =>
      nextAgeingSession(tx, agent.schema, cutoff, afterId),
    );
    if (!session) return;
    if (!(await trimSession(deps, agent, session, cutoff))) afterId = session.id;
    await yieldToLoop();
  }
}

/** @returns whether any session was deleted */
async function deleteWholeSessions(deps: FileDeps, agent: KnownAgent, cutoff: Date): Promise<boolean> {
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const page = { limit: BATCH_SESSIONS, maxMessages: MAX_WHOLE_MESSAGES };
    const expired = await lockExpiredSessions(tx, agent.schema, cutoff, page);
    if (expired.length === 0) return false;
    const generation = await requireGeneration(tx, agent);
    const ids = expired.map((session) => session.id);
    const chunks = await deleteSessions(tx, agent.schema, generation.id, ids);
    const messages = expired.reduce((sum, session) => sum + session.messages, 0);
    const bytes = expired.reduce((sum, session) => sum + session.bytes, 0);
    await account(deps, await tx.asService(), agent, cutoff, {
      sessions: ids.length,
      messages,
      bytes,
      chunks: -chunks,
    });
    return true;
  });
}

/** The windows of one generation that lose messages, rebuilt from their remaining messages. */
interface Mended {
  generation: Generation;
  heldSeq: number;
  range: { from: number; to: number };
  chunks: PreparedWindow[];
  cached: ReadonlyMap<string, Float32Array>;
}

/**
 * Deletes the expired messages of a session that also has newer messages. A window on the border is
 * rebuilt from its remaining messages in the same transaction: it must neither keep the text of an
 * expired message nor lose the rest.
 *
 * @returns whether to continue with this session
 */
async function trimSession(deps: FileDeps, agent: KnownAgent, session: AgeingSession, cutoff: Date): Promise<boolean> {
  const { schema } = agent;
  const { live, expired, left } = await withAgentTransaction(deps.db, agent, async (tx) => {
    const expired = await expiredMessages(tx, schema, session.id, cutoff, BATCH_MESSAGES);
    return { live: await liveGenerations(tx, schema), expired, left: await leftIn(tx, agent, session, expired) };
  });
  const [first, last] = [expired[0]?.seq, expired.at(-1)?.seq];
  if (first === undefined || last === undefined) return false;
  const mended: Mended[] = [];
  for (const generation of [live.active, live.building]) {
    if (!generation) continue;
    const isActive = generation === live.active;
    const built = session.nextGeneration === generation.id ? session.nextSeq : 0;
    const heldSeq = isActive ? session.indexedSeq : built;
    mended.push(await mend(deps, agent, { generation, heldSeq, range: rangeOf(first, last) }, left));
  }
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const current = await lockAgeingSession(tx, schema, session.id);
    const now = await liveGenerations(tx, schema);
    const isSame =
      current?.removed === session.removed &&
      current.indexedSeq === session.indexedSeq &&
      current.nextSeq === session.nextSeq &&
      now.active?.id === live.active?.id &&
      now.building?.id === live.building?.id;
    // The session or the generations have changed meanwhile. Read the session again, unless it is
    // gone.
    if (!isSame) return current !== undefined;
    let [added, pending] = [0, 0];
    for (const { generation, range, chunks, cached } of mended) {
      const stored = await storeWindows(tx, generation, [{ session, ...range, chunks }], cached);
      if (generation.id === now.active?.id) added = stored.added;
      pending += stored.pending.size;
    }
    const seqs = expired.map((message) => message.seq);
    const isGone = await removeMessages(tx, schema, session.id, seqs, deps.clock());
    const service = await tx.asService();
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    if (pending > 0) await deps.queue.send(service, EMBED_JOB, payload);
    const bytes = expired.reduce((sum, message) => sum + message.size, 0);
    const counts = { sessions: isGone ? 1 : 0, messages: seqs.length, bytes, chunks: added };
    await account(deps, service, agent, cutoff, counts);
    return !isGone;
  });
}

function rangeOf(first: number, last: number): { from: number; to: number } {
  return { from: firstChangedWindow(first - 1), to: lastWindowOf(last) };
}

/** Returns the remaining messages of the windows that lose messages. */
async function leftIn(
  tx: SqlExecutor,
  agent: KnownAgent,
  session: AgeingSession,
  expired: readonly { seq: number }[],
): Promise<MessageRow[]> {
  const [first, last] = [expired[0]?.seq, expired.at(-1)?.seq];
  if (first === undefined || last === undefined) return [];
  const { from, to } = rangeOf(first, last);
  const [fromSeq, toSeq] = [windowRange(from).first, windowRange(to).last];
  const limit = toSeq - fromSeq + 1;
  const rows = await messagesFrom(tx, agent.schema, [{ id: session.id, fromSeq }], {
    limit,
    least: limit,
    maxBytes: 0,
  });
  const gone = new Set(expired.map((message) => message.seq));
  return rows.filter((row) => row.seq <= toSeq && !gone.has(row.seq));
}

async function mend(
  deps: FileDeps,
  agent: KnownAgent,
  part: Omit<Mended, "chunks" | "cached">,
  left: readonly MessageRow[],
): Promise<Mended> {
  const { chunkTokens: tokens, chunkOverlap: overlap } = part.generation;
  const messages = left.filter((message) => message.seq <= part.heldSeq);
  const limit = await chunkLimit(deps, part.generation, agent);
  const languages = textLanguages(part.generation);
  const chunks = await deps.preparer.prepareWindows(agent.tenantId, {
    messages,
    ...part.range,
    tokens,
    overlap,
    limit,
    languages,
  });
  const hashes = chunks.map((chunk) => chunk.hash);
  return {
    ...part,
    chunks,
    cached: await cachedEmbeddings(deps, agent, part.generation, hashes),
  };
}

/**
 * Records a deletion in the audit log and in the agent's usage. `chunks` is the change in the
 * number of chunks.
 */
async function account(
  deps: FileDeps,
  service: SqlExecutor,
  agent: KnownAgent,
  cutoff: Date,
  { sessions, messages, bytes, chunks }: { sessions: number; messages: number; bytes: number; chunks: number },
): Promise<void> {
  const { tenantId, agentId } = agent;
  await deps.queue.send(service, MAINTAIN_INDEX_JOB, { tenantId, agentId });
  const details = { sessions, messages, bytes, before: cutoff.toISOString() };
  const act = { at: deps.clock(), actor: "system", action: "sessions.retention", target: agentId, details };
  await insertAudit(service, { tenantId, ...act });
  await takeQuota(service, agent, { files: 0, bytes: -bytes, chunks, facts: 0 });
}
