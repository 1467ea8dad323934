import { countEmbeddedUpTo, countPending } from "../../db/agent/chunks/vectors.ts";
import { countIndexedFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { lockOutWriters, sumFiles } from "../../db/agent/files/files.ts";
import { countIndexed } from "../../db/agent/files/unindexed-files.ts";
import { type AgentSpace, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import {
  type Generation,
  type LiveGenerations,
  liveGenerations,
  setGenerationStatus,
} from "../../db/agent/schema/generations.ts";
import { adoptProgress, countCarried } from "../../db/agent/sessions/session-index.ts";
import { setChunkUsage } from "../../db/control/usage.ts";
import type { SqlExecutor } from "../../db/database.ts";
import { MAX_BATCH_TEXTS } from "../../embeddings/providers.ts";
import { REINDEX_JOB } from "../../queue/job-contracts.ts";
import { searchesSessions } from "../../settings/retention.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { IndexDeps } from "./index-deps.ts";

/**
 * The longest time that the switch waits for current writers, while new writers wait for the
 * switch. Afterwards the switch is tried again.
 */
const FLIP_LOCK_TIMEOUT = "3s";

/** Returns the number of a generation's chunks without an embedding. */
export async function pendingOf(sql: SqlExecutor, agent: AgentSpace, generation: Generation): Promise<number> {
  return generation.dimensions === null ? 0 : countPending(sql, agent.schema, generation.id);
}

/**
 * Returns whether the index being built has enough embeddings to take over. A busy agent always has
 * texts that wait for their embedding, so an index that must have all of them would never take
 * over. Until these texts are embedded they are found by keyword, as new texts always are.
 *
 * The number of chunks without an embedding must be at most the number that one request to a
 * provider embeds, or at most the number in the index in use. At least half of the chunks must have
 * an embedding: a provider that has stopped answering must not replace a working one.
 */
export async function isNearlyEmbedded(
  sql: SqlExecutor,
  agent: AgentSpace,
  { active, building }: LiveGenerations,
): Promise<boolean> {
  if (!building) return false;
  const pending = await pendingOf(sql, agent, building);
  if (pending === 0) return true;
  if (pending > MAX_BATCH_TEXTS && (!active || pending > (await pendingOf(sql, agent, active)))) return false;
  return (await countEmbeddedUpTo(sql, agent.schema, building.id, pending)) === pending;
}

/**
 * Enqueues the switch to the index being built, if that index has enough embeddings. The job
 * `embed` calls this when it ends a turn with texts left to embed.
 */
export async function requestTakeOver(deps: IndexDeps, agent: KnownAgent): Promise<void> {
  const isDue = await withAgentReads(deps.db, agent, async (tx) =>
    isNearlyEmbedded(tx, agent, await liveGenerations(tx, agent.schema)),
  );
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
  if (isDue) await deps.queue.send(deps.db, REINDEX_JOB, payload, "unless one waits");
}

/**
 * Switches to the generation if it holds every current file, every fact and nearly all embeddings,
 * and at least as many messages of every session as the active generation. (Sessions do not count
 * if the agent no longer searches them.) Writers wait meanwhile; searches do not.
 *
 * @returns false if the generation lacks something that was written meanwhile; true if it is now
 *   active, or is no longer the one being built
 */
export async function takeOver(deps: IndexDeps, agent: KnownAgent, building: Generation): Promise<boolean> {
  return deps.db.transaction(
    async (tx) => {
      await lockAgentSchema(tx, agent);
      await lockOutWriters(tx, agent.schema);
      const live = await liveGenerations(tx, agent.schema);
      if (live.building?.id !== building.id) return true;
      if (!(await isNearlyEmbedded(tx, agent, live)) || !(await holdsAll(tx, agent, building))) return false;
      await adoptProgress(tx, agent.schema, building.id);
      // The active generation ends first, because there must never be two active generations.
      if (live.active) await setGenerationStatus(tx, agent.schema, live.active.id, "dropped");
      await setGenerationStatus(tx, agent.schema, building.id, "active");
      const { chunks } = await sumFiles(tx, agent.schema, building.id);
      await setChunkUsage(tx, agent.tenantId, agent.agentId, chunks);
      return true;
    },
    { setup: [`SET LOCAL lock_timeout = '${FLIP_LOCK_TIMEOUT}'`] },
  );
}

async function holdsAll(sql: SqlExecutor, { schema, settings }: KnownAgent, { id }: Generation): Promise<boolean> {
  const { files, indexed } = await countIndexed(sql, schema, id);
  if (indexed < files) return false;
  const facts = await countIndexedFacts(sql, schema, id);
  if (facts.indexed < facts.facts) return false;
  const carried = await countCarried(sql, schema, id);
  return !searchesSessions(settings) || carried.indexed >= carried.sessions;
}
