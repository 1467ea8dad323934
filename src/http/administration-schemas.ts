import { z } from "@hono/zod-openapi";

export const scope = z.enum(["admin", "tenant", "agent:read", "agent:write", "search"]);

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    scopes: z.array(scope),
    agentId: z.string().nullable(),
    requestsPerMinute: z.int().nullable(),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
    lastUsedAt: z.string().nullable(),
  })
  .openapi("ApiKey");

/** Who asks. */
export const keyInUse = z
  .object({ tenantId: z.string(), scopes: z.array(z.string()), agentId: z.string().nullable() })
  .openapi("KeyInUse");

export const usage = z.object({ files: z.int(), bytes: z.int(), chunks: z.int(), facts: z.int() });
export const tenantUsage = usage.extend({ agents: z.int() });
export const limits = tenantUsage.partial();

/** Settings of an OpenClaw configuration that have no effect, each with the reason. */
export const warnings = z
  .array(z.string())
  .optional()
  .openapi({ description: "Settings of an OpenClaw configuration that have no effect, and why" });

export const receipt = z
  .object({
    id: z.string(),
    agentId: z.string(),
    erasedAt: z.string(),
    actor: z.string(),
    counts: z.record(z.string(), z.number()),
    pathHashes: z.array(z.string()),
  })
  .openapi("ErasureReceipt");

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
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .openapi("Job");

export const jobCounts = z.record(z.string(), z.object({ waiting: z.int(), active: z.int(), failed: z.int() }));

export const tenant = z
  .object({
    id: z.string(),
    name: z.string(),
    settings: z.record(z.string(), z.unknown()),
    limits,
    disabled: z.boolean(),
    createdAt: z.string(),
  })
  .openapi("Tenant");
