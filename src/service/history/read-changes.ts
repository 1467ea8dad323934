import { AppError } from "../../base/errors.ts";
import { decodeCursor, encodeCursor, notOfAListing } from "../../base/page-cursor.ts";
import {
  type ChangePosition,
  type ChangeRow,
  changeCounter,
  listChanges,
  writersSince,
} from "../../db/agent/history/changes.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { FileDeps } from "../files/file-deps.ts";

/** A change of a file or a fact. */
export interface Change {
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
 * the last two seconds, or from after the oldest running write began, appear on a later page.
 *
 * @param page.since the time of the first changes to show; `cursor` is the one of an earlier page
 * @throws AppError as `findAgent`, and `invalid_request`
 */
export async function readChanges(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  page: { since?: Date | undefined; cursor?: string | undefined; limit: number },
): Promise<{ changes: Change[]; cursor: string; more: boolean }> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
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
  const rows = await withAgentReads(deps.db, agent, (tx) =>
    listChanges(tx, agent.schema, { after, until, limit: page.limit + 1 }),
  );
  const shown = rows.slice(0, page.limit);
  return { changes: shown.map(present), cursor: cursorOf(shown.at(-1) ?? after), more: rows.length > page.limit };
}

function present({ at, kind, path, by, version, hash }: ChangeRow): Change {
  return { at: at.toISOString(), kind, path, by, version: version ?? undefined, hash: hash ?? undefined };
}

function cursorOf({ micros, number, kind }: ChangePosition): string {
  return encodeCursor(`${micros} ${number} ${kind}`);
}

/** @throws AppError `invalid_request` */
function positionOf(cursor: string | undefined): ChangePosition | undefined {
  if (cursor === undefined) return undefined;
  const [, micros, number, kind] = POSITION.exec(decodeCursor(cursor)) ?? [];
  if (micros === undefined || number === undefined || kind === undefined) throw notOfAListing();
  return { micros, number, kind };
}

/**
 * Returns a number that grows with every change of the agent's memory; empty for an agent that does
 * not exist yet.
 */
export async function changeCounterOf(deps: FileDeps, caller: Caller, agentId: string): Promise<string> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  return agent ? withAgentReads(deps.db, agent, (tx) => changeCounter(tx, agent.schema)) : "";
}
