import { z } from "@hono/zod-openapi";
import { readActivity } from "../../service/admin/read-activity.ts";
import { readGrowth } from "../../service/admin/read-growth.ts";
import { activityPage, growth } from "../agent-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

const growthQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(400).default(90).openapi({ description: "How many days, with today" }),
});

const route = routesOf("Agents");

/** The activity in an agent's memory, and its growth. */
export const agentHistoryRoutes = [
  route("GET /v1/agents/{agentId}/activity", {
    operationId: "agentsActivity",
    summary: "Who searched, recalled and captured, newest first",
    description:
      "An entry sums up what one key did within a few seconds, without any text. An agent keeps about its newest 2,000 " +
      "entries, for 30 days.",
    scope: "agent:read",
    query: pageQuery,
    answer: json(activityPage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => readActivity(deps, caller, params.agentId, query),
  }),
  route("GET /v1/agents/{agentId}/growth", {
    operationId: "agentsGrowth",
    summary: "What the agent knows by the day on which it was stored",
    description: "Counts what is in the memory now. A chunk counts on the day of its file, conversation or fact.",
    scope: "agent:read",
    query: growthQuery,
    answer: json(growth, "UTC days; days without changes are left out"),
    run: (deps, caller, { params, query }) => readGrowth(deps, caller, params.agentId, query.days),
  }),
];
