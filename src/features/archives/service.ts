import type { Config } from "../../config/config.ts";
import { agentKey } from "../../queue/job-contracts.ts";
import type { FeatureService } from "../feature.ts";
import { EXPORT_JOB, exportJob } from "./export-job.ts";
import { archiveRoutes } from "./routes.ts";

const MINUTES_AN_HOUR = 60;

/** Returns the routes of archives, and the job that writes scheduled archives. */
export function archiveService({ archiveMaxBytes, exports }: Config): FeatureService {
  return {
    routes: archiveRoutes(archiveMaxBytes),
    jobs: [exportJob(exports)],
    hooks: {
      scheduleAgent: async ({ queue, db }, agent, fallsDue) => {
        const { tenantId, agentId } = agent;
        if (exports && fallsDue(`${agentKey(agent)} export`, exports.intervalHours * MINUTES_AN_HOUR))
          await queue.send(db, EXPORT_JOB, { tenantId, agentId }, "unless one waits");
      },
    },
  };
}
