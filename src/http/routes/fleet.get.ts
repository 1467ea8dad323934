import { createRoute } from "@hono/zod-openapi";
import { fleetStatus } from "../../service/admin/migrate-fleet.ts";
import type { App, HttpDeps } from "../context.ts";
import { fleet } from "../fleet-schemas.ts";
import { errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "get",
  path: "/v1/fleet",
  operationId: "fleetGet",
  tags: ["Administration"],
  summary: "Schema versions of all agents, and those whose migration failed",
  ...needs("admin"),
  responses: { 200: json(fleet, "How far the migration is"), ...errorResponses },
});

/** GET the state of the fleet's migration. */
export function registerFleetGet(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await fleetStatus(service, c.get("caller")), 200));
}
