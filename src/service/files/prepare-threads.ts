import { createFairSlots } from "../../base/fair-slots.ts";
import { workerFile } from "../../base/worker-file.ts";
import { startThreadPool } from "../core/thread-pool.ts";

/** A thread had to be ended: its work took longer than the deadline, or more memory than it may have. */
export class ThreadLost extends Error {}

/** Threads that run functions of `prepare-file.worker.ts`, shared between tenants. */
export interface PrepareThreads {
  /** @param name of the function. @throws ThreadLost, and what the function throws */
  run<T>(
    tenantId: string,
    name: "default" | "prepareWindows" | "prepareFacts" | "readTurn" | "compareTexts",
    request: object,
  ): Promise<T>;
  close(): Promise<void>;
}

interface ThreadOptions {
  /** How many one tenant may use at a time. */
  threads: number;
  /** After which the thread of one request is ended; another takes its place. */
  deadlineMs: number;
  /** Path of the module whose functions are run; default: `prepare-file.worker.ts`. */
  worker?: string | undefined;
}

/**
 * Starts threads as they are needed. Each tenant has up to `threads`, and there is one more than that, so that a tenant
 * with no work in any of them does not wait until another's is done.
 */
export function startPrepareThreads({ threads, deadlineMs, worker }: ThreadOptions): PrepareThreads {
  const pool = startThreadPool(threads + 1, worker ?? workerFile("prepare-file.worker", import.meta.url));
  const slots = createFairSlots({ total: threads + 1, each: threads });
  const runOnce = async (name: string, request: object): Promise<unknown> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deadlineMs);
    try {
      return await pool.run(request, { name, signal: deadline.signal });
    } catch (error) {
      if (deadline.signal.aborted || isOutOfMemory(error)) throw new ThreadLost();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    run: <T>(tenantId: string, name: string, request: object) =>
      slots.run(tenantId, () => runOnce(name, request)) as Promise<T>,
    close: () => pool.destroy(),
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
}
