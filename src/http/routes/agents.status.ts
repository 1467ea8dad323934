import { createRoute, z } from "@hono/zod-openapi";
import { agentStatus } from "../../service/agent-status.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, jobCounts, json, needs, reindex } from "../schemas.ts";

const status = z.object({
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
  keyword: z.object({ ready: z.boolean(), language: z.string(), statisticsAt: z.string().nullable() }),
  vector: z.object({ ready: z.boolean(), index: z.enum(["none", "exact", "hnsw"]) }),
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
});

const route = createRoute({
  method: "get",
  path: "/v1/agents/{agentId}/status",
  summary: "What an agent's memory is made of, and what is under way",
  ...needs("agent:read"),
  request: { params: agentParam },
  responses: { 200: json(status, "The status"), ...errorResponses },
});

/** GET an agent's status. */
export function registerAgentsStatus(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await agentStatus(service, c.get("caller"), agentId), 200);
  });
}
