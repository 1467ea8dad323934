import { createRoute, z } from "@hono/zod-openapi";
import { searchMemory } from "../../service/search-memory.ts";
import type { App, HttpDeps } from "../context.ts";
import { agentParam, errorResponses, json, MAX_QUERY_CHARS, MAX_RESULTS, needs } from "../schemas.ts";

/** What a search is asked. */
export const searchBody = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY_CHARS)
    .refine((text) => text.trim() !== "", "must not be empty"),
  maxResults: z.int().min(1).max(MAX_RESULTS).optional(),
  minScore: z.number().min(0).max(1).optional(),
  corpus: z.enum(["memory", "sessions", "all"]).optional(),
  after: z.iso.date().optional().openapi({ description: "Only what is from this day on" }),
  before: z.iso.date().optional().openapi({ description: "Only what is from before this day" }),
  paths: z
    .array(z.string().min(1).max(1024))
    .min(1)
    .max(20)
    .optional()
    .openapi({ description: "Only these paths; `*` stands for any characters, a folder ends with `/`" }),
  includeText: z.boolean().optional().openapi({ description: "Each hit with its whole text" }),
  explain: z.boolean().optional().openapi({ description: "Each hit with what put it there, and both arms' lists" }),
});

const place = z.object({ rank: z.int(), score: z.number() });
/** Why a hit is where it is. */
export const explanation = z.object({
  keyword: place.optional(),
  vector: place.optional(),
  textScore: z.number().optional(),
  vectorScore: z.number().optional(),
  fusedScore: z.number(),
  decay: z.number(),
  importance: z.number().optional(),
  named: z.boolean(),
  rerankScore: z.number().optional(),
  rankedAt: z.int(),
  joined: z.boolean(),
});
const lines = { path: z.string(), startLine: z.int(), endLine: z.int() };
const armEntry = z.object({ ...lines, score: z.number() });
/** What a search did. */
export const searchDebug = z.object({
  fusion: z.object({ mode: z.string(), rule: z.string(), vectorWeight: z.number(), textWeight: z.number() }),
  minScore: z.number(),
  limit: z.int(),
  arms: z.object({ keyword: z.array(armEntry), vector: z.array(armEntry) }),
  leftOut: z.array(
    z.union([
      z.object({ ...lines, stage: z.literal("floor"), score: z.number() }),
      z.object({ ...lines, stage: z.literal("duplicate"), of: z.string() }),
    ]),
  ),
});

const hit = z.object({
  path: z.string(),
  startLine: z.int(),
  endLine: z.int(),
  score: z.number(),
  vectorScore: z.number().optional(),
  textScore: z.number().optional(),
  snippet: z.string().max(700),
  text: z.string().optional(),
  source: z.enum(["memory", "sessions"]),
  citation: z.string().optional(),
  session: z
    .object({
      key: z.string(),
      messages: z.object({ from: z.int(), to: z.int() }),
      roles: z.array(z.string()),
      from: z.string(),
      to: z.string(),
    })
    .optional(),
  explain: explanation.optional(),
});

const answer = z.object({
  results: z.array(hit),
  provider: z.string(),
  model: z.string(),
  citations: z.enum(["auto", "on", "off"]),
  mode: z.enum(["hybrid", "keyword", "vector"]),
  warning: z.string().optional(),
  debug: searchDebug.optional(),
});

const unavailable = z.object({
  results: z.array(hit).max(0),
  disabled: z.literal(true),
  unavailable: z.literal(true),
  error: z.string(),
  warning: z.string(),
  action: z.string(),
});

const route = createRoute({
  method: "post",
  path: "/v1/agents/{agentId}/tools/memory_search",
  summary: "Search an agent's memory",
  ...needs("search"),
  request: { params: agentParam, body: { required: true, ...json(searchBody, "What to look for") } },
  responses: { 200: json(z.union([answer, unavailable]), "Hits, best first"), ...errorResponses },
});

/** POST the tool `memory_search`. */
export function registerMemorySearch(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const { agentId } = c.req.valid("param");
    return c.json(await searchMemory(service, c.get("caller"), agentId, c.req.valid("json")), 200);
  });
}
