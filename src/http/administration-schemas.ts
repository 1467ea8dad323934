import { z } from "@hono/zod-openapi";
import { jsonObject, paged } from "./schemas.ts";

export const scope = z.enum(["admin", "tenant", "agent:read", "agent:write", "search"]);

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().openapi({ description: "The first characters of the key" }),
    scopes: z.array(scope),
    agentId: z.string().nullable().openapi({ description: "The only agent that the key reaches; null: every agent" }),
    requestsPerMinute: z.int().nullable(),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
    lastUsedAt: z.string().nullable(),
  })
  .openapi("ApiKey");

export const keyInUse = z
  .object({
    tenantId: z.string().openapi({ description: "The tenant in which the request acts" }),
    tenantName: z.string(),
    ownTenant: z
      .object({ id: z.string(), name: z.string() })
      .openapi({ description: "The key's own tenant; an operator's key may act in another tenant" }),
    keyName: z.string().nullable().openapi({ description: "null: the request has no key" }),
    prefix: z
      .string()
      .nullable()
      .openapi({ description: "The first characters of the key, as logs and changes show it; null: no key" }),
    expiresAt: z.string().nullable().openapi({ description: "When the key expires; null: never, or no key" }),
    scopes: z.array(z.string()),
    agentId: z.string().nullable().openapi({ description: "The agent that the key is bound to; null: every agent" }),
  })
  .openapi("KeyInUse", { description: "The caller: a key, its tenant and its rights" });

export const usage = z
  .object({
    files: z.int(),
    bytes: z.int(),
    chunks: z.int(),
    facts: z.int(),
    historyBytes: z.int().openapi({ description: "Bytes of earlier versions of files; `bytes` does not count them" }),
  })
  .openapi("Usage", { description: "Counters of usage" });
export const tenantUsage = z.object({ ...usage.shape, agents: z.int() });
const limited = tenantUsage.omit({ historyBytes: true }).partial();
export const limits = limited.openapi("Limits", { description: "An absent limit: the agent has none of its own" });
export const tenantLimits = limited
  .extend({
    requestsPerMinute: z.int().optional().openapi({ description: "Limit for all keys of the tenant together" }),
  })
  .openapi("TenantLimits", { description: "An absent limit: the tenant has none of its own" });

/** Settings of an OpenClaw configuration that have no effect, each with its reason. */
export const warnings = z
  .array(z.string())
  .optional()
  .openapi({ description: "Settings of an OpenClaw configuration that have no effect, and why" });

export const receipt = z
  .object({
    id: z.string(),
    agentId: z.string().openapi({ description: "Empty: the receipt of a whole tenant" }),
    erasedAt: z.string(),
    actor: z.string(),
    counts: z.record(z.string(), z.number()),
    pathHashes: z.array(z.string()).openapi({
      description:
        "SHA-256 of paths, lower-case hex, in the order of the hashes; the answer to an erasure has the first 1,000. `counts.files` is the number of all paths",
    }),
    nextCursor: z
      .string()
      .optional()
      .openapi({ description: "Cursor for the next page of hashes, at `GET /v1/erasures/{receiptId}`" }),
  })
  .openapi("ErasureReceipt", { description: "The record that an agent was erased, with the counts of its content" });

export const jobState = z.enum(["waiting", "active", "retry", "completed", "cancelled", "failed"]);

export const job = z
  .object({
    id: z.string(),
    kind: z.string(),
    state: jobState,
    agentId: z.string().nullable(),
    retryCount: z.int(),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    endedAt: z.string().nullable(),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .openapi({ description: "The error of the last try" }),
  })
  .openapi("Job");

const counts = z
  .object({ waiting: z.int(), active: z.int(), failed: z.int() })
  .openapi("JobCounts", { description: "The number of jobs of one kind" });
export const jobCounts = z.record(z.string(), counts);

export const tenant = z
  .object({
    id: z.string(),
    name: z.string(),
    settings: z.record(z.string(), z.unknown()),
    limits: tenantLimits,
    disabled: z.boolean(),
    createdAt: z.string(),
  })
  .openapi("Tenant");

export const tenantReceipt = z
  .object({
    removed: z.literal(true),
    receiptId: z.string().openapi({ description: "The receipt at `GET /v1/erasures/{receiptId}`" }),
    tenantId: z.string(),
    tenantName: z.string(),
    removedAt: z.string(),
    actor: z.string(),
    counts: z
      .object({
        agents: z.int().openapi({ description: "Agents that were erased before; each has a receipt" }),
        keys: z.int(),
        bindings: z.int(),
        answers: z.int().openapi({ description: "Answers to requests with an idempotency key" }),
      })
      .openapi({ description: "The amounts that were deleted" }),
    left: z
      .object({ auditEntries: z.int(), receipts: z.int(), usageRows: z.int() })
      .openapi({ description: "The tenant's rows that stay in the database: they have no texts" }),
  })
  .openapi("TenantReceipt", { description: "The record that a tenant was removed" });

export const tenantPage = paged({ tenants: z.array(tenant) }).openapi("TenantPage");

export const auditEntry = z
  .object({
    id: z.string(),
    at: z.string(),
    actor: z.string().openapi({ description: "A key's prefix, `local` (no key) or `system`" }),
    action: z.string().openapi({ example: "key.create" }),
    target: z.string(),
    details: jsonObject,
  })
  .openapi("AuditEntry", { description: "An administrative action" });

export const auditPage = paged({ entries: z.array(auditEntry) }).openapi("AuditPage");

const asked = z.object({ requests: z.int(), texts: z.int(), tokens: z.int() });

const usageEntry = asked
  .extend({
    day: z.string(),
    agentId: z.string().openapi({ description: "Empty: all erased agents" }),
    provider: z.string(),
    model: z.string(),
    kind: z.enum(["document", "query"]),
    costNanoUsd: z
      .int()
      .nullable()
      .openapi({ description: "Billionths of a US dollar at that day's price; null: the model's price is unknown" }),
  })
  .openapi("EmbeddingUsageEntry", { description: "An agent's requests to one model on one UTC day" });

export const embeddingUsage = paged({
  from: z.string(),
  to: z.string(),
  totals: asked
    .extend({
      costNanoUsd: z.int(),
      unpricedTokens: z
        .int()
        .openapi({ description: "Tokens of models without a known price, which the cost leaves out" }),
    })
    .openapi({ description: "Over all pages" }),
  entries: z.array(usageEntry),
}).openapi("EmbeddingUsage", { description: "The requests to embedding providers" });

export const finding = z
  .object({
    check: z.string(),
    state: z.enum(["ok", "warning", "failed"]),
    message: z.string(),
    remedy: z.string().optional(),
    reason: z.enum(["slow", "limit", "outage"]).optional().openapi({
      description:
        "Why a failed check may pass by itself in a moment: no answer in time, the provider's limit of requests, or its outage",
    }),
    at: z.string().optional().openapi({
      description: "When the check was made, if its result is kept for ten seconds. Without it, the check was made now",
    }),
    ageSeconds: z.int().optional().openapi({ description: "The age of a kept result; absent for one of this request" }),
  })
  .openapi("Finding", { description: "The result of one check of the doctor" });

export const findings = z.object({ findings: z.array(finding) }).openapi("Findings");

export const imported = z
  .object({
    id: z.string(),
    files: z.int(),
    sessions: z.int(),
    messages: z.int(),
    facts: z.int(),
    vectors: z.int().openapi({ description: "Embeddings in the archive" }),
    vectorsUsed: z
      .boolean()
      .openapi({ description: "False: they are of another model, and the texts are embedded anew" }),
    pendingEmbeddings: z.int(),
  })
  .openapi("ImportedAgent");

const bytes = z.number().int().openapi({ description: "Bytes" });

export const storage = z
  .object({
    measuredAt: z.string(),
    agents: z.array(
      z
        .object({
          tenantId: z.string(),
          tenantName: z.string(),
          agentId: z.string(),
          bytes: bytes.openapi({ description: "The agent's schema, without its cached embeddings" }),
          parts: z
            .object({ files: bytes, conversations: bytes, facts: bytes, history: bytes, index: bytes })
            .openapi({ description: "Tables with their indexes; `history` has former texts and snapshots" }),
          deadRows: z.int(),
          deadBytes: bytes.openapi({ description: "A part of `bytes`, estimated" }),
          cachedVectors: z.int(),
          cacheBytes: bytes.openapi({ description: "Estimated; in the tables of the service, not of the agent" }),
        })
        .openapi("AgentStorage", { description: "The disk space of one agent" }),
    ),
    otherAgents: z.int().openapi({ description: "Agents that were not measured" }),
    snapshots: z
      .object({ snapshots: z.int(), oldestAt: z.string().nullable(), versions: z.int(), bytes })
      .optional()
      .openapi({ description: "With `agentId`: the former texts that its snapshots keep" }),
    server: z
      .object({
        databaseBytes: bytes.openapi({ description: "The whole database; on a cluster the coordinator's part" }),
        cacheBytes: bytes.openapi({ description: "Cached embeddings of all tenants" }),
        controlBytes: bytes.openapi({ description: "Tenants, keys, usage, audit log, receipts" }),
        jobsBytes: bytes,
        spareSchemas: z.int().openapi({ description: "Schemas that are made ahead for future agents" }),
        spareBytes: bytes,
        heldLogBytes: bytes.nullable().openapi({
          description: "The write-ahead log that a replication slot holds back; null: the server is a standby",
        }),
      })
      .optional()
      .openapi({ description: "With `server`: the sizes that belong to no agent" }),
  })
  .openapi("StorageUsage", { description: "Disk space" });
