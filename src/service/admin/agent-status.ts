import { countPending, lastFileWrite } from "../../db/agent/chunks/chunks.ts";
import { sumFacts } from "../../db/agent/facts/fact-upkeep.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import type { Generation, NewGeneration } from "../../db/agent/schema/generations.ts";
import { sumSessions } from "../../db/agent/sessions/sessions.ts";
import { sumUsageOf } from "../../db/control/usage.ts";
import { readsScript } from "../../embeddings/model-input.ts";
import { BUILD_INDEX_JOB, EMBED_JOB, MAINTAIN_INDEX_JOB } from "../../queue/job-contracts.ts";
import { unreadScripts } from "../../relevance/ranking/sensitivity.ts";
import { searchesSessions } from "../../settings/retention.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import { findAgent } from "../agent/find-agent.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import { requireGeneration } from "../core/known-agent.ts";
import type { Deps } from "../deps.ts";
import {
  embedderIfAny,
  embeddersWithDeadline,
  embeddingProblem,
  targetOrKeywordGeneration,
} from "../embedding/embedder-for.ts";
import { whyNoEmbedder } from "../embedding/missing-embedder.ts";
import { type ExtraPathStatus, readFolderStatus } from "../indexing/index-hooks.ts";
import { type ReindexStatus, reindexStatus } from "../indexing/manage-reindex.ts";
import { describeFailure } from "./manage-jobs.ts";

export interface AgentStatus {
  agentId: string;
  backend: "postgres" | "pglite";
  provider: string;
  model: string;
  dimensions: number | null;
  /**
   * The provider in the setting `fallback`, and whether the index uses it; null when the setting is
   * `none` or `auto`.
   */
  fallback: { provider: string; inUse: boolean } | null;
  files: number;
  sessions: number;
  messages: number;
  /** Messages that are not indexed yet. */
  unindexedMessages: number;
  /** The number of facts, past facts included. */
  facts: number;
  chunks: number;
  pendingEmbeddings: number;
  /**
   * The last error of the agent's embedding job, while embeddings are missing: the provider refuses the
   * key, sends vectors of another length, or does not answer.
   */
  embeddingProblem?: string;
  /** The number of chunks that the provider refuses to embed. Only keyword search finds them. */
  rejectedChunks: number;
  /**
   * `languages`: the languages of the agent's texts, the most frequent first. `language`: the one
   * in which all texts are stemmed, or `auto`.
   */
  keyword: { ready: boolean; language: string; languages: string[]; statisticsAt: string | null };
  /**
   * `unread`: the scripts in the agent's texts that the model cannot read. Only keyword search
   * finds texts in these scripts.
   */
  vector: {
    ready: boolean;
    index: "none" | "exact" | "hnsw";
    unread: string[];
    /**
     * The reason why questions get no vector: a missing key or model file, a provider that does not
     * answer, an index built at another address.
     */
    problem?: string;
  };
  /**
   * Whether chunks wait for their embedding, or messages wait to be indexed (if sessions are
   * searched).
   */
  dirty: boolean;
  /**
   * Whether no text waits to be indexed or embedded, and no job measures the index. The scores of hits and `certain`
   * then stay the same until the next write.
   */
  settled: boolean;
  lastChangeAt: string | null;
  /** The time when the last sync of the agent's folders and conversations ended. */
  lastSyncAt: string | null;
  /** The server's folders that are part of the memory, as the last sync found them. */
  extraPaths: ExtraPathStatus[];
  /** The build of a new index beside the active one. */
  reindex: ReindexStatus;
  /** The agent's jobs, by kind. */
  jobs: Record<string, { waiting: number; active: number; failed: number }>;
  /** False when jobs of the agent wait and no worker runs that would take them. */
  workerAlive: boolean;
}

/** The number of an agent's newest jobs among which the last error is looked for. */
const MOST_JOBS = 100;

/**
 * Returns the contents of an agent's memory and its pending work.
 *
 * @throws AppError `agent_not_found`, `invalid_agent_id`
 */
export async function agentStatus(all: Deps, caller: Caller, agentId: string): Promise<AgentStatus> {
  const deps = { ...all, embedders: embeddersWithDeadline(all.embedders, all.queryEmbedTimeoutMs) };
  const { agent, profile, syncedAt } = await findAgent(deps, caller, "agent:read", agentId);
  const problem = await embeddingProblem(deps, profile);
  const troubleOf = (why: string | undefined) => (why === undefined ? {} : { problem: why });
  const jobs = await deps.queue.counts({ tenantId: caller.tenantId, agentId });
  const base = { agentId, backend: deps.db.kind, jobs, workerAlive: await someoneWorks(deps, jobs) };
  if (!agent)
    return { ...base, ...statusOfNone(profile, await targetOrKeywordGeneration(deps, profile), troubleOf(problem)) };
  const extraPaths = await readFolderStatus(deps, agent);
  const reindex = await reindexStatus(deps, agent);
  const active = await withAgentReads(deps.db, agent, (tx) => requireGeneration(tx, agent));
  const embedder = await embedderIfAny(deps, active, agent);
  const isMissing = embedder === undefined && active.dimensions !== null;
  const trouble = troubleOf(problem ?? (isMissing ? await whyNoEmbedder(deps, active, agent) : undefined));
  const { files, chunks } = await sumUsageOf(deps.db, caller.tenantId, agentId);
  const failure = await embeddingFailure(deps, { tenantId: caller.tenantId, agentId }, jobs);
  return withAgentReads(deps.db, agent, async (tx) => {
    const generation = await requireGeneration(tx, agent);
    // Read in the order of processing: a message that leaves the first count between the two
    // queries must appear in the second, or the agent would not look dirty.
    const { sessions, messages, unindexedMessages, lastChangeAt } = await sumSessions(tx, agent.schema);
    const pending = await countPending(tx, agent.schema, generation);
    const { facts } = await sumFacts(tx, agent.schema);
    const lastFileAt = await lastFileWrite(tx, agent.schema);
    const dirty = pending.pendingEmbeddings > 0 || (unindexedMessages > 0 && searchesSessions(agent.settings));
    const lastAt = Math.max(lastFileAt?.getTime() ?? 0, lastChangeAt?.getTime() ?? 0);
    return {
      ...base,
      provider: generation.provider,
      model: generation.model,
      dimensions: generation.dimensions,
      fallback: fallbackOf(agent.settings, generation.provider),
      files,
      chunks,
      ...pending,
      ...(failure !== undefined && pending.pendingEmbeddings > 0 && { embeddingProblem: failure }),
      sessions,
      messages,
      unindexedMessages,
      facts,
      keyword: { ready: true, ...languagesOf(generation), statisticsAt: generation.statsAt?.toISOString() ?? null },
      vector: {
        ready: embedder !== undefined,
        index: generation.dimensions === null ? "none" : generation.vectorIndex ? "hnsw" : "exact",
        unread: unreadScripts(generation.separation ?? {}, (script) => readsScript(generation, script)),
        ...trouble,
      },
      dirty,
      settled: !dirty && !hasWork(jobs),
      lastChangeAt: lastAt > 0 ? new Date(lastAt).toISOString() : null,
      lastSyncAt: syncedAt?.toISOString() ?? null,
      extraPaths,
      reindex,
    };
  });
}

/**
 * Returns the error with which the agent's last embedding job failed; undefined if the last one that ended
 * was done, or none waits to be tried again or has failed for good.
 */
async function embeddingFailure(
  { queue }: Pick<Deps, "queue">,
  agent: { tenantId: string; agentId: string },
  jobs: AgentStatus["jobs"],
): Promise<string | undefined> {
  const { waiting = 0, active = 0, failed = 0 } = jobs[EMBED_JOB.name] ?? {};
  if (waiting + active + failed === 0) return undefined;
  const found = await queue.list({ ...agent, limit: MOST_JOBS });
  const ofEmbeddings = found.filter(({ kind }) => kind === EMBED_JOB.name);
  const last = ofEmbeddings.find(({ state, output }) => state === "completed" || output);
  if (last?.state === "completed") return undefined;
  const error = describeFailure(last?.output ?? null);
  return error?.code.startsWith("embedder_") ? error.message : undefined;
}

/** Returns whether a job that embeds texts or measures the index waits or runs. */
function hasWork(jobs: AgentStatus["jobs"]): boolean {
  return [EMBED_JOB, MAINTAIN_INDEX_JOB, BUILD_INDEX_JOB].some(({ name }) => {
    const { waiting = 0, active = 0 } = jobs[name] ?? {};
    return waiting + active > 0;
  });
}

/**
 * Returns whether a worker takes the agent's jobs. Asks the queue only if the agent has jobs,
 * active ones included: the worker of an active job may have been killed.
 */
async function someoneWorks({ queue }: Pick<Deps, "queue">, jobs: AgentStatus["jobs"]): Promise<boolean> {
  if (Object.values(jobs).every(({ waiting, active }) => waiting + active === 0)) return true;
  return queue.isWorked();
}

/**
 * Returns the status of an agent that was never written to.
 *
 * @param target the index that the agent would get
 */
function statusOfNone(
  { settings }: AgentProfile,
  { provider, model, dimensions }: NewGeneration,
  trouble: Pick<AgentStatus["vector"], "problem">,
): Omit<AgentStatus, "agentId" | "backend" | "jobs" | "workerAlive"> {
  const nothing = { files: 0, sessions: 0, messages: 0, facts: 0, chunks: 0 };
  return {
    provider,
    model,
    dimensions,
    fallback: fallbackOf(settings, provider),
    ...nothing,
    unindexedMessages: 0,
    pendingEmbeddings: 0,
    rejectedChunks: 0,
    keyword: { ready: true, language: settings.query.language, languages: [], statisticsAt: null },
    vector: { ready: dimensions !== null, index: dimensions === null ? "none" : "exact", unread: [], ...trouble },
    dirty: false,
    settled: true,
    lastChangeAt: null,
    lastSyncAt: null,
    extraPaths: [],
    reindex: { state: "none" },
  };
}

/** @param made the provider of the index, or of the index that the agent would get */
function fallbackOf({ provider, fallback }: MemorySettings, made: string): AgentStatus["fallback"] {
  if (fallback === "none" || fallback === "auto") return null;
  return { provider: fallback, inUse: made === fallback && provider !== fallback };
}

function languagesOf({ followsText, language, languages }: Generation): { language: string; languages: string[] } {
  return { language: followsText ? "auto" : language, languages };
}
