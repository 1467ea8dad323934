import type { Job } from "pg-boss";
import { z } from "zod";
import { describeFault } from "../base/describe-fault.ts";
import { AppError, faultOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { currentContext, type RequestContext, runInContext } from "../base/request-context.ts";
import type { Metrics } from "../observe/metrics.ts";
import { inSpan, traceparent } from "../observe/trace.ts";

/** The request or job that sent a job. It is stored in the payload and holds ids only. */
export interface JobOrigin {
  requestId?: string | undefined;
  traceparent?: string | undefined;
}

export interface JobObserver {
  logger: Logger;
  metrics: Metrics;
}

/** The most requests that one job is linked to. */
const MAX_LINKS = 32;

/** Jobs from older releases have no origin. An unreadable origin must not stop a job. */
const data = z.object({
  tenantId: z.string().optional().catch(undefined),
  agentId: z.string().optional().catch(undefined),
  origin: z.object({ requestId: z.string().optional(), traceparent: z.string().optional() }).catch({}).default({}),
});

/** Returns the current request or job as the origin of a job that is sent now. */
export function originOfJob(): { origin?: JobOrigin } {
  const requestId = currentContext()?.requestId;
  const parent = traceparent();
  if (requestId === undefined && parent === undefined) return {};
  return { origin: { requestId, traceparent: parent } };
}

/**
 * Returns the traces from which the first few of these jobs came. Another job takes these jobs
 * over.
 */
export function tracesOf(jobs: readonly { data?: unknown }[]): string[] {
  return jobs.slice(0, MAX_LINKS).flatMap((job) => data.safeParse(job.data).data?.origin.traceparent ?? []);
}

/**
 * Runs a job as a piece of work of its own: counted, timed, with one line in the log, and in a
 * trace of its own that is linked to the trace of its request (a job may be retried for a day, and
 * may send another job).
 *
 * @param links further traces that the job works for
 */
export async function observeJob(
  { logger, metrics }: JobObserver,
  job: Job,
  links: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  const { tenantId, agentId, origin } = data.parse(job.data);
  const work: RequestContext = { requestId: origin.requestId, jobId: job.id, tenantId, agentId, statements: 0 };
  const queue = job.name;
  const begun = performance.now();
  let fault: object = {};
  const attributes = { "recollect.job_id": job.id, ...idsOf(work) };
  const options = {
    role: "consumer" as const,
    attributes,
    links: [...(origin.traceparent === undefined ? [] : [origin.traceparent]), ...links],
  };
  await runInContext(work, () =>
    inSpan(`job ${queue}`, options, async (span) => {
      if (span.isRecording()) work.traceId = span.spanContext().traceId;
      try {
        await run();
      } catch (error) {
        fault = error instanceof AppError ? faultOf(error) : { err: describeFault(error) };
        throw error;
      } finally {
        const ms = performance.now() - begun;
        const outcome = Object.keys(fault).length === 0 ? "completed" : "failed";
        metrics.jobs.observe({ queue, outcome }, ms / 1000);
        if (tenantId !== undefined) metrics.tenantJobSeconds.inc({ tenant: metrics.tenantLabel(tenantId) }, ms / 1000);
        const line = { queue, outcome, ms: Math.round(ms), statements: work.statements, ...fault };
        logger[outcome === "failed" ? "warn" : "info"](line, "job");
      }
    }),
  );
}

function idsOf({ requestId, tenantId, agentId }: RequestContext): Record<string, string> {
  return {
    ...(requestId === undefined ? {} : { "recollect.request_id": requestId }),
    ...(tenantId === undefined ? {} : { "recollect.tenant_id": tenantId }),
    ...(agentId === undefined ? {} : { "recollect.agent_id": agentId }),
  };
}
