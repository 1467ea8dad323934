import { z } from "@hono/zod-openapi";
import { readEmbeddingUsage } from "../../service/admin/read-embedding-usage.ts";
import { embeddingUsage } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

/** A UTC day of this century; no provider was used before it. */
const day = z.iso.date().refine((text) => text >= "2000-01-01", "must be 2000-01-01 or later");

const query = pageQuery.extend({
  from: day.optional(),
  to: day.optional(),
  agentId: z.string().max(63).optional(),
});

const route = routesOf("Administration");

export const usageRoutes = [
  route("GET /v1/usage/embeddings", {
    operationId: "usageEmbeddings",
    summary: "Usage of embedding providers by agent and day, with tokens and cost",
    scope: "tenant",
    query,
    answer: json(embeddingUsage, "One page, and the totals of all pages"),
    run: (deps, caller, { query }) => readEmbeddingUsage(deps, caller, query),
  }),
];
