import { AppError } from "../../base/errors.ts";
import { lockOutWriters } from "../../db/agent/files/files.ts";
import {
  deleteSnapshot,
  insertSnapshot,
  listSnapshots,
  MAX_SNAPSHOTS,
  type SnapshotRow,
} from "../../db/agent/history/snapshots.ts";
import {
  type AgentTransaction,
  withAgentReads,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { insertAudit } from "../../db/control/audit-log.ts";
import { findOrCreateAgent } from "../../service/agent/create-agent.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { findReplay, recordAnswer } from "../../service/core/idempotency.ts";
import type { KnownAgent } from "../../service/core/known-agent.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { signatureOf } from "../../settings/access.ts";

/** A state of an agent's files and facts to go back to, in the form that callers get. */
export interface Snapshot {
  name: string;
  takenAt: string;
  takenBy: string;
  /** The time at which the snapshot is deleted; null: it stays until a caller deletes it. */
  expiresAt: string | null;
  /** The numbers of files, bytes and facts at that time. */
  files: number;
  bytes: number;
  facts: number;
}

/**
 * Takes a snapshot of an agent's files and facts. It copies nothing: from now on the earlier states
 * of changed files and facts are kept. Writers wait for a moment, so that the snapshot is one state
 * between two transactions.
 *
 * @throws AppError `snapshot_exists`, `invalid_request`, `quota_exceeded`, and as
 *   `findOrCreateAgent`
 */
export async function takeSnapshot(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  { name, expiresAt }: { name: string; expiresAt?: Date | undefined },
): Promise<Snapshot> {
  const agent = await findOrCreateAgent(deps, caller, agentId);
  const earlier = await findReplay<Snapshot>(deps, caller);
  if (earlier) return earlier;
  if (expiresAt && expiresAt <= deps.clock())
    throw new AppError("invalid_request", "The snapshot would have expired already; give a later expiresAt.");
  return withAgentTransaction(deps.db, agent, async (tx) => {
    await lockOutWriters(tx, agent.schema);
    const taken = await noteSnapshot(deps, tx, caller, { name, expiresAt });
    const service = await tx.asService();
    const answer = present(taken);
    await recordAnswer(deps, caller, service, agentId, answer);
    await audit(deps, service, agent, caller, "snapshot.take", { name });
    return answer;
  });
}

/**
 * Records the present state under a name, in a transaction that locks writers out.
 *
 * @throws AppError `snapshot_exists`, `quota_exceeded`
 */
export async function noteSnapshot(
  deps: FileDeps,
  tx: AgentTransaction,
  caller: Caller,
  { name, expiresAt }: { name: string; expiresAt?: Date | undefined },
): Promise<SnapshotRow> {
  const there = await listSnapshots(tx, tx.schema);
  if (there.some((one) => one.name === name))
    throw new AppError("snapshot_exists", "The agent has a snapshot of this name; use another, or delete that one.");
  if (there.length >= MAX_SNAPSHOTS)
    throw new AppError("quota_exceeded", `An agent has at most ${MAX_SNAPSHOTS} snapshots; delete one first.`, {
      details: { limit: "agent.snapshots", most: MAX_SNAPSHOTS, wanted: there.length + 1 },
    });
  const stamp = { takenAt: deps.clock(), takenBy: signatureOf(caller), expiresAt: expiresAt ?? null };
  return insertSnapshot(tx, tx.schema, { name, ...stamp });
}

/** Returns the snapshots of an agent, newest first. */
export async function listAgentSnapshots(deps: FileDeps, caller: Caller, agentId: string): Promise<Snapshot[]> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) return [];
  const rows = await withAgentReads(deps.db, agent, (tx) => listSnapshots(tx, agent.schema));
  return rows.filter((row) => isThere(row, deps.clock())).map(present);
}

/**
 * Deletes a snapshot. A sync then deletes the versions and fact states that only this snapshot
 * needed.
 *
 * @throws AppError `snapshot_not_found`, `forbidden`
 */
export async function removeSnapshot(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  name: string,
): Promise<{ deleted: string }> {
  const agent = await findKnownAgent(deps, caller, "tenant", agentId);
  if (!agent) throw snapshotNotFound();
  const earlier = await findReplay<{ deleted: string }>(deps, caller);
  if (earlier) return earlier;
  return withAgentTransaction(deps.db, agent, async (tx) => {
    if (!(await deleteSnapshot(tx, agent.schema, name))) throw snapshotNotFound();
    const service = await tx.asService();
    await recordAnswer(deps, caller, service, agentId, { deleted: name });
    await audit(deps, service, agent, caller, "snapshot.delete", { name });
    return { deleted: name };
  });
}

/** @throws AppError `snapshot_not_found` */
export async function requireSnapshot(
  tx: Parameters<typeof listSnapshots>[0],
  agent: KnownAgent,
  name: string,
  now: Date,
): Promise<SnapshotRow> {
  const found = (await listSnapshots(tx, agent.schema)).find((row) => row.name === name && isThere(row, now));
  if (!found) throw snapshotNotFound();
  return found;
}

export function snapshotNotFound(): AppError {
  return new AppError("snapshot_not_found", "The agent has no such snapshot, or it has expired; list its snapshots.");
}

/** Records in the audit log what was done with a snapshot. */
export async function audit(
  deps: FileDeps,
  service: Parameters<typeof insertAudit>[0],
  { tenantId, agentId }: KnownAgent,
  caller: Caller,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  await insertAudit(service, { tenantId, at: deps.clock(), actor: caller.actor, action, target: agentId, details });
}

function isThere({ expiresAt }: SnapshotRow, now: Date): boolean {
  return expiresAt === null || expiresAt > now;
}

function present({ name, takenAt, takenBy, expiresAt, files, bytes, facts }: SnapshotRow): Snapshot {
  const at = { takenAt: takenAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
  return { name, ...at, takenBy, files, bytes, facts };
}
