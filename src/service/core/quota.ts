import { AppError } from "../../base/errors.ts";
import { countOf } from "../../base/text/count-of.ts";
import { sumFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { dropOldestVersions, sumVersions } from "../../db/agent/files/file-versions.ts";
import { sumFiles } from "../../db/agent/files/files.ts";
import {
  type AgentReads,
  type AgentSpace,
  onceAsAgent,
  withAgentTransaction,
} from "../../db/agent/schema/agent-transaction.ts";
import { sumSessions } from "../../db/agent/sessions/sessions.ts";
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
import type { Limits } from "../../settings/limits.ts";
import type { AgentProfile } from "./agent-profile.ts";
import type { CoreDeps } from "./core-deps.ts";
import { type KnownAgent, requireGeneration } from "./known-agent.ts";

const MEASURES = ["files", "bytes", "chunks", "facts"] as const;
type Measure = (typeof MEASURES)[number];

/**
 * An agent whose usage is counted. A reserved agent has no schema yet, so it has no file versions.
 */
type Counted = AgentProfile & Partial<AgentSpace>;

/**
 * Adds a write to the agent's usage, and refuses the write if it would exceed a limit. It runs in
 * the transaction of the write and locks the counters until the commit, so the sums are exact
 * however many processes write. Writes of one tenant wait for each other only if the tenant has a
 * limit of its own. A write that makes no measure grow is never refused: an agent above a lowered
 * limit can still be cleaned up.
 *
 * Earlier versions of files fill the room that the byte limits leave. If there is too little room,
 * the oldest versions are deleted here. Versions that a snapshot needs stay and count like files:
 * replacing a text by another of the same size then makes bytes grow.
 *
 * @param sql the transaction, in the service's role
 * @param held the measures whose limits apply; by default the measures that grow
 * @throws AppError `quota_exceeded`, naming the limit; the transaction must not commit
 */
export async function takeQuota(
  sql: SqlExecutor,
  agent: Counted,
  delta: UsageDelta,
  held?: readonly Measure[],
): Promise<void> {
  const { tenantId, agentId, limits } = agent;
  const ofHistory = delta.historyBytes ?? 0;
  const heldWhen = (freed: number) => {
    const grow = (measure: Measure) =>
      delta[measure] > 0 || (measure === "bytes" && ofHistory > 0 && delta.bytes + ofHistory > freed);
    return held ?? MEASURES.filter(grow);
  };
  const tenantLimited =
    heldWhen(0).some((measure) => limits.tenant[measure] !== undefined) ||
    (ofHistory > 0 && limits.tenant.bytes !== undefined);
  const used = await addUsage(sql, tenantId, agentId, delta);
  const freed = used ? await fitHistory(sql, agent, used, limits.agent.bytes) : 0;
  const kept = used ? used.historyBytes - freed : 0;
  if (used) refuseAbove(used, limits.agent, heldWhen(freed), "agent", kept);
  if (!tenantLimited) return;
  await lockTenantUsage(sql, tenantId);
  const all = await sumUsage(sql, tenantId);
  const freedToo = await fitHistory(sql, agent, all, limits.tenant.bytes);
  // The versions that snapshots of other agents need are not known here. They were counted when
  // those agents wrote.
  refuseAbove(all, limits.tenant, heldWhen(freed + freedToo), "tenant", kept - freedToo);
}

/**
 * Deletes the agent's oldest versions above a limit.
 *
 * @returns the bytes of the deleted versions
 */
async function fitHistory(sql: SqlExecutor, agent: Counted, used: Usage, most = Infinity): Promise<number> {
  const above = used.bytes + used.historyBytes - most;
  const { schema, role } = agent;
  if (above <= 0 || used.historyBytes === 0 || !schema || !role) return 0;
  const freed = await onceAsAgent(sql, { role }, (own) => dropOldestVersions(own, schema, above));
  if (freed > 0) await lessHistory(sql, agent.tenantId, agent.agentId, freed);
  return freed;
}

/** @param kept the bytes of the agent's history that could not be deleted */
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
    const ofSnapshots = wanted > used[measure] ? `, ${kept.toLocaleString("en-US")} of them for snapshots` : "";
    throw new AppError(
      "quota_exceeded",
      `The ${owner} may have at most ${countOf(most, measure.slice(0, -1))}, and with this write it would have ${wanted.toLocaleString("en-US")}${ofSnapshots}. Delete something, or have the limit raised.`,
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

/** Returns the size of an agent's memory, counted row by row. */
export async function countMemory(tx: AgentReads, agent: AgentSpace): Promise<Usage> {
  const generation = await requireGeneration(tx, agent);
  const counted = await sumFiles(tx, agent.schema, generation.id);
  const { facts, bytes: ofFacts } = await sumFacts(tx, agent.schema);
  const bytes = counted.bytes + (await sumSessions(tx, agent.schema)).bytes + ofFacts;
  return { ...counted, bytes, facts, historyBytes: await sumVersions(tx, agent.schema) };
}
