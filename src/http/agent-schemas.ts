import { z } from "@hono/zod-openapi";
import { jobCounts, limits, usage, warnings } from "./administration-schemas.ts";
import { jsonObject, name, paged } from "./schemas.ts";

export const agent = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(["active", "disabled", "creating", "importing"]),
    settings: z.record(z.string(), z.unknown()).openapi({
      description: "The agent's own settings; `GET /v1/agents/{agentId}/settings` returns the settings that apply",
    }),
    limits,
    usage,
    schemaVersion: z.int(),
    createdAt: z.string(),
  })
  .openapi("Agent");

export const changedAgent = agent.extend({ warnings }).openapi("ChangedAgent", {
  description: "An agent after a change",
});
export const agentPage = paged({ agents: z.array(agent) }).openapi("AgentPage");

const ownLimits = jsonObject.optional().openapi({ description: "Most `files`, `bytes`, `chunks` and `facts`" });

export const agentInput = z
  .strictObject({
    id: z.string(),
    name: name.optional(),
    settings: jsonObject.optional(),
    limits: ownLimits,
  })
  .openapi("AgentInput");

export const agentChange = z
  .strictObject({
    name: name.optional(),
    disabled: z.boolean().optional().openapi({ description: "A disabled agent refuses every read and write" }),
    settings: jsonObject.optional(),
    limits: ownLimits,
  })
  .refine((change) => Object.keys(change).length > 0, "must change something")
  .openapi("AgentChange", { description: "`settings` and `limits` are JSON merge patches" });

const settingShape = z
  .object({
    type: z.enum(["switch", "integer", "number", "choice", "text", "list", "texts"]).openapi({
      description: "`choice`: one of `values`; `list`: several texts; `texts`: texts by name",
    }),
    values: z
      .array(z.string())
      .optional()
      .openapi({ description: "The texts that are allowed; for a number, those that are allowed in its place" }),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    default: z.unknown().optional(),
    newIndex: z.boolean().openapi({ description: "Whether a change builds a new index" }),
    setBy: z.enum(["tenant", "operator", "file"]).openapi({
      description: "`operator`: only with the scope `admin`; `file`: only in the operator's files",
    }),
  })
  .openapi("SettingShape", { description: "The values that a setting may have, and the roles that may set it" });

export const agentSettings = z
  .object({
    settings: jsonObject,
    origins: z.record(z.string(), z.string()).openapi({
      description: "The layer of each value, by dotted path: `default`, `user`, `workspace`, `tenant` or `agent`",
    }),
    own: jsonObject.openapi({ description: "The agent's own settings" }),
    descriptions: z
      .record(z.string(), z.string())
      .openapi({ description: "The description of each setting, by dotted path" }),
    shapes: z
      .record(z.string(), settingShape)
      .openapi({ description: "The values that each setting may have, by dotted path" }),
  })
  .openapi("AgentSettings", { description: "The settings that apply to an agent" });

const progress = z
  .object({ indexed: z.int(), total: z.int() })
  .openapi("ReindexProgress", { description: "How many items are indexed so far, and how many there are" })
  .optional();

export const reindex = z
  .object({
    state: z
      .enum(["none", "building", "due"])
      .openapi({ description: "`due`: a new index is asked for, and its build has not begun yet" }),
    provider: z.string().optional(),
    model: z.string().optional(),
    files: progress,
    facts: progress,
    sessions: progress,
    pendingEmbeddings: z.int().optional(),
    startedAt: z.string().optional(),
  })
  .openapi("Reindex", { description: "A new index that is built beside the current one" });

const extraPathStatus = z
  .object({
    path: z.string(),
    pattern: z.string().optional(),
    files: z.int(),
    skipped: z.int(),
    failed: z.int(),
    lastSyncAt: z.string().nullable(),
    error: z.string().optional(),
  })
  .openapi("ExtraPathStatus", { description: "A folder of the server that belongs to an agent's memory" });

export const agentStatusBody = z
  .object({
    agentId: z.string(),
    backend: z.enum(["postgres", "pglite"]),
    provider: z.string(),
    model: z.string(),
    dimensions: z.int().nullable(),
    fallback: z
      .object({ provider: z.string(), inUse: z.boolean() })
      .nullable()
      .openapi({ description: "The provider of the setting `fallback`, and whether the index uses it" }),
    files: z.int(),
    sessions: z.int(),
    messages: z.int(),
    unindexedMessages: z.int(),
    facts: z.int().openapi({ description: "Ended facts included" }),
    chunks: z.int(),
    pendingEmbeddings: z
      .int()
      .openapi({ description: "Chunks that only keyword search finds until a job has embedded them" }),
    embeddingProblem: z
      .string()
      .optional()
      .openapi({ description: "The last error of the job that makes the pending embeddings" }),
    rejectedChunks: z
      .int()
      .openapi({ description: "Chunks that the provider refuses; only keyword search finds them" }),
    keyword: z.object({
      ready: z.boolean(),
      language: z.string().openapi({ description: "The language in which texts are stemmed, or `auto`" }),
      languages: z.array(z.string()).openapi({ description: "The languages of the texts, most frequent first" }),
      statisticsAt: z.string().nullable(),
    }),
    vector: z.object({
      ready: z.boolean(),
      index: z.enum(["none", "exact", "hnsw"]),
      unread: z
        .array(z.string())
        .openapi({ description: "Scripts that the model cannot read; only keyword search finds texts in them" }),
      problem: z.string().optional().openapi({ description: "Why questions get no vector" }),
    }),
    dirty: z.boolean().openapi({ description: "Whether an embedding or the indexing of a session is pending" }),
    settled: z.boolean().openapi({
      description:
        "Whether nothing is left to index, embed or measure. Scores and `certain` then stay the same until the next write",
    }),
    lastChangeAt: z.string().nullable(),
    lastSyncAt: z
      .string()
      .nullable()
      .openapi({ description: "When the last sync of conversations and folders of the server ended" }),
    extraPaths: z.array(extraPathStatus),
    reindex,
    jobs: jobCounts.openapi({ description: "The jobs by kind" }),
    workerAlive: z.boolean().openapi({ description: "False: jobs wait, and no worker runs them" }),
  })
  .openapi("AgentStatus");

const callKind = z.enum(["search", "recall", "capture", "read"]);

export const activityPage = paged({
  activity: z.array(
    z
      .object({
        id: z.string(),
        at: z.string(),
        actor: z.string().openapi({ description: "A key's prefix, `local` (no key) or `system`" }),
        keyName: z
          .string()
          .nullable()
          .openapi({ description: "Null when the key is deleted or belongs to another tenant" }),
        kind: callKind,
        times: z.int().openapi({ description: "How often the same happened within a few seconds" }),
        hits: z
          .int()
          .openapi({ description: "Hits, facts and quotations recalled, facts stored, or texts read, in all" }),
        failed: z.int().openapi({ description: "How many of them the service could not answer" }),
        empty: z.int().openapi({ description: "How many of them found nothing" }),
        ms: z.int().nullable().openapi({ description: "Their mean time in milliseconds; null: not measured" }),
        slowestMs: z.int().nullable(),
      })
      .openapi("ActivityEntry", {
        description: "Searches, recalls, captures or reads that one caller made within a few seconds",
      }),
  ),
}).openapi("ActivityPage");

const callSum = z
  .object({
    kind: callKind,
    times: z.int(),
    hits: z.int(),
    failed: z.int().openapi({ description: "How many of them the service could not answer" }),
    empty: z.int().openapi({ description: "How many of them found nothing" }),
    latency: z
      .union([z.object({ meanMs: z.int(), p50Ms: z.int(), p95Ms: z.int(), slowestMs: z.int() }), z.null()])
      .openapi({
        description: "Times in milliseconds, the percentiles estimated from classes; null: none was measured",
      }),
  })
  .openapi("CallSum", { description: "The calls of one kind within a time" });

export const activitySummary = z
  .object({
    from: z.string(),
    to: z.string(),
    per: z.enum(["hour", "day"]),
    buckets: z
      .array(
        callSum
          .extend({ at: z.string().openapi({ description: "The beginning of the hour or day (UTC)" }) })
          .openapi("CallsAtATime", { description: "The calls of one kind in an hour or day" }),
      )
      .openapi({ description: "Oldest first; times without a call are left out" }),
    totals: z.array(callSum).openapi({ description: "By kind, over the whole time" }),
    groups: z
      .array(
        callSum
          .extend({
            actor: z
              .string()
              .optional()
              .openapi({ description: "With `by=actor`: a key's prefix, `local` or `system`" }),
            keyName: z.string().nullable().optional(),
            agentId: z.string().optional().openapi({ description: "With `by=agent`" }),
          })
          .openapi("CallsOfOne", { description: "The calls of one kind by one caller or to one agent" }),
      )
      .openapi({ description: "By caller or agent, the busiest first; at most 200" }),
  })
  .openapi("ActivitySummary", { description: "Searches, recalls and captures of some days" });

const amounts = z
  .object({ files: z.int(), messages: z.int(), facts: z.int(), chunks: z.int() })
  .openapi("StoredAmounts", { description: "The number of stored items of each kind" });

export const growth = z
  .object({
    from: z.string(),
    to: z.string(),
    before: amounts,
    days: z.array(
      amounts
        .extend({ day: z.string() })
        .openapi("StoredThatDay", { description: "The number of items that were stored on one UTC day" }),
    ),
  })
  .openapi("Growth", {
    description:
      "The items by the UTC day on which they were stored, without empty days; `before` counts the items stored before `from`",
  });
