import { z } from "@hono/zod-openapi";
import { instant } from "../service/core/instant.ts";
import { factId } from "../service/facts/fact-schemas.ts";
import { originName } from "../service/files/origin-name.ts";

/** Most characters of one file; the CLI's own default is lower. */
export const MAX_FILE_CHARS = 4_000_000;
/** Most entries of one batch. */
export const MAX_BATCH = 100;
/** Most bytes of a body without files. */
export const MAX_SMALL_BODY_BYTES = 262_144;
/** Most bytes of a body with files. */
export const MAX_BODY_BYTES = 8_000_000;
/** Where archives are sent to, the one body that is no JSON, and what they are. */
export const ARCHIVE_PATH = "/v1/archives";
export const ARCHIVE_TYPE = "application/gzip";
/** Most messages of one request. */
export const MAX_MESSAGES = 500;

export const agentParam = z.object({
  agentId: z.string().openapi({ param: { in: "path", name: "agentId" }, example: "main" }),
});

export const fileParam = agentParam.extend({
  path: z.string().openapi({ param: { in: "path", name: "path" }, example: "memory/2026-05-18.md" }),
});

/** Plain zod, made before this edge's zod gives schemas their `openapi`, so it is taken as it is. */
export const factParam = agentParam.extend({ factId });

export const sessionParam = agentParam.extend({
  session: z.string().openapi({ param: { in: "path", name: "session" }, example: "slack:C042" }),
});

const details = z.record(z.string(), z.unknown()).optional();

/** A problem of RFC 9457, with our code beside it. */
export const errorBody = z
  .object({
    type: z.string().openapi({ example: "urn:recollect:error:file_not_found" }),
    title: z.string().openapi({ example: "File not found" }),
    status: z.int().openapi({ example: 404 }),
    detail: z.string().openapi({ description: "What happened, and what to do about it" }),
    instance: z.string().openapi({ example: "urn:recollect:request:0d9c…" }),
    code: z.string().openapi({ description: "Stable", example: "file_not_found" }),
    requestId: z.string(),
    details,
    error: z
      .object({ code: z.string(), message: z.string(), requestId: z.string(), details })
      .openapi({ description: "The same in an older form" }),
  })
  .openapi("Error");

export const fileBody = z
  .strictObject({
    content: z.string().max(MAX_FILE_CHARS),
    /** When the file was last changed, as its author's file system says; the time of the request when absent. */
    mtime: instant.optional(),
  })
  .openapi("FileInput");

export const filesInput = z
  .strictObject({
    put: z
      .array(fileBody.extend({ path: z.string() }))
      .max(MAX_BATCH)
      .default([]),
    delete: z.array(z.string()).max(MAX_BATCH).default([]),
    /** Of one folder that is synced: only what it has sent is changed and deleted, unless put to take it over. */
    origin: originName.optional(),
    takeOver: z.boolean().default(false),
  })
  .openapi("FilesInput");

export const writtenFile = z
  .object({
    path: z.string(),
    hash: z.string(),
    status: z.enum(["created", "updated", "unchanged"]),
    chunks: z.int(),
    pendingEmbeddings: z.int(),
  })
  .openapi("WrittenFile");

export const writtenFiles = z
  .object({ files: z.array(writtenFile), deleted: z.array(z.string()) })
  .openapi("WrittenFiles");

export const fileSummary = z
  .object({
    path: z.string(),
    hash: z.string(),
    size: z.int(),
    lines: z.int(),
    mtime: z.string(),
    origin: z.string().nullable().openapi({ description: "Which folder that is synced sent it as it is" }),
  })
  .openapi("FileSummary");

export const file = fileSummary.extend({ content: z.string() }).openapi("File");

export const filePage = z
  .object({
    files: z.array(fileSummary.extend({ chunks: z.int() }).openapi("ListedFile")),
    nextCursor: z.string().optional(),
  })
  .openapi("FilePage");

export const messageRole = z.enum(["user", "assistant", "system", "tool"]);

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

const usage = z.object({ files: z.int(), bytes: z.int(), chunks: z.int(), facts: z.int() });
export const tenantUsage = usage.extend({ agents: z.int() });
export const limits = tenantUsage.partial();

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

export const binding = z
  .object({
    agentId: z.string(),
    match: z.object({
      channel: z.string().optional(),
      accountId: z.string().optional(),
      peer: z.object({ kind: z.string(), id: z.string() }).optional(),
    }),
  })
  .openapi("Binding");
export const bindingList = z.object({ bindings: z.array(binding), inherited: z.array(binding) });

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

export const jobParam = z.object({ jobId: z.uuid().openapi({ param: { in: "path", name: "jobId" } }) });

export const jobCounts = z.record(z.string(), z.object({ waiting: z.int(), active: z.int(), failed: z.int() }));

/** An agent's status. */
export const agentStatusBody = z
  .object({
    agentId: z.string(),
    backend: z.enum(["postgres", "pglite"]),
    provider: z.string(),
    model: z.string(),
    dimensions: z.int().nullable(),
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
    vector: z.object({ ready: z.boolean(), index: z.enum(["none", "exact", "hnsw"]), unread: z.array(z.string()) }),
    dirty: z.boolean(),
    lastChangeAt: z.string().nullable(),
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
  })
  .openapi("AgentStatus");

/** The responses every route can give besides its own. */
const problem = { "application/problem+json": { schema: errorBody } };
export const errorResponses = {
  "4XX": { description: "The request cannot be carried out: see `code`", content: problem },
  "5XX": { description: "The service cannot carry it out just now: see `code`", content: problem },
} as const;

/** Who asks. */
export const keyInUse = z
  .object({ tenantId: z.string(), scopes: z.array(z.string()), agentId: z.string().nullable() })
  .openapi("KeyInUse");

/** The scope a route needs, for the reference; the use case is what enforces it. */
export function needs(scope: "admin" | "tenant" | "agent:read" | "agent:write" | "search") {
  return { security: [{ apiKey: [scope] }] };
}

export const name = z.string().trim().min(1).max(200);
/** A JSON object whose keys the domain checks, naming each bad one by its path. */
export const jsonObject = z.record(z.string(), z.unknown());
export const instantText = z.string();
export const pageQuery = z.strictObject({
  cursor: z.string().max(512).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** A schema of the use cases under a name of the reference; their zod does not know `openapi`, a copy made here does. */
export function named<T extends z.ZodType>(schema: T, name: string): T {
  return (schema.clone() as T).openapi(name);
}

/** A JSON response or request body. */
export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { "application/json": { schema } } };
}
