import { createYielder } from "../../base/cooperative-yield.ts";
import { withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration } from "../../db/agent/schema/generations.ts";
import { sumUsageOf } from "../../db/control/usage.ts";
import { type Job, jobOfAgent } from "../../jobs/job.ts";
import { type AgentPayload, type JobContract, OF_AGENT } from "../../queue/job-contracts.ts";
import { findKnownAgent } from "../../service/agent/find-agent.ts";
import type { Caller } from "../../service/core/core-deps.ts";
import { timeLimit } from "../../service/core/time-limit.ts";
import type { Deps } from "../../service/deps.ts";
import { createProjection } from "./project.ts";
import { findMap, putMap, sampleChunks, vectorsOf } from "./sql/map-points.ts";

/** Makes the map of an agent's memory. */
export const MAP_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "make-map",
  // The next reader of the map asks again.
  retryLimit: 3,
};

/** A map is made anew when the index has grown or shrunk by this share since. */
const MOVED = 0.1;
/** The vectors of one statement; all vectors of a map would take up to 80 MB. */
const PAGE = 100;
const STATEMENT_MS = 10_000;
/** The work rests as long as it runs, because it also runs in processes that answer requests. */
const RESTS = 1;

export const mapJob: Job = jobOfAgent(MAP_JOB, 1, (deps, { caller, job, signal }) =>
  makeMap(deps, caller, job.agentId, signal),
);

/** Tells whether an index of so many chunks needs a map, or a newer one than this. */
export function isMapDue(map: { chunks: number } | undefined, chunks: number): boolean {
  return !map || Math.abs(chunks - map.chunks) > MOVED * map.chunks;
}

/**
 * Projects an agent's embedded chunks onto a plane and stores their places. Does nothing if the map is up to date. Each
 * read of a map that a job is making requests another job, and that job would make the same map again.
 */
export async function makeMap(deps: Deps, caller: Caller, agentId: string, signal: AbortSignal): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  const generation = agent && (await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, agent.schema)));
  if (!agent || !generation || generation.dimensions === null) return;
  const index = { schema: agent.schema, generationId: generation.id };
  const setup = [timeLimit(STATEMENT_MS)];
  // Read first: chunks that are stored meanwhile count as growth.
  const { chunks } = await sumUsageOf(deps.db, agent.tenantId, agentId);
  const last = await withAgentReads(deps.db, agent, (tx) => findMap(tx, index), setup);
  if (!isMapDue(last, chunks)) return;
  const wanted = await withAgentReads(deps.db, agent, (tx) => sampleChunks(tx, index), setup);
  const yieldNow = createYielder(RESTS, agent.tenantId);
  const projection = createProjection(generation.dimensions);
  const ids: string[] = [];
  for (let at = 0; at < wanted.length; at += PAGE) {
    if (signal.aborted) return;
    const page = wanted.slice(at, at + PAGE);
    for (const { id, vector } of await withAgentReads(deps.db, agent, (tx) => vectorsOf(tx, index, page), setup)) {
      projection.add(vector);
      ids.push(id);
      await yieldNow();
    }
  }
  const { xs, ys } = projection.finish();
  // The passages that are still without an embedding do not count, so the map is due until they are in it.
  const embedded = Math.round((chunks * ids.length) / Math.max(1, wanted.length));
  const map = { chunks: embedded, ids, xs, ys, now: deps.clock() };
  await withAgentTransaction(deps.db, agent, (tx) => putMap(tx, index, map));
}
