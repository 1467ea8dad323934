import { z } from "@hono/zod-openapi";
import { findings } from "../../http/administration-schemas.ts";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { diagnoseService } from "./diagnose-service.ts";

const route = routesOf("Health");

export const doctorRoutes = [
  route("GET /v1/doctor", {
    operationId: "doctorGet",
    summary:
      "Find problems and their remedies: of the service for the operator, else of an agent and the caller's jobs",
    description: "Each finding says what is wrong and what to do about it. Nothing is changed.",
    scope: "any",
    query: z.strictObject({
      agent: z.string().max(64).optional().openapi({ description: "Default: the agent of the key, else `main`" }),
    }),
    answer: json(findings, "What each check found"),
    run: async (deps, caller, { query }) => ({ findings: await diagnoseService(deps, caller, query.agent) }),
  }),
];
