import { Piscina } from "piscina";

/**
 * The largest text that a request may carry, 8 MB, takes less than 256 MB to chunk, and less to parse. One that takes more ends its own
 * thread; without a limit it could end the process.
 */
const MAX_HEAP_MB = 384;
const IDLE_MS = 30_000;

/** Worker threads, started as they are needed. @param filename of the worker; default: each task names its own */
export function startThreadPool(maxThreads: number, filename?: string): Piscina {
  return new Piscina({
    ...{ minThreads: 0, maxThreads, idleTimeout: IDLE_MS },
    ...(filename === undefined ? {} : { filename }),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
}
