import { setTimeout } from "node:timers/promises";
import {
  lockUnchanged,
  markIndexed,
  type UnindexedFile,
  unindexedFiles,
} from "../../db/agent/files/unindexed-files.ts";
import { type AgentSpace, withAgentReads, withAgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { lockAgentSchema } from "../../db/agent/schema/create-agent-schema.ts";
import { createGenerationTables, dropGenerationTables } from "../../db/agent/schema/generation-tables.ts";
import {
  endedGenerations,
  type Generation,
  indexesAlike,
  insertGeneration,
  lastCancelled,
  liveGenerations,
  serves,
  setGenerationStatus,
  textLanguages,
} from "../../db/agent/schema/generations.ts";
import { AUTOMATIC } from "../../embeddings/resolve-provider.ts";
import { EMBED_JOB, MAINTAIN_INDEX_JOB, REINDEX_JOB } from "../../queue/job-contracts.ts";
import { searchesSessions } from "../../settings/retention.ts";
import { findKnownAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { cachedEmbeddings, chunkLimit } from "../embedding/embedder-for.ts";
import { reachableTarget } from "../embedding/fallback.ts";
import { type Filled, indexFactsInto } from "../facts/index-facts.ts";
import { storeChunks } from "../files/store-chunks.ts";
import { indexInto } from "../sessions/index-sessions.ts";
import type { IndexDeps } from "./index-deps.ts";
import { fitIndex } from "./maintain-index.ts";
import { isNearlyEmbedded, takeOver } from "./take-over.ts";

const BATCH_FILES = 20;
const BATCH_BYTES = 4_000_000;
/**
 * The rest after each page, as a multiple of the time that the page took. A build is background
 * work beside searches, and the page's embeddings are made during the rest. On two cores, with a
 * provider that takes no time and so loads them as well, searches were 3.4 times slower at p95
 * without rests and 2.7 times with rests as long as the work.
 */
const RESTS = 4;

/**
 * Rebuilds an agent's index for its settings, as far as possible now. It begins a generation beside
 * the active one, fills it and, once nearly all of its chunks are embedded, switches to it. Each
 * step is committed by itself, so after a crash the old index serves and the next job continues. It
 * does not wait for embeddings: the job `embed` enqueues this job again when few or none are
 * missing.
 *
 * @param signal aborted when the process stops: the rest goes back to the queue as a new job
 * @param anew whether an index that still serves the settings is replaced too
 */
export async function reindexAgent(
  deps: IndexDeps,
  caller: Caller,
  agentId: string,
  signal: AbortSignal,
  anew = false,
): Promise<void> {
  const agent = await findKnownAgent(deps, caller, "agent:write", agentId);
  if (!agent) return;
  const building = await beginBuild(deps, agent, anew);
  // Drops generations that a crash left behind, or that `beginBuild` has just ended.
  await dropEnded(deps, agent);
  if (!building) return;
  const payload = { tenantId: agent.tenantId, agentId };
  const filled = await fill(deps, agent, building, signal);
  if (filled === "given up") return;
  if (filled === "stopped") return deps.queue.send(deps.db, REINDEX_JOB, payload);
  if (filled === "others wait") return deps.queue.send(deps.db, REINDEX_JOB, payload, "after others");
  const isNear = await withAgentReads(deps.db, agent, async (tx) =>
    isNearlyEmbedded(tx, agent, await liveGenerations(tx, agent.schema)),
  );
  if (!isNear) return deps.queue.send(deps.db, EMBED_JOB, payload);
  // The job that builds the vector index enqueues this job again.
  if (!(await fitIndex(deps, agent, building))) return;
  if (!(await takeOver(deps, agent, building))) return deps.queue.send(deps.db, REINDEX_JOB, payload);
  deps.logger.info({ agentId, generation: building.id, model: building.model }, "a new index is in use");
  await dropEnded(deps, agent);
  // The last texts may still wait for their embedding.
  for (const job of [EMBED_JOB, MAINTAIN_INDEX_JOB]) await deps.queue.send(deps.db, job, payload);
}

/**
 * Returns the generation to fill: the current build if it still fits the settings, else a new
 * generation; undefined if no build is due.
 */
async function beginBuild(deps: IndexDeps, agent: KnownAgent, anew: boolean): Promise<Generation | undefined> {
  const wanted = await reachableTarget(deps, agent);
  return deps.db.transaction(async (tx) => {
    await lockAgentSchema(tx, agent);
    const { active, building } = await liveGenerations(tx, agent.schema);
    const fresh = active !== undefined && indexesAlike(active, wanted);
    const enough = fresh || (!anew && active !== undefined && serves(active, wanted));
    if (building && !fresh && indexesAlike(building, wanted)) return building;
    // The settings have changed again, perhaps back.
    if (building) await setGenerationStatus(tx, agent.schema, building.id, "dropped");
    if (enough || !active) return undefined;
    const cancelled = await lastCancelled(tx, agent.schema);
    if (cancelled && indexesAlike(cancelled, wanted)) return undefined;
    const generation = await insertGeneration(tx, agent.schema, wanted, {
      status: "building",
      now: deps.clock(),
      kind: deps.db.kind,
    });
    await createGenerationTables(tx, agent.schema, agent.role, generation);
    warnOfLostKey(deps, agent, active, generation);
    return generation;
  });
}

/** Warns if `auto` leads from a provider with a key to the built-in model: its key may be lost. */
function warnOfLostKey({ logger }: IndexDeps, agent: KnownAgent, active: Generation, building: Generation): void {
  const isLost = building.provider === "builtin" && AUTOMATIC.some((id) => id === active.provider);
  if (agent.settings.provider !== "auto" || !isLost) return;
  logger.warn(
    { agentId: agent.agentId, former: active.provider, model: building.model },
    "no provider has a key: the index is built anew for the built-in model; set the former provider's key if this is not meant",
  );
}

/**
 * Stores the generation's missing files and facts, then its sessions if the agent searches them.
 * Returns `stopped` if the process stops before the end, `others wait` if it is another tenant's
 * turn, and `given up` if the build was cancelled.
 */
async function fill(deps: IndexDeps, agent: KnownAgent, building: Generation, signal: AbortSignal): Promise<Filled> {
  let filled = await fillFiles(deps, agent, building, signal);
  if (filled === "done") filled = await indexFactsInto(deps, agent, await asItIs(deps, agent, building), signal);
  if (filled !== "done" || !searchesSessions(agent.settings)) return filled;
  return indexInto(deps, agent, await asItIs(deps, agent, building), { building: building.id }, signal);
}

/** Returns the generation with its current languages. */
async function asItIs(deps: IndexDeps, agent: KnownAgent, building: Generation): Promise<Generation> {
  const live = await withAgentReads(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  return live.building?.id === building.id ? live.building : building;
}

async function fillFiles(
  deps: IndexDeps,
  agent: KnownAgent,
  building: Generation,
  signal: AbortSignal,
): Promise<Filled> {
  for (let afterId = "0"; ; ) {
    if (signal.aborted) return "stopped";
    const began = performance.now();
    const page = { afterId, limit: BATCH_FILES, maxBytes: BATCH_BYTES };
    const files = await withAgentTransaction(deps.db, agent, (tx) =>
      unindexedFiles(tx, agent.schema, building.id, page),
    );
    const last = files.at(-1);
    // Another round from the beginning catches files that were changed during this one.
    if (!last && afterId === "0") return "done";
    if (last && !(await storePage(deps, agent, await asItIs(deps, agent, building), files))) return "given up";
    afterId = last?.id ?? "0";
    if (await deps.queue.othersWait(REINDEX_JOB)) return "others wait";
    await setTimeout(RESTS * (performance.now() - began), undefined, { signal }).catch(() => undefined);
  }
}

/** @returns false if the generation is no longer being built */
async function storePage(
  deps: IndexDeps,
  agent: KnownAgent,
  building: Generation,
  files: UnindexedFile[],
): Promise<boolean> {
  const { chunkTokens: tokens, chunkOverlap: overlap, chunkHeadings: headings } = building;
  const limit = await chunkLimit(deps, building, agent);
  const settings = { tokens, overlap, headings, limit, languages: textLanguages(building) };
  const cut = await Promise.all(
    files.map(async (file) => ({
      ...file,
      ...(await deps.preparer.prepare(agent.tenantId, { content: file.content, path: file.path, ...settings })),
    })),
  );
  const hashes = cut.flatMap((file) => file.chunks.map((chunk) => chunk.hash));
  const cached = await cachedEmbeddings(deps, agent, building, hashes);
  return withAgentTransaction(deps.db, agent, async (tx) => {
    const unchanged = await lockUnchanged(tx, agent.schema, files);
    const { building: current } = await liveGenerations(tx, agent.schema);
    if (current?.id !== building.id) return false;
    const kept = cut.filter((file) => unchanged.has(file.id));
    const { pending } = await storeChunks(
      tx,
      building,
      kept,
      { ids: new Map(kept.map((file) => [file.path, file.id])), created: new Set() },
      cached,
    );
    await markIndexed(tx, agent.schema, building.id, [...unchanged]);
    if (pending.size === 0) return true;
    // The job `embed` makes the embeddings while the rest of the generation is filled.
    const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
    await deps.queue.send(await tx.asService(), EMBED_JOB, payload);
    return true;
  });
}

/**
 * Drops the tables of ended generations. It waits for searches that still read them. A later search
 * that meets a missing table starts again.
 */
export async function dropEnded(deps: IndexDeps, agent: AgentSpace): Promise<void> {
  for (const id of await endedGenerations(deps.db, agent.schema))
    await deps.db.transaction((tx) => dropGenerationTables(tx, agent.schema, id));
}
