import { createFairSlots } from "../../base/fair-slots.ts";
import { workerFile } from "../../base/worker-file.ts";
import { startThreadPool, TASK_DEADLINE_MS } from "../core/thread-pool.ts";

/**
 * Signals that a thread had to be ended, because its work took longer than the deadline or more
 * memory than a thread may have.
 */
export class ThreadLost extends Error {}

/** Threads that run functions of worker files, shared between tenants. */
export interface PrepareThreads {
  /**
   * @param name the name of the function
   * @param worker the path of the module with the function; by default `prepare-file.worker.ts`
   * @throws ThreadLost, and the function's own errors
   */
  run<T>(
    tenantId: string,
    name: "default" | "prepareWindows" | "prepareFacts" | "compareTexts",
    request: object,
    worker?: string,
  ): Promise<T>;
  close(): Promise<void>;
}

interface ThreadOptions {
  /** The number of threads that one tenant may use at a time. */
  threads: number;
  /** The time after which a request's thread is ended and replaced, for tests. */
  deadlineMs?: number | undefined;
  /** The path of a module that tests use instead of `prepare-file.worker.ts`. */
  worker?: string | undefined;
}

/**
 * Starts threads on demand. Each tenant may use up to `threads` threads, and there is one
 * more than that, so that a tenant with no running work does not wait for another tenant's work.
 */
export function startPrepareThreads({ threads, deadlineMs = TASK_DEADLINE_MS, worker }: ThreadOptions): PrepareThreads {
  const pool = startThreadPool(threads + 1, worker ?? workerFile("prepare-file.worker", import.meta.url));
  const slots = createFairSlots({ total: threads + 1, each: threads });
  const runOnce = async (request: object, task: { name: string; filename?: string }): Promise<unknown> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deadlineMs);
    try {
      return await pool.run(request, { ...task, signal: deadline.signal });
    } catch (error) {
      if (deadline.signal.aborted || isOutOfMemory(error)) throw new ThreadLost();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    run: <T>(tenantId: string, name: string, request: object, filename?: string) => {
      const task = filename === undefined ? { name } : { name, filename };
      return slots.run(tenantId, () => runOnce(request, task)) as Promise<T>;
    },
    close: () => pool.destroy(),
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
}
