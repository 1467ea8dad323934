import { agentNotFound, authoriseAgent, authoriseUnbound } from "../../agents/access.ts";
import { checkAgentId } from "../../agents/agent-id.ts";
import { checkMemoryPath } from "../../agents/memory-path.ts";
import { AppError } from "../../base/errors.ts";
import { findAgent, lockAgent } from "../../db/control/agents.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import {
  listShares,
  markTaken,
  offerShare,
  type SharePair,
  type ShareRow,
  type ShareTerms,
  withdrawShare,
} from "../../db/control/shares.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { isImplicit } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import { findReplay, recordAnswer } from "../core/idempotency.ts";
import type { Deps } from "../deps.ts";
import { createIfImplicit } from "./manage-agents.ts";

/** A share as one of its sides sees it. */
interface Share extends ShareTerms {
  /** The agent on the other side. */
  agentId: string;
  offeredAt: string;
  /** null: offered, and not taken. */
  takenAt: string | null;
}

/** Each is asked in every search of its reader. */
const MAX_READ = 8;
const MAX_READERS = 1000;

/** The two agents of a share. */
interface Sides {
  sharer: string;
  reader: string;
}

/** What an agent offers to others, or what is offered to it, by the other's id. @throws AppError `forbidden`, `agent_not_found` */
export async function readShares(
  deps: Deps,
  caller: Caller,
  agentId: string,
  side: "offered by" | "offered to",
): Promise<Share[]> {
  authoriseAgent(caller, "agent:read", agentId);
  checkAgentId(agentId);
  const row = await findAgent(deps.db, caller.tenantId, agentId);
  if (!row && isImplicit(deps, caller.tenantId, agentId)) return [];
  if (!row || row.status === "erasing") throw agentNotFound();
  return (await listShares(deps.db, row.schemaName, side)).map(present);
}

/**
 * Offers an agent's memory to another of its tenant, read-only: all of it, or folders of its files. Nothing is read before the other
 * takes it. Offering again changes what is offered, to who has taken it too.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `invalid_path`, `invalid_request`, `quota_exceeded`
 */
export async function offerMemory(
  deps: Deps,
  caller: Caller,
  sides: Sides,
  { folders = [], sessions = false }: { folders?: string[] | undefined; sessions?: boolean | undefined },
): Promise<Share> {
  if (sessions && folders.length > 0)
    throw new AppError(
      "invalid_request",
      "Sessions are shared with all of a memory; leave out `folders` or `sessions`.",
    );
  const terms = { folders: [...new Set(folders.map(checkFolder))], sessions };
  return change(deps, caller, sides, "sharer", async (tx, pair) => {
    await offerShare(tx, pair, terms, deps.clock());
    const offered = await listShares(tx, pair.sharer, "offered by");
    refuseAbove(offered.length, MAX_READERS, "An agent's memory may be offered to");
    const [row] = offered.filter((one) => one.agentId === sides.reader).map(present);
    if (!row) throw agentNotFound();
    return { answer: row, action: "agent.share", details: sizeOf(terms) };
  });
}

/** Withdraws what an agent offers to another: from the next request on it is not read. @throws AppError as below, `share_not_found` */
export async function withdrawMemory(deps: Deps, caller: Caller, sides: Sides): Promise<{ withdrawn: true }> {
  return change(deps, caller, sides, "sharer", async (tx, pair) => {
    if (!(await withdrawShare(tx, pair))) throw shareNotFound();
    return { answer: { withdrawn: true }, action: "agent.unshare" };
  });
}

/** Takes what another agent offers: its memory is searched with the agent's own. @throws AppError as below, `share_not_found` */
export async function takeMemory(deps: Deps, caller: Caller, sides: Sides): Promise<Share> {
  return change(deps, caller, sides, "reader", async (tx, pair) => {
    if (!(await markTaken(tx, pair, deps.clock()))) throw shareNotFound();
    const offered = await listShares(tx, pair.reader, "offered to");
    const taken = offered.filter((one) => one.takenAt !== null);
    refuseAbove(taken.length, MAX_READ, "An agent may read the memory of");
    const [row] = taken.filter((one) => one.agentId === sides.sharer).map(present);
    if (!row) throw shareNotFound();
    return { answer: row, action: "agent.read", details: sizeOf(row) };
  });
}

/** Reads another agent's memory no longer; the offer stays. @throws AppError as below, `share_not_found` */
export async function leaveMemory(deps: Deps, caller: Caller, sides: Sides): Promise<{ left: true }> {
  return change(deps, caller, sides, "reader", async (tx, pair) => {
    if (!(await markTaken(tx, pair, null))) throw shareNotFound();
    return { answer: { left: true }, action: "agent.unread" };
  });
}

interface Changed<T> {
  answer: T;
  action: string;
  details?: Record<string, unknown> | undefined;
}

/**
 * Changes a share for one of its sides, in whose audit log it is noted.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`
 */
async function change<T extends object>(
  deps: Deps,
  caller: Caller,
  sides: Sides,
  by: keyof Sides,
  act: (tx: SqlExecutor, pair: SharePair) => Promise<Changed<T>>,
): Promise<T> {
  authoriseUnbound(caller, "tenant");
  const { tenantId, actor } = caller;
  const ids = [checkAgentId(sides.sharer), checkAgentId(sides.reader)].sort();
  if (sides.sharer === sides.reader)
    throw new AppError("invalid_request", "An agent's memory is its own; share it with another agent.");
  const earlier = await findReplay<T>(deps, caller);
  if (earlier) return earlier;
  for (const id of ids) await createIfImplicit(deps, caller, id);
  return deps.db.transaction(async (tx) => {
    const schemas = new Map<string, string>();
    // In one order, so that two changes cannot deadlock; an erasure waits, or is seen.
    for (const id of ids) {
      const row = await lockAgent(tx, tenantId, id);
      if (row?.status !== "active" && row?.status !== "disabled") throw agentNotFound();
      schemas.set(id, row.schemaName);
    }
    const pair = { sharer: schemas.get(sides.sharer) ?? "", reader: schemas.get(sides.reader) ?? "" };
    const { answer, action, details } = await act(tx, pair);
    const other = by === "sharer" ? { with: sides.reader } : { from: sides.sharer };
    const audit = { tenantId, at: deps.clock(), actor, action, target: sides[by] };
    await insertAudit(tx, { ...audit, details: { ...other, ...details } });
    await recordAnswer(deps, caller, tx, sides[by], answer);
    return answer;
  });
}

/** What of a share stands in the audit log, which holds no names of the memory. */
function sizeOf({ folders, sessions }: ShareTerms): Record<string, unknown> {
  return { folders: folders.length === 0 ? "all" : folders.length, sessions };
}

/** @throws AppError `invalid_path` */
function checkFolder(folder: string): string {
  return checkMemoryPath(folder.endsWith("/") ? folder.slice(0, -1) : folder);
}

function refuseAbove(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new AppError("quota_exceeded", `${what} at most ${most} agents; end another share first.`, {
    details: { limit: "agent.shares", most, wanted: count },
  });
}

function shareNotFound(): AppError {
  return new AppError(
    "share_not_found",
    "There is no such share; it has to be offered by the one agent and taken by the other.",
  );
}

function present({ agentId, folders, sessions, offeredAt, takenAt }: ShareRow): Share {
  return { agentId, folders, sessions, offeredAt: offeredAt.toISOString(), takenAt: takenAt?.toISOString() ?? null };
}
