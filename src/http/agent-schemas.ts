import { z } from "@hono/zod-openapi";
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
    lastChangeAt: z.string().nullable(),
    lastSyncAt: z
      .string()
      .nullable()
      .openapi({ description: "When the last sync of conversations and folders of the server ended" }),
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
    workerAlive: z.boolean().openapi({ description: "False: jobs wait, and no worker runs them" }),
  })
  .openapi("AgentStatus");

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
        kind: z.enum(["search", "recall", "capture"]),
        times: z.int().openapi({ description: "How often the same happened within a few seconds" }),
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
    before: amounts.openapi({ description: "The amounts stored before `from`" }),
    days: z.array(amounts.extend({ day: z.string() })),
  })
  .openapi("Growth");
