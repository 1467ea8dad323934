import { createRoute, z } from "@hono/zod-openapi";
import { diagnoseService } from "../../service/doctor/diagnose-service.ts";
import type { App, HttpDeps } from "../context.ts";
import { errorResponses, json } from "../schemas.ts";

const finding = z
  .object({
    check: z.string(),
    state: z.enum(["ok", "warning", "failed"]),
    message: z.string(),
    remedy: z.string().optional(),
  })
  .openapi("Finding");

const route = createRoute({
  method: "get",
  path: "/v1/doctor",
  operationId: "doctorGet",
  tags: ["Health"],
  summary: "What is wrong and what to do: with the service for the operator, else with an agent and the caller's jobs",
  security: [{ apiKey: [] }],
  request: { query: z.strictObject({ agent: z.string().max(64).optional() }) },
  responses: { 200: json(z.object({ findings: z.array(finding) }), "What each check found"), ...errorResponses },
});

/** GET what is wrong. */
export function registerDoctorGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => {
    const findings = await diagnoseService(service, c.get("caller"), c.req.valid("query").agent);
    return c.json({ findings }, 200);
  });
}
