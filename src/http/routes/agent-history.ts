import { z } from "@hono/zod-openapi";
import { readActivity, summariseActivity, summariseTenantActivity } from "../../service/admin/read-activity.ts";
import { readGrowth } from "../../service/admin/read-growth.ts";
import { activityPage, activitySummary, growth } from "../agent-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

const growthQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(400).default(90).openapi({ description: "How many days, with today" }),
});

const summaryQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(90).default(30).openapi({ description: "How many UTC days, with today" }),
  per: z.enum(["hour", "day"]).default("day"),
});
const ofAgent = summaryQuery.extend({ by: z.enum(["none", "actor"]).default("none") });
const ofTenant = summaryQuery.extend({ by: z.enum(["none", "actor", "agent"]).default("agent") });

const route = routesOf("Agents");

/** The activity in an agent's memory, and its growth. */
export const agentHistoryRoutes = [
  route("GET /v1/agents/{agentId}/activity", {
    operationId: "agentsActivity",
    summary: "Who searched, recalled and captured, newest first",
    description:
      "An entry sums up what one key did within a few seconds, and how long it took, without any text. An agent keeps about its newest 2,000 " +
      "entries, for 30 days.",
    scope: "agent:read",
    query: pageQuery,
    answer: json(activityPage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => readActivity(deps, caller, params.agentId, query),
  }),
  route("GET /v1/agents/{agentId}/activity/summary", {
    operationId: "agentsActivitySummary",
    summary:
      "How often an agent's memory was used by the hour or day, how fast it answered, and how often it found nothing",
    description: "The sums are kept for 90 days. They appear within five seconds.",
    scope: "agent:read",
    query: ofAgent,
    answer: json(activitySummary, "By time, in all, and by caller if requested"),
    run: (deps, caller, { params, query }) => summariseActivity(deps, caller, params.agentId, query),
  }),
  route("GET /v1/activity/summary", {
    operationId: "activitySummary",
    summary: "How often the memories of a tenant's agents were used, by the hour or day, agent or caller",
    description: "The same sums as those of an agent, over all agents of the tenant.",
    scope: "tenant",
    query: ofTenant,
    answer: json(activitySummary, "By time, in all, and by agent or caller"),
    run: (deps, caller, { query }) => summariseTenantActivity(deps, caller, query),
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
