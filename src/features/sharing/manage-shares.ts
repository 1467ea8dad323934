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
import { createIfImplicit } from "../../service/admin/manage-agents.ts";
import { isImplicit } from "../../service/core/agent-profile.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { findReplay, recordAnswer } from "../../service/core/idempotency.ts";
import type { Deps } from "../../service/deps.ts";
import { agentNotFound, authoriseAgent, authoriseUnbound } from "../../settings/access.ts";
import { checkAgentId } from "../../settings/agent-id.ts";
import { checkMemoryPath } from "../../settings/memory-path.ts";

/** A share, as one of its two agents sees it. */
interface Share extends ShareTerms {
  /** The agent on the other side. */
  agentId: string;
  offeredAt: string;
  /** null while the share is offered but not taken. */
  takenAt: string | null;
}

/** The most memories that an agent may read. Every search of the reader searches each of them. */
const MAX_READ = 8;
const MAX_READERS = 1000;

/** The two agents of a share. */
interface Sides {
  sharer: string;
  reader: string;
}

/**
 * Returns the shares that an agent offers, or those offered to it, by the id of the other agent.
 *
 * @throws AppError `forbidden`, `agent_not_found`
 */
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
 * Offers an agent's memory, read-only, to another agent of the tenant: the whole memory, or folders
 * of its files. The reader can read it only after taking the offer. A repeated offer changes the
 * terms, also for a reader that has taken it.
 *
 * @throws AppError `forbidden`, `agent_not_found`, `invalid_path`, `invalid_request`,
 *   `quota_exceeded`
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
      "Sessions are shared only with the whole memory; leave out `folders` or `sessions`.",
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

/**
 * Withdraws an agent's offer. The reader loses access from its next request on.
 *
 * @throws AppError as `change`, `share_not_found`
 */
export async function withdrawMemory(deps: Deps, caller: Caller, sides: Sides): Promise<{ withdrawn: true }> {
  return change(deps, caller, sides, "sharer", async (tx, pair) => {
    if (!(await withdrawShare(tx, pair))) throw shareNotFound();
    return { answer: { withdrawn: true }, action: "agent.unshare" };
  });
}

/**
 * Takes another agent's offer. Searches of the reader then include that memory.
 *
 * @throws AppError as `change`, `share_not_found`
 */
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

/**
 * Stops reading another agent's memory. The offer stays.
 *
 * @throws AppError as `change`, `share_not_found`
 */
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
 * Changes a share on behalf of one side, and records the change in that side's audit log.
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
    // Locks both agents in a fixed order, so that two changes cannot deadlock. An erasure either
    // waits for this lock, or this change sees it.
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

/** Returns the terms of a share as the audit log may show them: without names from the memory. */
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
    "There is no such share; one agent has to offer it, and the other has to accept it.",
  );
}

function present({ agentId, folders, sessions, offeredAt, takenAt }: ShareRow): Share {
  return { agentId, folders, sessions, offeredAt: offeredAt.toISOString(), takenAt: takenAt?.toISOString() ?? null };
}
