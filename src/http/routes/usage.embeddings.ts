import { createRoute, z } from "@hono/zod-openapi";
import { readEmbeddingUsage } from "../../service/embedding/embedding-usage.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json, needs, pageQuery } from "../schemas.ts";

const asked = z.object({ requests: z.int(), texts: z.int(), tokens: z.int() });

const entry = asked.extend({
  day: z.string(),
  agentId: z.string(),
  provider: z.string(),
  model: z.string(),
  kind: z.enum(["document", "query"]),
  costNanoUsd: z.int().nullable(),
});

const report = z.object({
  from: z.string(),
  to: z.string(),
  totals: asked.extend({ costNanoUsd: z.int(), unpricedTokens: z.int() }),
  entries: z.array(entry),
  nextCursor: z.string().optional(),
});

/** A UTC day; before this century nothing was asked of anyone. */
const day = z.iso.date().refine((text) => text >= "2000-01-01", "must be 2000-01-01 or later");

const route = createRoute({
  method: "get",
  path: "/v1/usage/embeddings",
  operationId: "usageEmbeddings",
  tags: ["Administration"],
  summary: "What the tenant's agents asked of embedding providers, by agent and day, with tokens and cost",
  ...needs("tenant"),
  request: {
    query: pageQuery.extend({
      from: day.optional(),
      to: day.optional(),
      agentId: z.string().max(63).optional(),
    }),
  },
  responses: { 200: json(report, "One page, and the sums of all"), ...errorResponses },
});

/** GET the usage of embedding providers. */
export function registerUsageEmbeddings(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) =>
    c.json(await readEmbeddingUsage(service, c.get("caller"), c.req.valid("query")), 200),
  );
}
