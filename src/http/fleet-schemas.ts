import { z } from "@hono/zod-openapi";
import { jobCounts } from "./schemas.ts";

/** How far the agents' schemas are migrated, over all tenants. */
export const fleet = z
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
