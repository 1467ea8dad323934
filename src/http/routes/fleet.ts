import { z } from "@hono/zod-openapi";
import { fleetStatus, startFleetMigration } from "../../service/admin/migrate-fleet.ts";
import { jobCounts } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, nothing } from "../schemas.ts";

/** How far the agents' schemas are migrated, over all tenants. */
const fleet = z
  .object({
    targetVersion: z.int(),
    agents: z.int(),
    current: z.int(),
    behind: z.int(),
    versions: z.array(z.object({ schemaVersion: z.int(), agents: z.int() })),
    jobs: jobCounts,
    failed: z.array(
      z.object({
        tenantId: z.string(),
        agentId: z.string(),
        schemaVersion: z.int(),
        error: z.string(),
        failedAt: z.string(),
        attempts: z.int(),
      }),
    ),
  })
  .openapi("Fleet");

const route = routesOf("Administration");

export const fleetRoutes = [
  route("GET /v1/fleet", {
    operationId: "fleetGet",
    summary: "Schema versions of all agents, and failed migrations",
    description:
      "Agents migrate with their first request after an upgrade; this shows which have not, and which could not.",
    scope: "admin",
    answer: json(fleet, "The progress of the migration"),
    run: fleetStatus,
  }),
  route("POST /v1/fleet/migrate", {
    operationId: "fleetMigrate",
    summary: "Migrate outdated agents now, including those that failed",
    description:
      "Answers at once. A background job migrates the agents with the least memory first, and stops if one of the first fails.",
    scope: "admin",
    body: nothing,
    status: 202,
    answer: json(fleet, "Started in the background"),
    run: startFleetMigration,
  }),
];
