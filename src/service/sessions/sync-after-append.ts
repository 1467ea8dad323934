import type { AgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { hasUnindexed, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { searchesSessions } from "../../settings/retention.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { FileDeps } from "../files/file-deps.ts";

/**
 * The time after an append at which a sync checks that it was indexed. The process may have been
 * killed in between.
 */
const LOOK_AFTER_MS = 10_000;

/**
 * Returns whether a new session should trigger a sync (the trigger "session start"): other sessions
 * may be unindexed, and folders may have changed.
 */
export async function isWorthSyncing(tx: AgentTransaction, agent: KnownAgent, sessionId: string): Promise<boolean> {
  if (!agent.settings.sync.onSessionStart) return false;
  if (agent.settings.extraPaths.length > 0) return true;
  return searchesSessions(agent.settings) && (await hasUnindexed(tx, agent.schema, sessionId));
}

/**
 * Requests a sync at once if a new session calls for it. Otherwise, if messages were stored and the
 * agent searches sessions, requests one ten seconds later to check that they were indexed.
 */
export async function requestSync(
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
 * Returns whether messages that could not be indexed need a sync at once: when the session is over,
 * or when the unindexed messages pass a threshold. Otherwise they wait for the sync that checks
 * appends.
 */
export function isUrgent(
  { settings }: KnownAgent,
  { session, messages, bytes }: { session: SessionRow; messages: readonly unknown[]; bytes: number },
  end: boolean,
): boolean {
  const { deltaMessages, deltaBytes } = settings.sync.sessions;
  const before = { messages: session.lastSeq - session.indexedSeq, bytes: session.unindexedBytes };
  const added = { messages: messages.length, bytes };
  const after = { messages: before.messages + added.messages, bytes: before.bytes + added.bytes };
  const isPast = (delta: typeof added) =>
    delta.messages > 0 && (delta.messages >= deltaMessages || delta.bytes >= deltaBytes);
  return (end && after.messages > 0) || isPast(added) || (isPast(after) && !isPast(before));
}
