import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { readMap } from "./read-map.ts";

const mapQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(5000)
    .default(5000)
    .openapi({ description: "Most points; fewer for a small map" }),
});

const point = z
  .object({
    x: z.number().openapi({ description: "From -1 to 1" }),
    y: z.number().openapi({ description: "From -1 to 1" }),
    kind: z.enum(["file", "session", "fact"]),
    path: z.string().openapi({ description: "The path of the file, session or fact" }),
    startLine: z.int().optional().openapi({ description: "The first line of the passage in its file or session" }),
    title: z.string().openapi({ description: "At most 80 characters" }),
    at: z.string().nullable().openapi({ description: "When it was stored, said or changed" }),
    subject: z.string().optional().openapi({ description: "The subject of a fact" }),
    user: z.string().optional().openapi({ description: "The user of the scope" }),
    importance: z.number().optional().openapi({ description: "The importance of a fact" }),
  })
  .openapi("MapPoint", { description: "A passage or fact on the map" });

const memoryMap = z
  .object({
    state: z.enum(["none", "due", "ready"]).openapi({
      description: "`none`: nothing is embedded. `due`: a job makes a map, or a newer one than these points",
    }),
    madeAt: z.string().nullable(),
    chunks: z.int().openapi({ description: "How many passages and facts the index has now" }),
    points: z.array(point),
  })
  .openapi("MemoryMap", { description: "Passages and facts on a plane, near each other if they mean similar things" });

const route = routesOf("Agents");

export const mapRoutes = [
  route("GET /v1/agents/{agentId}/map", {
    operationId: "agentsMap",
    summary: "A map of the memory: passages and facts as points on a plane",
    description:
      "A job makes the map from the embeddings of at most 5,000 passages and facts, when it is first read and again when the " +
      "index has changed by a tenth. The same memory has the same map.",
    scope: "agent:read",
    query: mapQuery,
    answer: json(memoryMap, "The points, in the order in which they were stored"),
    run: (deps, caller, { params, query }) => readMap(deps, caller, params.agentId, query.limit),
  }),
];
