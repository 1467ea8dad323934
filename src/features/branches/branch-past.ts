import { DAY_MS } from "../../base/clock.ts";
import { AppError } from "../../base/errors.ts";
import { countOf } from "../../base/text/count-of.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { deleteSessions, sessionsSince } from "../../db/agent/sessions/sessions.ts";
import type { BranchRow } from "../../db/control/branches.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { type KnownAgent, requireGeneration } from "../../service/core/known-agent.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { lookBack, revert } from "../snapshots/revert.ts";
import { requireSnapshot } from "../snapshots/snapshots.ts";
import { type Boundary, boundaryAt } from "../snapshots/sql/snapshot-states.ts";
import { noteBase } from "./sql/branch-base.ts";

const MAX_NAMED = 3;

/** A moment of an agent's past; without either field the present. */
export interface PastInput {
  at?: Date | undefined;
  snapshot?: string | undefined;
}

export type Past = Pick<BranchRow, "pastAt" | "snapshot">;

/**
 * Returns the requested moment, if the agent's files and facts can be restored to it.
 *
 * @throws AppError `snapshot_not_found`, `rollback_too_large`, `invalid_request`
 */
export async function findPast(deps: FileDeps, origin: KnownAgent, { at, snapshot }: PastInput): Promise<Past> {
  if (at && snapshot !== undefined)
    throw new AppError("invalid_request", "A branch is made at a time or at a snapshot; leave one of them out.");
  if (snapshot === undefined && !at) return { pastAt: null, snapshot: null };
  if (at) requireKept(at, deps.clock(), origin.settings.history.retentionDays);
  return withAgentReads(deps.db, origin, async (tx) => {
    const found = snapshot === undefined ? undefined : await requireSnapshot(tx, origin, snapshot, deps.clock());
    const { files } = await lookBack(tx, origin, found ?? (await boundaryAt(tx, tx.schema, at as Date)), false);
    const lost = files.flatMap(({ kind, path }) => (kind === "lost" ? [path] : []));
    if (lost.length > 0)
      throw new AppError(
        "invalid_request",
        `The texts of ${countOf(lost.length, "file")} at that time are no longer kept: ${lost.slice(0, MAX_NAMED).join(", ")}${lost.length > MAX_NAMED ? ", …" : ""}. Branch at a later time, or at a snapshot.`,
      );
    return { pastAt: found?.takenAt ?? (at as Date), snapshot: snapshot ?? null };
  });
}

/**
 * @throws AppError `invalid_request` when the moment lies in the future, or so far back that file
 *   versions that ended since may be deleted
 */
function requireKept(at: Date, now: Date, retentionDays: number): void {
  if (at > now) throw new AppError("invalid_request", "A branch cannot be made at a future time; leave out `at`.");
  if (at.getTime() >= now.getTime() - retentionDays * DAY_MS) return;
  throw new AppError(
    "invalid_request",
    `Earlier versions of texts are kept for ${retentionDays} days (\`history.retentionDays\`). Branch at a later time, or at a snapshot.`,
  );
}

/**
 * Reverts a fresh branch, a copy of its origin's present, to a past moment: restores its files and
 * facts, and deletes the sessions that began later. Records the result as the state that the branch
 * started with.
 */
export async function goBack(deps: FileDeps, caller: Caller, branch: KnownAgent, past: Past): Promise<void> {
  const { pastAt, snapshot } = past;
  if (pastAt === null) return;
  const boundary = (tx: AgentReads): Promise<Boundary> =>
    snapshot === null ? boundaryAt(tx, tx.schema, pastAt) : requireSnapshot(tx, branch, snapshot, pastAt);
  await revert(deps, { ...caller, via: "branch", once: undefined }, branch, {
    boundary,
    begin: async (tx) => {
      const later = await sessionsSince(tx, tx.schema, pastAt);
      await deleteSessions(tx, tx.schema, (await requireGeneration(tx, branch)).id, later);
    },
    end: (tx) => noteBase(tx, tx.schema),
    // `copyBranch` writes the audit entry and counts the memory when it makes the branch visible.
    conclude: async () => undefined,
  });
}
