import { collectDefaultMetrics } from "prom-client";
import type { Metrics } from "./metrics.ts";

/** Values that are read each time the metrics are read. */
export interface Gauged {
  /** Returns how many jobs each queue has, and how late its oldest job is. Runs one statement. */
  depths(): Promise<readonly { queue: string; waiting: number; active: number; oldestDueSeconds: number }[]>;
  /**
   * Returns for how many milliseconds jobs have been due without any sign of a worker; 0 while a
   * worker runs. Runs one statement.
   */
  silentMs(): Promise<number>;
  /** Returns the use of the connection pool; undefined without a pool. */
  pool(): { busy: number; idle: number; waiting: number } | undefined;
}

/**
 * How long values from the database are kept. Several servers may read the metrics, each every few
 * seconds.
 */
const DEPTHS_KEPT_MS = 5000;
/**
 * How long a reader waits for these values. Metrics are most important when no connection is free.
 */
const DEPTHS_WAIT_MS = 1000;

/**
 * Adds Node.js's metrics of its process: memory, CPU, garbage collection, and the delay of the
 * event loop with its quantiles.
 */
export function addProcessMetrics({ registry, buildInfo }: Metrics, version: string): void {
  collectDefaultMetrics({ register: registry });
  buildInfo.set({ version }, 1);
}

/**
 * Returns the function that reads the metrics as text.
 *
 * @param gauged returns the parts of the process to measure; undefined until all of them are open
 */
export function metricsReader(metrics: Metrics, gauged: () => Gauged | undefined) {
  let asked = Number.NEGATIVE_INFINITY;
  const refresh = async (from: Gauged) => {
    const pool = from.pool();
    if (pool) {
      metrics.poolConnections.set({ state: "busy" }, pool.busy);
      metrics.poolConnections.set({ state: "idle" }, pool.idle);
      metrics.poolWaiting.set(pool.waiting);
    }
    if (performance.now() - asked < DEPTHS_KEPT_MS) return;
    asked = performance.now();
    const [depths, silentMs] = await within(Promise.all([from.depths(), from.silentMs()]), DEPTHS_WAIT_MS);
    setDepths(metrics, depths);
    metrics.workerSilence.set(silentMs / 1000);
  };
  return async (): Promise<{ type: string; text: string }> => {
    const from = gauged();
    // The database is unavailable or slow, so unknown values are left out.
    if (from) await refresh(from).catch(() => forgetDepths(metrics));
    return { type: metrics.registry.contentType, text: await metrics.registry.metrics() };
  };
}

function forgetDepths(metrics: Metrics): void {
  setDepths(metrics, []);
  metrics.workerSilence.remove();
}

function setDepths(metrics: Metrics, depths: Awaited<ReturnType<Gauged["depths"]>>): void {
  metrics.queuedJobs.reset();
  metrics.oldestJob.reset();
  for (const { queue, waiting, active, oldestDueSeconds } of depths) {
    metrics.queuedJobs.set({ queue, state: "waiting" }, waiting);
    metrics.queuedJobs.set({ queue, state: "active" }, active);
    metrics.oldestJob.set({ queue }, oldestDueSeconds);
  }
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("It takes too long.")), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
