import { z } from "zod";

/** One kind of job: its queue and how it is retried. */
export interface JobSettings {
  readonly name: string;
  /**
   * One job a key runs at a time. `one-active`: any number waits. `one-waiting`: a job is dropped when one with its key waits.
   */
  readonly concurrency: "one-active" | "one-waiting";
  readonly startAfterSeconds: number;
  readonly retryLimit: number;
  readonly retryDelaySeconds: number;
  readonly retryDelayMaxSeconds: number;
  readonly expireInSeconds: number;
  /** Whether its jobs are of tenants, who share the workers: a process has one worker more, for a tenant that none serves. */
  readonly ofTenants?: boolean;
  /** How long one that ended is kept, for lists of jobs. Default: an hour. */
  readonly keepSeconds?: number;
}

/** A kind of job with what it carries. Payloads hold ids only: never text, never keys. */
export interface JobContract<P> extends JobSettings {
  readonly payload: z.ZodType<P>;
  /** Jobs with the same key are the same work. */
  readonly key: (payload: P) => string;
}

const agentPayload = z.object({ tenantId: z.string(), agentId: z.string() });
export type AgentPayload = z.infer<typeof agentPayload>;

/** What the jobs of one agent have in common: their group or singleton key. */
export function agentKey(payload: AgentPayload): string {
  return `${payload.tenantId}:${payload.agentId}`;
}

/** What jobs of an agent have in common, unless they say otherwise. */
const OF_AGENT = {
  payload: agentPayload,
  key: agentKey,
  ofTenants: true,
  concurrency: "one-active",
  startAfterSeconds: 0,
  // With a delay of at most five minutes this outlasts a provider's outage of a day.
  retryLimit: 300,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
  expireInSeconds: 3600,
} as const;

const embedPayload = agentPayload.extend({
  /** It begins with planning batches. */
  plan: z.boolean().optional(),
});

/**
 * Makes the embeddings an agent still lacks. One is active per agent; each write adds its own, in its own transaction, so
 * a job never has to be "already there": a waiting one might be picked up before the write commits and miss its chunks.
 */
export const EMBED_JOB: JobContract<z.infer<typeof embedPayload>> = {
  ...OF_AGENT,
  name: "embed",
  payload: embedPayload,
};

/**
 * Takes an agent's provider batches one step further: sends those that are planned, asks how far they are, stores their results.
 * While one is under way each job leaves another behind, due at the next poll.
 */
export const EMBED_BATCH_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "embed-batch",
};

/** Refreshes an agent's term statistics, and asks for its vector index when it has outgrown the exact scan. */
export const MAINTAIN_INDEX_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "maintain-index",
  concurrency: "one-waiting",
  // Collects writes that come at once. Counts of when the index was half as large cost SciFact 0.005 nDCG@10.
  startAfterSeconds: 2,
  retryLimit: 5,
  retryDelaySeconds: 10,
};

const buildPayload = agentPayload.extend({
  /** How many chunks there were when it was enqueued: it waits until an import is over. */
  chunks: z.int().optional(),
});

/**
 * Builds an agent's vector index: minutes of one statement that cannot be divided, so it has a queue of its own, where only
 * other large agents wait behind it.
 */
export const BUILD_INDEX_JOB: JobContract<z.infer<typeof buildPayload>> = {
  ...OF_AGENT,
  name: "build-index",
  payload: buildPayload,
  concurrency: "one-waiting",
  expireInSeconds: 6 * 3600,
};

const reindexPayload = agentPayload.extend({
  /** Also an index that can go on serving is replaced, when the settings would have it made otherwise today. */
  anew: z.boolean().optional(),
});

/** Brings an agent's index to its settings: fills a generation beside the active one and puts it in its place. */
export const REINDEX_JOB: JobContract<z.infer<typeof reindexPayload>> = {
  ...OF_AGENT,
  name: "reindex",
  payload: reindexPayload,
  expireInSeconds: 6 * 3600,
};

/** Brings an agent's memory up to what stands outside it, or has not been indexed yet: see service/index/sync-agent.ts. */
export const SYNC_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "sync",
  retryLimit: 20,
  retryDelaySeconds: 5,
};

/** Copies the memory that an agent begins with from another's: see service/archive/branch-agent.ts. */
export const BRANCH_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "branch",
  expireInSeconds: 6 * 3600,
};

/** Writes an agent's archive to the operator's folder: see service/archive/export-to-folder.ts. */
export const EXPORT_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "export",
  retryLimit: 5,
  retryDelaySeconds: 60,
  retryDelayMaxSeconds: 900,
  expireInSeconds: 6 * 3600,
};

/** Turns an agent's files into facts, as its run says: see service/facts/ingest-files.ts. */
export const INGEST_JOB: JobContract<AgentPayload> = {
  ...OF_AGENT,
  name: "ingest-facts",
};

const schedulePayload = z.object({ reason: z.enum(["interval", "folders"]), throughMinute: z.int() });
export type SchedulePayload = z.infer<typeof schedulePayload>;

/**
 * Asks for the syncs of agents: `interval` of those that are due, and for itself in a minute; `folders` of those with folders
 * of the server. `throughMinute` says up to which minute since 1970 the one before has looked.
 */
export const SCHEDULE_JOB: JobContract<SchedulePayload> = {
  name: "schedule",
  payload: schedulePayload,
  key: (payload) => payload.reason,
  concurrency: "one-waiting",
  startAfterSeconds: 0,
  // It may never end: nobody would ask for the next.
  retryLimit: 1_000_000,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 60,
  expireInSeconds: 600,
  // Sixty an hour would crowd the others out of the operator's list.
  keepSeconds: 60,
};

/** Brings all agents' schemas to the version of the binary that runs it, and finishes erasures that were cut short. */
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

/** Makes schemas with their roles for agents to come: see service/agent/spare-spaces.ts. */
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

export const JOB_CONTRACTS: readonly JobSettings[] = [
  EMBED_JOB,
  EMBED_BATCH_JOB,
  SYNC_JOB,
  REINDEX_JOB,
  MAINTAIN_INDEX_JOB,
  BUILD_INDEX_JOB,
  BRANCH_JOB,
  EXPORT_JOB,
  INGEST_JOB,
  SCHEDULE_JOB,
  MIGRATE_FLEET_JOB,
  SPARE_SPACES_JOB,
];
