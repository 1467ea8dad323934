import { createFairSlots } from "../../base/fair-slots.ts";
import { startThreadPool } from "./thread-pool.ts";

/** What is shorter is parsed on the event loop: it takes a millisecond, and a thread half of one. */
export const MAX_INLINE_BYTES = 65_536;

/** Plain data for a worker file; its bytes are handed over, and are empty here afterwards. */
export interface ParseTask {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Worker threads for what has to be parsed and checked, and is too large for the event loop. */
export interface ParseThreads {
  /**
   * Runs the default export of a worker file. A tenant's tasks run one after the other, so that one tenant does not take all
   * threads.
   */
  run<T>(worker: string, task: ParseTask, tenantId: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts threads as they are needed, at most `threads`. */
export function startParseThreads(threads: number): ParseThreads {
  const pool = startThreadPool(threads);
  const slots = createFairSlots({ total: threads, each: 1 });
  return {
    run: <T>(filename: string, task: ParseTask, tenantId: string) =>
      slots.run<T>(tenantId, () => pool.run(task, { filename, transferList: [task.bytes.buffer] })),
    close: () => pool.destroy(),
  };
}
