import { z } from "@hono/zod-openapi";
import { readEmbeddingUsage } from "../../service/admin/read-embedding-usage.ts";
import { readStorage } from "../../service/admin/read-storage.ts";
import { embeddingUsage, storage } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

/** A UTC day of this century; no provider was used before it. */
const day = z.iso.date().refine((text) => text >= "2000-01-01", "must be 2000-01-01 or later");

const query = pageQuery.extend({
  from: day.optional().openapi({ description: "The first UTC day" }),
  to: day.optional().openapi({ description: "The last UTC day; default: today" }),
  agentId: z.string().max(63).optional(),
});

const storageQuery = z.object({
  agentId: z
    .string()
    .max(63)
    .optional()
    .openapi({ description: "Only this agent, with the former texts that its snapshots keep" }),
  server: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true")
    .openapi({
      description: "The largest agents of all tenants, and the sizes that belong to no agent; needs the scope `admin`",
    }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .openapi({ description: "The number of agents to measure" }),
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
  route("GET /v1/usage/storage", {
    operationId: "usageStorage",
    summary: "Disk space of the largest agents: texts, history, index, cache and dead rows",
    description:
      "Measures the tables of at most `limit` agents. The agents are chosen by their counters, with `server` by the " +
      "sizes that Postgres noted at the last vacuum. Dead rows are Postgres's estimate.",
    scope: "tenant",
    tenantHeader: "optional",
    query: storageQuery,
    answer: json(storage, "The largest agents first"),
    run: (deps, caller, { query }) => readStorage(deps, caller, query),
  }),
];
