import { createFairSlots } from "../../base/fair-slots.ts";
import { startThreadPool } from "./thread-pool.ts";

/**
 * The largest body that is parsed on the event loop. That takes a millisecond, and a thread would
 * need half of one.
 */
export const MAX_INLINE_BYTES = 65_536;

/**
 * Plain data for a worker file. Its bytes are transferred to the worker, so the caller's array is
 * empty afterwards.
 */
export interface ParseTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Worker threads that parse and check bodies too large for the event loop. */
export interface ParseThreads {
  /**
   * Runs the default export of a worker file. A tenant's tasks run one after the other, so that one
   * tenant does not take all threads.
   */
  run<T>(worker: string, task: ParseTask, tenantId: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts threads when they are needed, at most `threads`. */
export function startParseThreads(threads: number): ParseThreads {
  const pool = startThreadPool(threads);
  const slots = createFairSlots({ total: threads, each: 1 });
  return {
    run: <T>(filename: string, task: ParseTask, tenantId: string) =>
      slots.run<T>(tenantId, () => pool.run(task, { filename, transferList: [task.bytes.buffer] })),
    close: () => pool.destroy(),
  };
}
