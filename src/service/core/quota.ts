import type { Limits } from "../../agents/limits.ts";
import { AppError } from "../../base/errors.ts";
import { sumFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { sumFiles } from "../../db/agent/files/files.ts";
import { sumSessions } from "../../db/agent/sessions/sessions.ts";
import { type AgentReads, type AgentSpace, withAgentTransaction } from "../../db/agent/space/agent-transaction.ts";
import { addUsage, insertUsage, lockTenantUsage, sumUsage, type Usage } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import type { AgentProfile } from "./agent-profile.ts";
import type { CoreDeps } from "./core-deps.ts";
import { type KnownAgent, requireGeneration } from "./known-agent.ts";

const MEASURES = ["files", "bytes", "chunks", "facts"] as const;

/**
 * Adds a write to the agent's usage and refuses it when it would exceed a limit. It runs in the transaction of the write
 * and locks the counters until the commit, so the sums are exact however many processes write. Writes of one tenant wait
 * for each other only if the tenant has a limit of its own. A write that makes no measure grow is never refused: an agent
 * above a lowered limit can still be cleaned up.
 *
 * @param sql the transaction, in the service's role
 * @param held the measures whose limits must not be passed
 * @throws AppError `quota_exceeded`, naming the limit; the transaction must not commit
 */
export async function takeQuota(
  sql: SqlExecutor,
  agent: AgentProfile,
  delta: Usage,
  held: readonly (keyof Usage)[] = MEASURES.filter((measure) => delta[measure] > 0),
): Promise<void> {
  const { tenantId, agentId, limits } = agent;
  const tenantLimited = held.some((measure) => limits.tenant[measure] !== undefined);
  const used = await addUsage(sql, tenantId, agentId, delta);
  if (used) refuseAbove(used, limits.agent, held, "agent");
  if (!tenantLimited) return;
  await lockTenantUsage(sql, tenantId);
  refuseAbove(await sumUsage(sql, tenantId), limits.tenant, held, "tenant");
}

function refuseAbove(used: Usage, limits: Limits, held: readonly (keyof Usage)[], owner: "agent" | "tenant"): void {
  for (const measure of held) {
    const most = limits[measure];
    if (most === undefined || used[measure] <= most) continue;
    throw new AppError(
      "quota_exceeded",
      `The ${owner} may have at most ${most} ${measure}, and with this write it would have ${used[measure]}. Delete something, or have the limit raised.`,
      { details: { limit: `${owner}.${measure}`, most, wanted: used[measure] } },
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
  return { ...counted, bytes, facts };
}
