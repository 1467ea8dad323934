import { Piscina } from "piscina";

/**
 * The largest text that a request may carry, 8 MB, takes less than 256 MB to chunk, and less to parse. One that takes more ends its own
 * thread; without a limit it could end the process.
 */
const MAX_HEAP_MB = 384;
const IDLE_MS = 30_000;

/** Worker threads, started as they are needed. @param filename of the worker; default: each task names its own */
export function startThreadPool(maxThreads: number, filename?: string): Piscina {
  const pool = new Piscina({
    minThreads: 0,
    maxThreads,
    idleTimeout: IDLE_MS,
    ...(filename === undefined ? {} : { filename }),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  // A task that fails is told so. A thread that fails without one, as when it was given up a moment ago, would end the process if
  // nobody listened.
  pool.on("error", () => undefined);
  return pool;
}
