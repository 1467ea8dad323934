import {
  BUILD_INDEX_JOB,
  EMBED_JOB,
  MAINTAIN_INDEX_JOB,
  MIGRATE_FLEET_JOB,
  REINDEX_JOB,
  SCHEDULE_JOB,
  SPARE_SPACES_JOB,
  SYNC_JOB,
} from "../queue/job-contracts.ts";
import { migrateFleet } from "../service/admin/migrate-fleet.ts";
import { makeSpareSpaces } from "../service/agent/spare-spaces.ts";
import { embedPending } from "../service/indexing/embed-pending.ts";
import { buildIndex, maintainIndex } from "../service/indexing/maintain-index.ts";
import { reindexAgent } from "../service/indexing/reindex-agent.ts";
import { scheduleSyncs } from "../service/indexing/schedule-syncs.ts";
import { syncAgent } from "../service/indexing/sync-agent.ts";
import { type Job, jobOfAgent, jobOfService } from "./job.ts";

/** The most agents that one process embeds for at the same time. */
const EMBED_CONCURRENCY = 2;
const SYNC_CONCURRENCY = 2;

/** The kinds of jobs of the core. */
export const CORE_JOBS: readonly Job[] = [
  jobOfAgent(EMBED_JOB, EMBED_CONCURRENCY, (deps, { caller, job, signal, waitedMs }) =>
    embedPending(deps, caller, job.agentId, signal, { waitedMs, plan: job.plan }),
  ),
  jobOfAgent(SYNC_JOB, SYNC_CONCURRENCY, (deps, { caller, job, signal }) =>
    syncAgent(deps, caller, job.agentId, signal),
  ),
  jobOfAgent(REINDEX_JOB, 1, (deps, { caller, job, signal }) =>
    reindexAgent(deps, caller, job.agentId, signal, job.anew),
  ),
  jobOfAgent(MAINTAIN_INDEX_JOB, 1, (deps, { caller, job }) => maintainIndex(deps, caller, job.agentId)),
  jobOfAgent(BUILD_INDEX_JOB, 1, (deps, { caller, job }) => buildIndex(deps, caller, job.agentId, job.chunks)),
  jobOfService(MIGRATE_FLEET_JOB, (deps, job, signal) => migrateFleet(deps, job, signal)),
  jobOfService(SPARE_SPACES_JOB, (deps, _job, signal) => makeSpareSpaces(deps, signal)),
  jobOfService(SCHEDULE_JOB, (deps, job, signal) => scheduleSyncs(deps, job, signal)),
];
