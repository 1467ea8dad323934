import { decodeCursor, encodeCursor, notOfAListing } from "../../base/page-cursor.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { Scope } from "../../db/agent/schema/scope.ts";
import {
  countFactsOfSources,
  lastLookedAt,
  type RecentPlace,
  recentSessions,
  type SessionFilter,
  wordsOfSessions,
} from "../../db/agent/sessions/recent-sessions.ts";
import { listSessions, type SessionRow } from "../../db/agent/sessions/sessions.ts";
import { findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { LIST_TIME_LIMIT } from "../core/time-limit.ts";
import { sourceNames } from "../facts/source-names.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { type SessionSummary, summarise } from "./read-sessions.ts";

/** A session with the words of its messages. */
interface ToldSession extends SessionSummary {
  details?: SessionDetails;
}

interface SessionDetails {
  /** The first part of the key, such as `slack`; empty when the key has no parts. */
  channel: string;
  /** The names of the speakers of the last hundred messages, at most ten names. */
  people: string[];
  /** The first message, as a title. */
  firstText: string;
  lastText: string;
  lastRole?: string;
  lastName?: string;
  /** The number of facts that come from the session and hold. */
  facts: number;
  /** The last message with the text that was sought. */
  found?: { message: number; text: string };
}

/**
 * Returns one page of an agent's sessions in the order of their keys.
 *
 * @param page `scope`: only sessions with exactly these parts in their scope
 * @throws AppError `agent_not_found`
 */
export async function listAgentSessions(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  page: { prefix: string; after: string; limit: number; scope?: Scope; details?: boolean },
): Promise<ToldSession[]> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  if (!agent) return [];
  return withAgentReads(deps.db, agent, async (tx) => {
    const rows = await listSessions(tx, agent.schema, page);
    return tell(tx, agentId, rows, page.details ? "" : undefined);
  });
}

/** The most sessions of a page that has their details. */
export const MAX_WITH_DETAILS = 100;

/** A list of sessions, the one with the latest message first. */
interface RecentListing extends SessionFilter {
  cursor: string | undefined;
  limit: number;
  details: boolean;
}

/**
 * Returns one page of an agent's sessions, the one with the latest message first. A page with a
 * filter looks at a bounded number of sessions, so it may be short although others follow.
 *
 * @throws AppError `agent_not_found`, `invalid_request`
 */
export async function listRecentSessions(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { cursor, limit: most, details, ...filter }: RecentListing,
): Promise<{ sessions: ToldSession[]; nextCursor?: string }> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  const after = recentPlaceOf(cursor);
  if (!agent) return { sessions: [] };
  const limit = details ? Math.min(most, MAX_WITH_DETAILS) : most;
  const read = async (tx: AgentReads) => {
    const rows = await recentSessions(tx, agent.schema, filter, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const next = rows.length > limit ? shown.at(-1) : await lastLookedAt(tx, agent.schema, filter, after);
    return { next, sessions: await tell(tx, agentId, shown, details ? (filter.contains ?? "") : undefined) };
  };
  const { sessions, next } = await withAgentReads(deps.db, agent, read, [LIST_TIME_LIMIT]);
  return { sessions, ...(next && { nextCursor: encodeCursor(`recent ${next.micros} ${next.id}`) }) };
}

/**
 * Returns sessions with the words of their messages.
 *
 * @param sought the text that a filter sought in the messages; undefined: the words are left out
 */
async function tell(
  tx: AgentReads,
  agentId: string,
  rows: readonly (SessionRow & { found?: number | null })[],
  sought: string | undefined,
): Promise<ToldSession[]> {
  if (sought === undefined) return rows.map((row) => summarise(agentId, row));
  const words = await wordsOfSessions(
    tx,
    tx.schema,
    rows.map(({ id, found }) => ({ id, found: found ?? null })),
  );
  const names = new Map(rows.map(({ id, key }) => [id, sourceNames(agentId, key)]));
  const facts = await countFactsOfSources(tx, tx.schema, [...names.values()].flat());
  return rows.map((row) => {
    const said = words.get(row.id);
    const [channel = "", ...rest] = row.key.split(":");
    const details: SessionDetails = {
      channel: rest.length === 0 ? "" : channel,
      people: said?.people.slice(0, MAX_PEOPLE) ?? [],
      firstText: cutText(said?.first ?? ""),
      lastText: cutText(said?.last ?? ""),
      ...(said?.lastRole ? { lastRole: said.lastRole } : {}),
      ...(said?.lastName ? { lastName: said.lastName } : {}),
      facts: (names.get(row.id) ?? []).reduce((sum, name) => sum + (facts.get(name) ?? 0), 0),
      ...(row.found && said?.found ? { found: { message: row.found, text: textAround(said.found, sought) } } : {}),
    };
    return { ...summarise(agentId, row), details };
  });
}

/** The most names of people, and the most characters of a text in the details of a session. */
const MAX_PEOPLE = 10;
const MAX_TEXT_CHARS = 300;

function cutText(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS - 1).toWellFormed()}…`;
}

/** Returns the part of a text that contains the text that was sought. */
function textAround(text: string, sought: string): string {
  const at = text.toLowerCase().indexOf(sought.toLowerCase());
  return cutText(at <= MAX_TEXT_CHARS / 2 ? text : `…${text.slice(at - 100).toWellFormed()}`);
}

const RECENT_PLACE = /^recent (-?\d{1,16}) ([1-9]\d{0,17})$/;

/** @throws AppError `invalid_request` */
function recentPlaceOf(cursor: string | undefined): RecentPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, micros, id] = RECENT_PLACE.exec(decodeCursor(cursor)) ?? [];
  if (micros === undefined || id === undefined) throw notOfAListing();
  return { micros, id };
}
