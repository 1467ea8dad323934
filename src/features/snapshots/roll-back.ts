import { DAY_MS } from "../../base/clock.ts";
import { type AgentReads, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { findReplay, recordAnswer } from "../../service/core/idempotency.ts";
import type { FileDeps } from "../../service/files/file-deps.ts";
import { lookBack, type Plan, type Reversion, revert } from "./revert.ts";
import { audit, noteSnapshot, requireSnapshot, snapshotNotFound } from "./snapshots.ts";
import type { FactDifference, FileDifference } from "./sql/snapshot-states.ts";

/** The days for which the snapshot from before a rollback is kept. */
const UNDO_DAYS = 30;
/** The most paths or ids of each kind in an answer. */
const SHOWN = 1000;

/**
 * The differences between an agent's memory and a snapshot of it: at most 1,000 paths and ids of
 * facts of each kind, and the total numbers.
 */
export interface Difference {
  files: { added: string[]; changed: string[]; removed: string[]; lost: string[]; total: number };
  facts: { added: string[]; changed: string[]; removed: string[]; total: number };
}

/**
 * Returns how the memory differs from a snapshot: `added` was not in the snapshot, `removed` has
 * gone since. `lost` are files that have changed since and whose versions were deleted; a rollback
 * does not touch them.
 *
 * @throws AppError `snapshot_not_found`, `rollback_too_large`
 */
export async function compareSnapshot(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  name: string,
): Promise<Difference> {
  const agent = await findKnownAgent(deps, caller, "agent:read", agentId);
  if (!agent) throw snapshotNotFound();
  const look = (tx: AgentReads) =>
    requireSnapshot(tx, agent, name, deps.clock()).then((one) => lookBack(tx, agent, one, false));
  return describe(await deps.wholeMemories.run(agent.tenantId, () => withAgentReads(deps.db, agent, look)));
}

/**
 * Restores an agent's files and facts to a snapshot, all or nothing. First it takes another
 * snapshot, with which the rollback can be undone. Sessions stay, because they record conversations
 * as they were. Files of the server's folders stay too. A text whose embedding is cached is not
 * embedded again.
 *
 * @throws AppError `snapshot_not_found`, `rollback_too_large`, `quota_exceeded`, `forbidden`
 */
export async function rollBack(
  deps: FileDeps,
  caller: Caller,
  agentId: string,
  name: string,
): Promise<Difference & { undo: string }> {
  const agent = await findKnownAgent(deps, caller, "tenant", agentId);
  if (!agent) throw snapshotNotFound();
  const earlier = await findReplay<Difference & { undo: string }>(deps, caller);
  if (earlier) return earlier;
  const by = { ...caller, via: "rollback", once: undefined };
  const undo = `before-rollback-${deps.clock().toISOString().toLowerCase().replace(/[:.]/g, "")}`;
  const answerOf = (plan: Plan) => ({ ...describe(plan), undo });
  const steps: Reversion = {
    boundary: (tx) => requireSnapshot(tx, agent, name, deps.clock()),
    begin: async (tx) => {
      const expiresAt = new Date(deps.clock().getTime() + UNDO_DAYS * DAY_MS);
      await noteSnapshot(deps, tx, by, { name: undo, expiresAt });
    },
    conclude: async (service, plan) => {
      await recordAnswer(deps, caller, service, agentId, answerOf(plan));
      const [files, facts] = [plan.files.length, plan.facts.length];
      await audit(deps, service, agent, caller, "snapshot.rollback", { name, undo, files, facts });
    },
  };
  return answerOf(await deps.wholeMemories.run(agent.tenantId, () => revert(deps, by, agent, steps)));
}

function describe({ files, facts }: Plan): Difference {
  const paths = (kind: FileDifference["kind"]) =>
    files.flatMap((one) => (one.kind === kind ? [one.path] : [])).slice(0, SHOWN);
  const ids = (kind: FactDifference["kind"]) =>
    facts.flatMap((one) => (one.kind === kind ? [one.id] : [])).slice(0, SHOWN);
  return {
    files: {
      added: paths("added"),
      changed: paths("changed"),
      removed: paths("removed"),
      lost: paths("lost"),
      total: files.length,
    },
    facts: { added: ids("added"), changed: ids("changed"), removed: ids("removed"), total: facts.length },
  };
}
