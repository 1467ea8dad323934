import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { memorySearchTool } from "../../service/tools/tool-table.ts";
import { missed } from "./schemas.ts";
import { whyNot } from "./why-not.ts";

const missedSearch = memorySearchTool.input.omit({ explain: true, includeText: true, sessionKey: true }).extend({
  path: z.string().min(1).max(1024).openapi({ description: "The path that was expected, of a file, session or fact" }),
});

const route = routesOf("Tools");

export const whyNotRoutes = [
  route("POST /v1/agents/{agentId}/why-not", {
    operationId: "toolsWhyNot",
    summary: "Explain why a search does not show a file, session or fact",
    description: "It runs the search, and looks at the first 100 chunks of the path.",
    scope: "search",
    body: json(missedSearch, "The search, and the expected path"),
    answer: json(missed, "The stage at which each chunk was left out"),
    run: (deps, caller, { params, body }) => whyNot(deps, caller, params.agentId, body),
  }),
];
