import { AppError } from "../../base/errors.ts";
import { sqlState } from "../../db/pg-error.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { authoriseAgent } from "../../settings/access.ts";
import { parseSessionKey } from "../../settings/memory-path.ts";
import { settingsZone } from "../../settings/settings-zone.ts";
import { findOrCreateAgent } from "../agent/create-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay } from "../core/idempotency.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { countUsage } from "../core/quota.ts";
import { warmEmbedder } from "../embedding/warm-embedder.ts";
import { noteCapture } from "../facts/captured-facts.ts";
import type { AppendInput } from "./append-input.ts";
import { type AppendedMessages, type Committed, commitMessages, type SessionDeps } from "./commit-messages.ts";
import { indexSessions } from "./index-sessions.ts";
import { withZonedTimes } from "./message-schemas.ts";
import { planCapture, planWithoutFacts } from "./session-hooks.ts";

/**
 * Appends messages to a session, all or nothing, in the order given, and captures the user's
 * statements if that is enabled. The first message creates the session. The session is indexed
 * before the answer, so that the next search finds it. If indexing fails (a limit, an index that is
 * being replaced), the sync does it.
 *
 * @throws AppError `invalid_session_key`, `session_not_found`, `scope_conflict`, `quota_exceeded`,
 *   and as `findOrCreateAgent`
 */
export async function appendMessages(
  deps: SessionDeps,
  caller: Caller,
  agentId: string,
  sessionKey: string,
  given: AppendInput,
): Promise<AppendedMessages> {
  authoriseAgent(caller, "agent:write", agentId);
  const name = parseSessionKey(agentId, sessionKey);
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const input = { ...given, messages: withZonedTimes(given.messages, settingsZone(agent.settings)) };
  const earlier = await findReplay<AppendedMessages>(deps, caller);
  const { answer, isUrgent, begins } = earlier
    ? { answer: earlier, isUrgent: false, begins: false }
    : await append(deps, caller, agent, name, input);
  if (!earlier) noteCapture(deps, caller, agent, answer.captured);
  // Not awaited, because the answer does not depend on it; it never throws.
  if (begins && agent.settings.sync.onSessionStart) void warmEmbedder(deps, agent);
  if (answer.indexing === "off" || (await indexNow(deps, caller, agent, answer)))
    return answer.indexing === "off" ? answer : { ...answer, unindexedMessages: 0, indexing: "done" };
  if (isUrgent) await deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId });
  return answer;
}

/**
 * Stores messages and facts in one transaction. If a limit is exceeded, stores only the messages,
 * unless the caller asked for the capture.
 */
async function append(
  deps: SessionDeps,
  caller: Caller,
  agent: KnownAgent,
  name: string,
  input: AppendInput,
): Promise<Committed> {
  if (!agent.usageKnown) await countUsage(deps, agent);
  const plan = await planCapture(deps, caller, agent, name, input);
  const append = { caller, agent, session: name, input, plan };
  try {
    return await commitMessages(deps, append);
  } catch (error) {
    const isLimit = error instanceof AppError && error.code === "quota_exceeded";
    if (!isLimit || !plan || plan.count === 0 || input.capture === true) throw error;
    const warnings = [...plan.warnings, `Nothing was captured. ${error.message}`];
    return commitMessages(deps, { ...append, plan: planWithoutFacts(warnings) });
  }
}

/**
 * The most unindexed messages of a session that is indexed together with other sessions. A longer
 * session is indexed alone, so that the others need not wait for it.
 */
const FEW_MESSAGES = 50;

/**
 * Indexes the session as it is now, together with other waiting sessions of the agent. Separately,
 * they would wait for each other at the agent's counters and hold a connection each. The messages
 * are committed already, so no failure here may look like a failed append.
 */
async function indexNow(
  deps: SessionDeps,
  caller: Caller,
  agent: KnownAgent,
  { session, unindexedMessages }: AppendedMessages,
): Promise<boolean> {
  const own = unindexedMessages > FEW_MESSAGES ? session : null;
  const queue = JSON.stringify([agent.schema, own, caller.agentId]);
  try {
    const indexed = await deps.coalesced.sessions(queue, session, (sessions) =>
      indexSessions(deps, caller, agent, [...new Set(sessions)]),
    );
    return indexed.has(session);
  } catch (error) {
    const code = error instanceof AppError ? error.code : sqlState(error);
    deps.logger.warn({ agentId: agent.agentId, code }, "a session was not indexed; the next sync indexes it");
    return false;
  }
}
