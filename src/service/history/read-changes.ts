import { AppError } from "../../base/errors.ts";
import { decodeCursor, encodeCursor, notOfAListing } from "../../base/page-cursor.ts";
import {
  type ChangePosition,
  type ChangeRow,
  changeCounter,
  listChanges,
  writersSince,
} from "../../db/agent/history/changes.ts";
import { type ChangeFilter, lookedBackTo, recentChanges } from "../../db/agent/history/recent-changes.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { sessionPath } from "../../settings/memory-path.ts";
import { findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import { LIST_TIME_LIMIT } from "../core/time-limit.ts";
import type { FileDeps } from "../files/file-deps.ts";
import { type ChangeWords, tellChanges } from "./tell-changes.ts";

/** A change of a file or a fact. */
export interface Change extends ChangeWords {
  at: string;
  kind: string;
  path: string;
  /** The author of the change; null for a change from before authors were recorded. */
  by: string | null;
  /**
   * The file version that holds the text that was written or deleted; absent for a file's present
   * text and for facts.
   */
  version?: string | undefined;
  /** The hash of that text; absent for facts. */
  hash?: string | undefined;
}

/**
 * The largest assumed difference between the clocks of processes and of the database. A change is
 * stamped by a process, and the start of its transaction by the database; both times are compared.
 */
const SKEW_MS = 2000;

const POSITION = /^(\d{1,16}) (\d{1,18}) ([a-z.]{0,20})$/;

/**
 * Returns one page of the changes of an agent's files and facts, oldest first. There is always a
 * cursor: after the last page it serves to read later changes. The cursor skips nothing: changes of
 * the last two seconds, or from after the oldest running write began, appear on a later page. An
 * agent that does not exist yet has no changes, and a host may wait for its first one.
 *
 * @param page.since the time of the first changes to show; `cursor` is the one of an earlier page
 * @throws AppError as `findMemory`, and `invalid_request`
 */
export async function readChanges(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  page: { since?: Date | undefined; cursor?: string | undefined; limit: number; texts?: boolean },
): Promise<ChangePage> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  if (page.since && page.cursor !== undefined)
    throw new AppError("invalid_request", "A cursor already says where to continue; leave out since.");
  const after = positionOf(page.cursor) ?? {
    micros: String((page.since?.getTime() ?? 0) * 1000),
    number: "0",
    kind: "",
  };
  if (!agent) return { changes: [], cursor: cursorOf(after), more: false };
  // This must be read first: a write that begins later is stamped after `until`.
  const { now, oldest } = await writersSince(deps.db, agent.schema);
  const until = new Date(Math.min(now.getTime(), oldest?.getTime() ?? Infinity) - SKEW_MS);
  const limit = sizeOf(page);
  const { rows, words } = await withAgentReads(deps.db, agent, async (tx) => {
    const rows = await listChanges(tx, agent.schema, { after, until, limit: limit + 1 });
    return { rows, words: page.texts ? await tellChanges(tx, rows.slice(0, limit)) : [] };
  });
  const shown = rows.slice(0, limit);
  return {
    changes: shown.map((row, n) => present(row, words[n])),
    cursor: cursorOf(shown.at(-1) ?? after),
    more: rows.length > limit,
  };
}

interface ChangePage {
  changes: Change[];
  cursor: string;
  more: boolean;
}

/** The most changes of a page that has their texts. */
const MAX_WITH_TEXTS = 100;

function sizeOf({ limit, texts }: { limit: number; texts?: boolean }): number {
  return texts ? Math.min(limit, MAX_WITH_TEXTS) : limit;
}

/** A page of the newest changes. */
interface RecentPage extends ChangeFilter {
  /** The times of the oldest and the newest changes. */
  since?: Date | undefined;
  until?: Date | undefined;
  cursor?: string | undefined;
  limit: number;
  texts: boolean;
}

/**
 * Returns one page of the changes of an agent's files and facts and of the beginnings of its
 * conversations, newest first. Nothing is held back: a write that is committed later may still add
 * an older change. A page with a filter looks at a bounded number of changes, so it may be short
 * although `more` is true.
 *
 * @throws AppError as `findMemory`, and `invalid_request`
 */
export async function readRecentChanges(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { cursor, texts, since, until, limit: most, ...filter }: RecentPage,
): Promise<ChangePage> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  const before = positionOf(cursor, RECENT);
  if (!agent) return { changes: [], cursor: cursor ?? "", more: false };
  const limit = sizeOf({ limit: most, texts });
  const read = async (tx: AgentReads) => {
    const stretch = { before, since, until, limit: limit + 1 };
    const found = await recentChanges(tx, agent.schema, filter, stretch);
    const end = await lookedBackTo(tx, agent.schema, filter, stretch);
    const rows = end ? found.filter((row) => row.at >= end.at) : found;
    const shown = rows.slice(0, limit);
    return { rows, end, shown, words: texts ? await tellChanges(tx, shown) : [] };
  };
  const { rows, end, shown, words } = await withAgentReads(deps.db, agent, read, [LIST_TIME_LIMIT]);
  const isFull = rows.length > limit;
  const last = isFull || !end ? shown.at(-1) : { micros: end.micros, number: "0", kind: "" };
  return {
    changes: shown.map((row, n) => present(row, words[n])),
    cursor: last ? cursorOf(last, RECENT) : (cursor ?? ""),
    more: isFull || end !== undefined,
  };
}

function present({ at, kind, path, by, version, hash }: ChangeRow, words: ChangeWords = {}): Change {
  const shownPath = kind.startsWith("session.") ? sessionPath(path) : path;
  const row = { at: at.toISOString(), kind, path: shownPath, by };
  return { ...row, version: version ?? undefined, hash: hash ?? undefined, ...words };
}

/** The beginning of the cursor of a list in the other direction. */
const RECENT = "recent ";

function cursorOf({ micros, number, kind }: ChangePosition, list = ""): string {
  return encodeCursor(`${list}${micros} ${number} ${kind}`);
}

/** @throws AppError `invalid_request` */
function positionOf(cursor: string | undefined, list = ""): ChangePosition | undefined {
  if (cursor === undefined) return undefined;
  const text = decodeCursor(cursor);
  if (!text.startsWith(list)) throw notOfAListing();
  const [, micros, number, kind] = POSITION.exec(text.slice(list.length)) ?? [];
  if (micros === undefined || number === undefined || kind === undefined) throw notOfAListing();
  return { micros, number, kind };
}

/**
 * Returns a number that grows with every change of the agent's memory; empty for an agent that does
 * not exist yet.
 */
export async function changeCounterOf(deps: FileDeps, caller: Caller, agentId: string): Promise<string> {
  const agent = await findKnownMemory(deps, caller, "agent:read", agentId);
  return agent ? withAgentReads(deps.db, agent, (tx) => changeCounter(tx, agent.schema)) : "";
}
