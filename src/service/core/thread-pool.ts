import { Piscina } from "piscina";

/**
 * The heap limit of a thread. The largest text that a request may carry, 8 MB, takes less than 256
 * MB to chunk, and less to parse. A task that takes more ends only its own thread; without a limit
 * it could end the process.
 */
const MAX_HEAP_MB = 384;
/**
 * The most memory for new objects. By default V8 lets this memory grow to 200 MB a thread, and returns
 * none until the thread ends. With the default, a process with one thread took 610 MB for 2,745 files,
 * six of them of 3 MB; with 24 MB it takes 470, in the same time (4.7 and 4.6 s, medians of five).
 */
const MAX_NEW_MB = 24;
/**
 * The time that a thread may spend on one text or document. Not a variable: the slowest texts of 8
 * MB, the largest that a request may carry, take six seconds on a slow processor, so a text that
 * takes ten times as long is malicious on any machine.
 */
export const TASK_DEADLINE_MS = 60_000;
const IDLE_MS = 30_000;

/**
 * Creates a pool of worker threads, started when they are needed.
 *
 * @param filename the worker's file; by default each task names its own
 */
export function startThreadPool(maxThreads: number, filename?: string): Piscina {
  const pool = new Piscina({
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    ...(filename === undefined ? {} : { filename }),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_NEW_MB },
  });
  // A failing task gets its error. A thread that fails without a task, such as one that was given
  // up a moment ago, would end the process if the pool had no listener.
  pool.on("error", () => undefined);
  return pool;
}
