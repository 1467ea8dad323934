import { z } from "@hono/zod-openapi";
import type { Config } from "../../config/config.ts";
import { findings } from "../../http/administration-schemas.ts";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { diagnoseService } from "./diagnose-service.ts";

const route = routesOf("Health");

/** Returns the route of the doctor, which also examines the configuration of its process. */
export const doctorRoutes = (config: Config) => [
  route("GET /v1/doctor", {
    operationId: "doctorGet",
    summary:
      "Find problems and their remedies: of the service for the operator, else of an agent and the caller's jobs",
    description:
      "Each finding says what is wrong and what to do about it. Nothing is changed. A finding with a time `at` may be ten seconds old.",
    scope: "any",
    query: z.strictObject({
      agent: z.string().max(64).optional().openapi({ description: "Default: the agent of the key, else `main`" }),
    }),
    answer: json(findings, "What each check found"),
    run: async (deps, caller, { query }) => ({ findings: await diagnoseService(deps, config, caller, query.agent) }),
  }),
];
