import { readActivity } from "../../service/admin/read-activity.ts";
import { activityPage } from "../agent-schemas.ts";
import { routesOf } from "../route.ts";
import { json, pageQuery } from "../schemas.ts";

const route = routesOf("Agents");

export const activityRoutes = [
  route("GET /v1/agents/{agentId}/activity", {
    operationId: "agentsActivity",
    summary: "Who searched, recalled and captured, newest first",
    scope: "agent:read",
    query: pageQuery,
    answer: json(activityPage, "One page; pass `nextCursor` as `cursor` for the next"),
    run: (deps, caller, { params, query }) => readActivity(deps, caller, params.agentId, query),
  }),
];
