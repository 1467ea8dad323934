import { captured, captureInput, MAX_TURN_VALUES } from "../../http/fact-schemas.ts";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { captureTurn } from "./capture-turn.ts";

const route = routesOf("Facts");

export const captureRoutes = [
  route("POST /v1/agents/{agentId}/capture", {
    operationId: "capture",
    summary: "Store users' statements about themselves, their wishes and decisions",
    description: "The messages themselves are not stored. Appending to a session captures facts too.",
    scope: "agent:write",
    body: json(captureInput, "The turn's messages, in order"),
    bodyValues: MAX_TURN_VALUES,
    answer: json(captured, "The captured facts, and how each was stored"),
    run: (deps, caller, { params, body }) => captureTurn(deps, caller, params.agentId, body),
  }),
];
