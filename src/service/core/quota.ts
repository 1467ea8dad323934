import type { Limits } from "../../agents/limits.ts";
import { AppError } from "../../base/errors.ts";
import { sumFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { dropOldestVersions, sumVersions } from "../../db/agent/files/file-versions.ts";
import { sumFiles } from "../../db/agent/files/files.ts";
import { sumSessions } from "../../db/agent/sessions/sessions.ts";
import {
  type AgentReads,
  type AgentSpace,
  onceAsAgent,
  withAgentTransaction,
} from "../../db/agent/space/agent-transaction.ts";
import {
  addUsage,
  insertUsage,
  lessHistory,
  lockTenantUsage,
  sumUsage,
  type Usage,
  type UsageDelta,
} from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { AgentProfile } from "./agent-profile.ts";
import type { CoreDeps } from "./core-deps.ts";
import { type KnownAgent, requireGeneration } from "./known-agent.ts";

const MEASURES = ["files", "bytes", "chunks", "facts"] as const;
type Measure = (typeof MEASURES)[number];

/** An agent whose place is only taken has no schema yet, and no versions. */
type Counted = AgentProfile & Partial<AgentSpace>;

/**
 * Adds a write to the agent's usage and refuses it when it would exceed a limit. It runs in the transaction of the write
 * and locks the counters until the commit, so the sums are exact however many processes write. Writes of one tenant wait
 * for each other only if the tenant has a limit of its own. A write that makes no measure grow is never refused: an agent
 * above a lowered limit can still be cleaned up.
 *
 * Earlier versions of files take what the limits of bytes leave: when there is no room for them, the oldest go here. Only
 * what a snapshot needs stays, and then counts like a file.
 *
 * @param sql the transaction, in the service's role
 * @param held the measures whose limits must not be passed
 * @throws AppError `quota_exceeded`, naming the limit; the transaction must not commit
 */
export async function takeQuota(
  sql: SqlExecutor,
  agent: Counted,
  delta: UsageDelta,
  held: readonly Measure[] = MEASURES.filter((measure) => delta[measure] > 0),
): Promise<void> {
  const { tenantId, agentId, limits } = agent;
  const growsHistory = (delta.historyBytes ?? 0) > 0;
  const tenantLimited =
    held.some((measure) => limits.tenant[measure] !== undefined) || (growsHistory && limits.tenant.bytes !== undefined);
  const used = await addUsage(sql, tenantId, agentId, delta);
  if (used) {
    const left = await fitHistory(sql, agent, used, limits.agent.bytes);
    refuseAbove(used, limits.agent, held, "agent", left);
  }
  if (!tenantLimited) return;
  await lockTenantUsage(sql, tenantId);
  const all = await sumUsage(sql, tenantId);
  refuseAbove(all, limits.tenant, held, "tenant", 0);
  await fitHistory(sql, agent, all, limits.tenant.bytes);
}

/** Deletes the agent's oldest versions above a limit. @returns the bytes of history that are left */
async function fitHistory(sql: SqlExecutor, agent: Counted, used: Usage, most = Infinity): Promise<number> {
  const above = used.bytes + used.historyBytes - most;
  const { schema, role } = agent;
  if (above <= 0 || used.historyBytes === 0 || !schema || !role) return used.historyBytes;
  const freed = await onceAsAgent(sql, { role }, (own) => dropOldestVersions(own, schema, above));
  if (freed > 0) await lessHistory(sql, agent.tenantId, agent.agentId, freed);
  return used.historyBytes - freed;
}

/** @param kept bytes of history that no room was made of */
function refuseAbove(
  used: Usage,
  limits: Limits,
  held: readonly Measure[],
  owner: "agent" | "tenant",
  kept: number,
): void {
  for (const measure of held) {
    const most = limits[measure];
    const wanted = used[measure] + (measure === "bytes" ? kept : 0);
    if (most === undefined || wanted <= most) continue;
    const ofSnapshots = wanted > used[measure] ? `, ${kept} of them for its snapshots` : "";
    throw new AppError(
      "quota_exceeded",
      `The ${owner} may have at most ${most} ${measure}, and with this write it would have ${wanted}${ofSnapshots}. Delete something, or have the limit raised.`,
      { details: { limit: `${owner}.${measure}`, most, wanted } },
    );
  }
}

/** Counts the usage of an agent from before usage was recorded. */
export async function countUsage(deps: CoreDeps, agent: KnownAgent): Promise<void> {
  await withAgentTransaction(deps.db, agent, async (tx) => {
    const counted = await countMemory(tx, agent);
    await insertUsage(await tx.asService(), agent.tenantId, agent.agentId, counted);
  });
}

/** What an agent's memory amounts to, counted row by row. */
export async function countMemory(tx: AgentReads, agent: AgentSpace): Promise<Usage> {
  const generation = await requireGeneration(tx, agent);
  const counted = await sumFiles(tx, agent.schema, generation.id);
  const { facts, bytes: ofFacts } = await sumFacts(tx, agent.schema);
  const bytes = counted.bytes + (await sumSessions(tx, agent.schema)).bytes + ofFacts;
  return { ...counted, bytes, facts, historyBytes: await sumVersions(tx, agent.schema) };
}
