import { createRoute, z } from "@hono/zod-openapi";
import { startFleetMigration } from "../../service/admin/migrate-fleet.ts";
import type { App, HttpDeps } from "../context.ts";
import { fleet } from "../fleet-schemas.ts";
import { errorResponses, json, needs } from "../schemas.ts";

const route = createRoute({
  method: "post",
  path: "/v1/fleet/migrate",
  operationId: "fleetMigrate",
  tags: ["Administration"],
  summary: "Migrate the agents that are behind now, those that failed included",
  ...needs("admin"),
  request: { body: { required: true, ...json(z.strictObject({}), "Nothing") } },
  responses: { 202: json(fleet, "It is under way in the background"), ...errorResponses },
});

/** POST the wish that the fleet be migrated. */
export function registerFleetMigrate(app: App, { service }: HttpDeps): void {
  app.openapi(route, async (c) => c.json(await startFleetMigration(service, c.get("caller")), 202));
}
