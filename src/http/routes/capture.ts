import { captureTurn } from "../../service/facts/capture-turn.ts";
import { captured, captureInput, MAX_TURN_VALUES } from "../fact-schemas.ts";
import { routesOf } from "../route.ts";
import { json } from "../schemas.ts";

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
