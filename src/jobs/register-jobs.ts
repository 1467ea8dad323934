import { AppError } from "../base/errors.ts";
import {
  BRANCH_JOB,
  BUILD_INDEX_JOB,
  EMBED_BATCH_JOB,
  EMBED_JOB,
  EXPORT_JOB,
  INGEST_JOB,
  MAINTAIN_INDEX_JOB,
  MIGRATE_FLEET_JOB,
  REINDEX_JOB,
  SCHEDULE_JOB,
  SPARE_SPACES_JOB,
  SYNC_JOB,
} from "../queue/job-contracts.ts";
import type { JobQueue } from "../queue/queue.ts";
import { migrateFleet } from "../service/admin/migrate-fleet.ts";
import { makeSpareSpaces } from "../service/agent/spare-spaces.ts";
import { copyBranch } from "../service/archive/branch-agent.ts";
import { exportToFolder } from "../service/archive/export-to-folder.ts";
import { jobCaller } from "../service/core/authenticate.ts";
import type { Deps } from "../service/deps.ts";
import { ingestFiles } from "../service/facts/ingest-files.ts";
import { advanceBatches } from "../service/index/embed-batch.ts";
import { embedPending } from "../service/index/embed-pending.ts";
import { buildIndex, maintainIndex } from "../service/index/maintain-index.ts";
import { reindexAgent } from "../service/index/reindex-agent.ts";
import { scheduleSyncs } from "../service/index/schedule-syncs.ts";
import { syncAgent } from "../service/index/sync-agent.ts";

/** Most agents that one process embeds for at the same time. */
const EMBED_CONCURRENCY = 2;
const SYNC_CONCURRENCY = 2;
/** An ingest job waits for a model most of the time. */
const INGEST_CONCURRENCY = 2;

/** Lets this process take jobs. Every kind of job is one use case. */
export async function registerJobs(queue: JobQueue, deps: Deps): Promise<void> {
  await queue.work(
    EMBED_JOB,
    (job, signal, waitedMs) =>
      unlessGone(embedPending(deps, jobCaller(job.tenantId), job.agentId, signal, { waitedMs, plan: job.plan })),
    EMBED_CONCURRENCY,
  );
  await queue.work(
    EMBED_BATCH_JOB,
    (job, signal) => unlessGone(advanceBatches(deps, jobCaller(job.tenantId), job.agentId, signal)),
    EMBED_CONCURRENCY,
  );
  await queue.work(
    SYNC_JOB,
    (job, signal) => unlessGone(syncAgent(deps, jobCaller(job.tenantId), job.agentId, signal)),
    SYNC_CONCURRENCY,
  );
  await queue.work(
    REINDEX_JOB,
    (job, signal) => unlessGone(reindexAgent(deps, jobCaller(job.tenantId), job.agentId, signal, job.anew)),
    1,
  );
  await queue.work(
    MAINTAIN_INDEX_JOB,
    (job) => unlessGone(maintainIndex(deps, jobCaller(job.tenantId), job.agentId)),
    1,
  );
  await queue.work(
    INGEST_JOB,
    (job, signal) => unlessGone(ingestFiles(deps, jobCaller(job.tenantId), job.agentId, signal)),
    INGEST_CONCURRENCY,
  );
  await queue.work(
    BUILD_INDEX_JOB,
    (job) => unlessGone(buildIndex(deps, jobCaller(job.tenantId), job.agentId, job.chunks)),
    1,
  );
  await queue.work(BRANCH_JOB, (job) => unlessGone(copyBranch(deps, jobCaller(job.tenantId), job)), 1);
  await queue.work(
    EXPORT_JOB,
    (job, signal) => unlessGone(exportToFolder(deps, jobCaller(job.tenantId), job, signal)),
    1,
  );
  await queue.work(MIGRATE_FLEET_JOB, (job, signal) => migrateFleet(deps, job, signal), 1);
  await queue.work(SPARE_SPACES_JOB, (_job, signal) => makeSpareSpaces(deps, signal), 1);
  await queue.work(SCHEDULE_JOB, (job, signal) => scheduleSyncs(deps, job, signal), 1);
}

/**
 * Ignores the failure of a job whose agent was erased or disabled meanwhile: it has nothing left to
 * do. Enabling the agent starts a new job.
 */
async function unlessGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError && (error.code === "agent_not_found" || error.code === "agent_disabled")) return;
    throw error;
  }
}
