import { z } from "zod";

/** The settings of one kind of job: its queue and its retries. */
export interface JobSettings {
  readonly name: string;
  /**
   * One job per key runs at a time. `one-active`: any number may wait. `one-waiting`: a job is
   * dropped when another with its key waits.
   */
  readonly concurrency: "one-active" | "one-waiting";
  readonly startAfterSeconds: number;
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  readonly retryDelayMaxSeconds: number;
  readonly expireInSeconds: number;
  /**
   * Whether its jobs belong to tenants, which share the workers. A process then has one more
   * worker, for a tenant that no other worker serves.
   */
  readonly ofTenants?: boolean;
  /** How long an ended job is kept, for lists of jobs. Default: an hour. */
  readonly keepSeconds?: number;
}

/** A kind of job with its payload. Payloads hold ids only: never text, never keys. */
export interface JobContract<P> extends JobSettings {
  readonly payload: z.ZodType<P>;
  /** Returns the job's key. Jobs with the same key do the same work. */
  readonly key: (payload: P) => string;
}

const agentPayload = z.object({ tenantId: z.string(), agentId: z.string() });
export type AgentPayload = z.infer<typeof agentPayload>;

/** Returns the key that all jobs of one agent share. It is their group or singleton key. */
export function agentKey(payload: AgentPayload): string {
  return `${payload.tenantId}:${payload.agentId}`;
}

/** The settings of an agent's jobs, unless a kind overrides them. */
export const OF_AGENT = {
  payload: agentPayload,
  key: agentKey,
  ofTenants: true,
  concurrency: "one-active",
  startAfterSeconds: 0,
  // With a delay of at most five minutes, this many retries outlast a provider's outage of a day.
  retryLimit: 300,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
  expireInSeconds: 3600,
} as const;

const embedPayload = agentPayload.extend({
  /** Whether the job begins by letting features plan batches. */
  plan: z.boolean().optional(),
});

/**
 * Computes the embeddings that an agent still lacks. One job is active per agent. Each write adds
 * its own job in its own transaction, instead of relying on a waiting one, which might start before
 * the write commits and miss its chunks.
 */
export const EMBED_JOB: JobContract<z.infer<typeof embedPayload>> = {
  ...OF_AGENT,
  name: "embed",
  payload: embedPayload,
};

/**
 * Refreshes an agent's term statistics, and requests a vector index when the agent has too many
 * chunks for the exact scan.
 */
export const MAINTAIN_INDEX_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "maintain-index",
  concurrency: "one-waiting",
  // Collects writes that arrive together. Term counts from when the index was half as large cost
  // SciFact 0.005 nDCG@10.
  startAfterSeconds: 2,
  retryLimit: 5,
  retryDelaySeconds: 10,
};

const buildPayload = agentPayload.extend({
  /**
   * The number of chunks when the job was enqueued. With it the job waits until an import is over.
   */
  chunks: z.int().optional(),
});

/**
 * Builds an agent's vector index. The build is one statement of minutes that cannot be divided, so
 * it has a queue of its own, where only other large agents wait behind it.
 */
export const BUILD_INDEX_JOB: JobContract<z.infer<typeof buildPayload>> = {
  ...OF_AGENT,
  name: "build-index",
  payload: buildPayload,
  concurrency: "one-waiting",
  expireInSeconds: 6 * 3600,
};

const reindexPayload = agentPayload.extend({
  /**
   * Whether an index that could go on serving is also replaced, if today's settings would build it
   * differently.
   */
  anew: z.boolean().optional(),
});

/**
 * Brings an agent's index to its settings: fills a new generation beside the active one, then makes
 * it the active one.
 */
export const REINDEX_JOB: JobContract<z.infer<typeof reindexPayload>> = {
  ...OF_AGENT,
  name: "reindex",
  payload: reindexPayload,
  expireInSeconds: 6 * 3600,
};

/**
 * Updates an agent's memory from its outside sources, and indexes content that is not indexed yet:
 * see service/indexing/sync-agent.ts.
 */
export const SYNC_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "sync",
  retryLimit: 20,
  retryDelaySeconds: 5,
};

const schedulePayload = z.object({ reason: z.enum(["interval", "folders"]), throughMinute: z.int() });
export type SchedulePayload = z.infer<typeof schedulePayload>;

/**
 * Requests the syncs of agents. A job with the reason `interval` requests due syncs, and enqueues
 * itself again in a minute. A job with the reason `folders` requests syncs of the agents that have
 * folders of the server. `throughMinute` is the minute since 1970 up to which the previous job has
 * looked.
 */
export const SCHEDULE_JOB: JobContract<SchedulePayload> = {
  name: "schedule",
  payload: schedulePayload,
  key: (payload) => payload.reason,
  concurrency: "one-waiting",
  startAfterSeconds: 0,
  // The job must not fail for good, because no other job would enqueue the next one.
  retryLimit: 1_000_000,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 60,
  expireInSeconds: 600,
  // Sixty such jobs an hour would crowd the others out of the operator's list.
  keepSeconds: 60,
};

/**
 * Migrates all agents' schemas to the version of the binary that runs it, and finishes erasures
 * that were cut short.
 */
export const MIGRATE_FLEET_JOB: JobContract<{ retryFailed: boolean }> = {
  name: "migrate-fleet",
  payload: z.object({ retryFailed: z.boolean() }),
  key: () => "fleet",
  concurrency: "one-active",
  startAfterSeconds: 0,
  retryLimit: 50,
  retryDelaySeconds: 30,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 6 * 3600,
};

/** Creates schemas with their roles for future agents: see service/agent/spare-spaces.ts. */
export const SPARE_SPACES_JOB: JobContract<Record<string, never>> = {
  name: "spare-spaces",
  payload: z.object({}),
  key: () => "spares",
  concurrency: "one-waiting",
  startAfterSeconds: 0,
  retryLimit: 5,
  retryDelaySeconds: 30,
  retryDelayMaxSeconds: 600,
  expireInSeconds: 600,
};
