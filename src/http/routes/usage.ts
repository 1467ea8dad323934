import { z } from "@hono/zod-openapi";
import { readEmbeddingUsage } from "../../service/admin/read-embedding-usage.ts";
import { embeddingUsage } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

/** A UTC day of this century; no provider was used before it. */
const day = z.iso.date().refine((text) => text >= "2000-01-01", "must be 2000-01-01 or later");

const query = pageQuery.extend({
  from: day.optional().openapi({ description: "The first UTC day" }),
  to: day.optional().openapi({ description: "The last UTC day; default: today" }),
  agentId: z.string().max(63).optional(),
});

const route = routesOf("Administration");

export const usageRoutes = [
  route("GET /v1/usage/embeddings", {
    operationId: "usageEmbeddings",
    summary: "Usage of embedding providers by agent and day, with tokens and cost",
    description:
      "Covers the last 30 days by default, at most 400. Queries of the last seconds before a crash may be missing. " +
      "Tokens are the provider's count, or an estimate.",
    scope: "tenant",
    query,
    answer: json(embeddingUsage, "One page, and the totals of all pages"),
    run: (deps, caller, { query }) => readEmbeddingUsage(deps, caller, query),
  }),
];
