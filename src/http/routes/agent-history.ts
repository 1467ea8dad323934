import { z } from "@hono/zod-openapi";
import { readActivity } from "../../service/admin/read-activity.ts";
import { readGrowth } from "../../service/admin/read-growth.ts";
import { activityPage, growth } from "../agent-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

const growthQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(400).default(90) });

const route = routesOf("Agents");

/** The activity in an agent's memory, and its growth. */
export const agentHistoryRoutes = [
  route("GET /v1/agents/{agentId}/activity", {
    operationId: "agentsActivity",
    summary: "Who searched, recalled and captured, newest first",
    scope: "agent:read",
    query: pageQuery,
    answer: json(activityPage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => readActivity(deps, caller, params.agentId, query),
  }),
  route("GET /v1/agents/{agentId}/growth", {
    operationId: "agentsGrowth",
    summary: "What the agent knows by the day on which it was stored",
    scope: "agent:read",
    query: growthQuery,
    answer: json(growth, "UTC days; those without anything are left out"),
    run: (deps, caller, { params, query }) => readGrowth(deps, caller, params.agentId, query.days),
  }),
];
