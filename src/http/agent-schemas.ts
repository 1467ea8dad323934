import { z } from "@hono/zod-openapi";
import { timestamp } from "../service/core/scalar-schemas.ts";
import { jobCounts, limits, usage, warnings } from "./administration-schemas.ts";
import { paged } from "./schemas.ts";

export const agent = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(["active", "disabled", "creating", "importing"]),
    settings: z.record(z.string(), z.unknown()),
    limits,
    usage,
    schemaVersion: z.int(),
    createdAt: z.string(),
  })
  .openapi("Agent");

/** An agent after a change. */
export const changedAgent = agent.extend({ warnings }).openapi("ChangedAgent");

export const reindex = z
  .object({
    state: z.enum(["none", "building", "due"]),
    provider: z.string().optional(),
    model: z.string().optional(),
    files: z.object({ indexed: z.int(), total: z.int() }).optional(),
    facts: z.object({ indexed: z.int(), total: z.int() }).optional(),
    sessions: z.object({ indexed: z.int(), total: z.int() }).optional(),
    pendingEmbeddings: z.int().optional(),
    startedAt: z.string().optional(),
  })
  .openapi("Reindex");

/** An agent's status. */
export const agentStatusBody = z
  .object({
    agentId: z.string(),
    backend: z.enum(["postgres", "pglite"]),
    provider: z.string(),
    model: z.string(),
    dimensions: z.int().nullable(),
    fallback: z.object({ provider: z.string(), inUse: z.boolean() }).nullable(),
    files: z.int(),
    sessions: z.int(),
    messages: z.int(),
    unindexedMessages: z.int(),
    facts: z.int(),
    chunks: z.int(),
    pendingEmbeddings: z.int(),
    rejectedChunks: z.int(),
    keyword: z.object({
      ready: z.boolean(),
      language: z.string(),
      languages: z.array(z.string()),
      statisticsAt: z.string().nullable(),
    }),
    vector: z.object({
      ready: z.boolean(),
      index: z.enum(["none", "exact", "hnsw"]),
      unread: z.array(z.string()),
      problem: z.string().optional(),
    }),
    dirty: z.boolean(),
    lastChangeAt: z.string().nullable(),
    lastSyncAt: z.string().nullable(),
    extraPaths: z.array(
      z.object({
        path: z.string(),
        pattern: z.string().optional(),
        files: z.int(),
        skipped: z.int(),
        failed: z.int(),
        lastSyncAt: z.string().nullable(),
        error: z.string().optional(),
      }),
    ),
    reindex,
    jobs: jobCounts,
    workerAlive: z.boolean().openapi({ description: "False: jobs wait, and no worker runs that would take them" }),
  })
  .openapi("AgentStatus");

export const activityPage = paged({
  activity: z.array(
    z
      .object({
        id: z.string(),
        at: z.string(),
        actor: z.string().openapi({ description: "A key's prefix, `local` (no key) or `system`" }),
        keyName: z.string().nullable().openapi({ description: "Null when the key is gone or another tenant's" }),
        kind: z.enum(["search", "recall", "capture"]),
        times: z.int().openapi({ description: "How often within a few seconds" }),
        hits: z.int().openapi({ description: "Hits, facts and quotations recalled, or facts stored, in all" }),
      })
      .openapi("ActivityEntry"),
  ),
}).openapi("ActivityPage");

const amounts = z.object({ files: z.int(), messages: z.int(), facts: z.int(), chunks: z.int() });

export const growth = z
  .object({
    from: z.string(),
    to: z.string(),
    before: amounts.openapi({ description: "What was stored before `from`" }),
    days: z.array(amounts.extend({ day: z.string() })),
  })
  .openapi("Growth");

/** What of a memory is offered. */
export const shareTerms = z
  .strictObject({
    folders: z.array(z.string().min(1).max(1024)).max(50).optional().openapi({
      description: "Folders of files; without them all is offered: files, and facts that are for everybody",
    }),
    sessions: z.boolean().optional().openapi({ description: "Conversations too; only with all of the memory" }),
  })
  .openapi("ShareTerms");

/** A memory that one agent offers to another. */
export const share = z
  .object({
    agentId: z.string().openapi({ description: "The agent on the other side" }),
    folders: z.array(z.string()).openapi({ description: "Empty: all of the memory" }),
    sessions: z.boolean(),
    offeredAt: z.string(),
    takenAt: z.string().nullable().openapi({ description: "null: offered, and not read" }),
  })
  .openapi("Share");
export const shareList = z.object({ shares: z.array(share) }).openapi("ShareList");
export const withdrawnShare = z.object({ withdrawn: z.literal(true) }).openapi("WithdrawnShare");
export const leftShare = z.object({ left: z.literal(true) }).openapi("LeftShare");

export const newBranch = z
  .strictObject({
    as: z.string(),
    name: z.string().max(200).optional(),
    at: timestamp.optional().openapi({ description: "As of that time, as an ISO 8601 time" }),
    snapshot: z.string().max(64).optional().openapi({ description: "As of that snapshot" }),
  })
  .openapi("BranchInput");

/** An agent that was made of another's memory. */
export const branch = z
  .object({
    agentId: z.string(),
    origin: z.string().nullable().openapi({ description: "null: it was erased" }),
    state: z.enum(["copying", "ready"]),
    branchedAt: z.string().nullable().openapi({ description: "The moment of the origin that it has" }),
    copied: z.int(),
    total: z.int(),
  })
  .openapi("Branch");

const difference = {
  here: z.enum(["none", "added", "changed", "deleted"]).openapi({ description: "What the agent has done" }),
  there: z.enum(["none", "added", "changed", "deleted"]).openapi({ description: "What the other has done" }),
  conflict: z.boolean(),
};
const differences = {
  files: z.array(z.object({ path: z.string(), ...difference })),
  facts: z
    .array(z.object({ text: z.string(), key: z.string().nullable(), ...difference }))
    .openapi({ description: "Of one key and scope, or of one text; the text is what was learnt last" }),
};

/** What two agents do not have alike. */
export const agentDiff = z
  .object({
    ...{ agentId: z.string(), otherId: z.string() },
    since: z.string().nullable().openapi({ description: "When the one was made of the other; null: it was not" }),
    ...differences,
    counts: z.object({ files: z.int(), facts: z.int() }),
  })
  .openapi("AgentDiff");

export const mergeInput = z
  .strictObject({
    into: z.string(),
    dryRun: z.boolean().optional(),
    prefer: z.enum(["branch", "target"]).optional().openapi({ description: "Whose change counts where both have one" }),
  })
  .openapi("MergeInput");

export const mergedBranch = z
  .object({ agentId: z.string(), into: z.string(), merged: z.boolean(), ...differences, conflicts: z.int() })
  .openapi("MergedBranch");
