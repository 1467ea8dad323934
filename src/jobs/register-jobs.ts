import { EMBED_JOB, MAINTAIN_INDEX_JOB } from "../queue/job-contracts.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { Deps } from "../service/deps.ts";
import { embedPending } from "../service/embed-pending.ts";
import { maintainIndex } from "../service/maintain-index.ts";

/** Agents whose embeddings one process makes at the same time. */
const EMBED_CONCURRENCY = 2;

/** Lets this process take jobs: every kind of job is one use case. */
export async function registerJobs(queue: JobQueue, deps: Deps): Promise<void> {
  await queue.work(
    EMBED_JOB,
    (job, signal) => embedPending(deps, { tenantId: job.tenantId }, job.agentId, signal),
    EMBED_CONCURRENCY,
  );
  await queue.work(MAINTAIN_INDEX_JOB, (job) => maintainIndex(deps, { tenantId: job.tenantId }, job.agentId), 1);
}
