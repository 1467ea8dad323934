import { countFacts } from "../../db/agent/facts/fact-lookup.ts";
import {
  type AgentTransaction,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { isVisibleTo, type Scope, scopeOfRow } from "../../db/agent/schema/scope.ts";
import { messagesFrom, type Role, startOfLast } from "../../db/agent/sessions/messages.ts";
import { deleteSessions, lockSession, readSession, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { parseSessionKey, sessionPath, wholeSessionKey } from "../../settings/memory-path.ts";
import { findKnownAgent, findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import { requireGeneration } from "../core/known-agent.ts";
import { takeQuota } from "../core/quota.ts";
import { accountForgotten, bySource, deleteFiltered } from "../facts/forget-facts.ts";
import { sourceNames } from "../facts/source-names.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { sessionNotFound } from "./commit-messages.ts";

export interface SessionSummary {
  /** `{channel}:{context}` */
  session: string;
  /** `agent:{agentId}:{channel}:{context}` */
  key: string;
  /** The path of the session for `memory_get`. */
  path: string;
  /** The scope of the session; empty when it is for the whole agent. */
  scope: Scope;
  messages: number;
  bytes: number;
  /**
   * The number of the transcript's last line. Retention does not change line numbers: removed
   * messages keep theirs.
   */
  lines: number;
  startedAt: string;
  lastMessageAt: string;
  /** The number of messages that are not indexed yet. */
  unindexedMessages: number;
}

interface SessionMessage {
  /** The message's number in its session. */
  number: number;
  id?: string;
  role: Role;
  name?: string;
  text: string;
  at: string;
  startLine: number;
  endLine: number;
}

export interface SessionPage {
  session: SessionSummary;
  /** The sender's id of the last message. */
  lastMessageId: string | null;
  messages: SessionMessage[];
  /** The position after which the next page begins; absent on the last page. */
  nextAfter?: number;
  /** The position before which earlier messages end; absent when there are none. */
  previousBefore?: number;
}

/** The approximate number of bytes of text in a page of messages. */
const PAGE_BYTES = 2_000_000;

/**
 * Returns a session with one page of its messages.
 *
 * @param page `before`: the last messages before this number, in place of those after `after`.
 *   `reader`: a session that this scope may not see counts as missing
 * @throws AppError `invalid_session_key`, `session_not_found`, `agent_not_found`
 */
export async function getSession(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  sessionKey: string,
  page: { after: number; before?: number | undefined; limit: number; reader?: Scope | undefined },
): Promise<SessionPage> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  const name = parseSessionKey(agentId, sessionKey);
  const found =
    agent &&
    (await withAgentReads(deps.db, agent, async (tx) => {
      const session = await readSession(tx, agent.schema, name);
      if (!session || (page.reader && !isVisibleTo(scopeOfRow(session), page.reader))) return undefined;
      const { id } = session;
      const start =
        page.before === undefined
          ? { fromSeq: page.after + 1, isFirst: false }
          : await startOfLast(tx, agent.schema, id, { before: page.before, limit: page.limit });
      const size = { limit: page.limit, least: 1, maxBytes: PAGE_BYTES };
      const messages = await messagesFrom(tx, agent.schema, [{ id, fromSeq: start.fromSeq }], size);
      const isWanted = ({ seq }: { seq: number }) => page.before === undefined || seq < page.before;
      return { session, start, messages: messages.filter(isWanted) };
    }));
  if (!found) throw sessionNotFound();
  const { session, start } = found;
  const messages = found.messages.map(({ seq, id, role, name, text, at, firstLine, lineCount }) => ({
    number: seq,
    ...(id === null ? {} : { id }),
    role,
    ...(name === null ? {} : { name }),
    text,
    at: at.toISOString(),
    startLine: firstLine,
    endLine: firstLine + lineCount - 1,
  }));
  const last = messages.at(-1)?.number ?? session.lastSeq;
  return {
    session: summarise(agentId, session),
    lastMessageId: session.lastMessageId,
    messages,
    ...(last < session.lastSeq ? { nextAfter: last } : {}),
    ...(page.before !== undefined && !start.isFirst ? { previousBefore: start.fromSeq } : {}),
  };
}

interface DeletedSession {
  session: string;
  messages: number;
  chunks: number;
  /** The number of facts that came from the session. */
  facts: number;
  /** How many of these were deleted with it. */
  forgotten: number;
}

/**
 * Deletes a session with its messages and their chunks in every index.
 *
 * @param options.facts whether the facts that come from it are deleted too
 * @throws AppError `invalid_session_key`, `session_not_found`, `agent_not_found`
 */
export async function deleteSession(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  sessionKey: string,
  options: { facts?: boolean } = {},
): Promise<DeletedSession> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  const name = parseSessionKey(agentId, sessionKey);
  if (!agent) throw sessionNotFound();
  const earlier = await findReplay<DeletedSession>(deps, caller);
  if (earlier) return earlier;
  const filter = { sources: sourceNames(agentId, name), sourceKind: "message" as const };
  const write = async (tx: AgentTransaction) => {
    const session = await lockSession(tx, agent.schema, name);
    if (!session) throw sessionNotFound();
    const generation = await requireGeneration(tx, agent);
    const facts = await countFacts(tx, agent.schema, filter);
    const gone = options.facts ? (await deleteFiltered(deps, caller, tx, filter)).facts : [];
    const chunks = await deleteSessions(tx, agent.schema, generation.id, [session.id]);
    const less = { files: 0, bytes: -session.bytes, chunks: -chunks, facts: 0 };
    const deleted: DeletedSession = {
      session: name,
      messages: session.messages,
      chunks,
      facts: Math.max(facts, gone.length),
      forgotten: gone.length,
    };
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agentId, deleted);
    if (gone.length > 0) await accountForgotten(deps, service, agent, gone, bySource(caller, gone.length));
    // The audit log has the numbers and no name, since a session's name may be a person's.
    const act = { at: deps.clock(), actor: caller.actor, action: "session.delete", target: agentId };
    const details = { messages: session.messages, bytes: session.bytes, facts: gone.length };
    await insertAudit(service, { tenantId: agent.tenantId, ...act, details });
    await takeQuota(service, agent, less);
    return deleted;
  };
  const transaction = () => withAgentTransaction(deps.db, agent, write);
  return options.facts ? deps.factTurns(agent.schema, transaction) : transaction();
}

/** Returns a row as callers see it. */
export function summarise(agentId: string, row: SessionRow): SessionSummary {
  return {
    session: row.key,
    key: wholeSessionKey(agentId, row.key),
    path: sessionPath(row.key),
    scope: scopeOfRow(row),
    messages: row.messages,
    bytes: row.bytes,
    lines: row.lastLine,
    startedAt: row.startedAt.toISOString(),
    lastMessageAt: row.lastMessageAt.toISOString(),
    unindexedMessages: row.lastSeq - row.indexedSeq,
  };
}
