/** Limits the tasks that run at once. Waiting tasks start in order of arrival. */
export interface Semaphore {
  /** The most tasks at once; may be changed at any time. */
  limit: number;
  /**
   * Runs the task when a slot is free. Rejects with the signal's reason if the signal aborts first.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createSemaphore(limit: number): Semaphore {
  const waiting = new Set<() => void>();
  let active = 0;
  const advance = () => {
    for (const start of waiting) {
      if (active >= semaphore.limit) return;
      waiting.delete(start);
      active++;
      start();
    }
  };
  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const abort = () => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      signal?.addEventListener("abort", abort, { once: true });
      waiting.add(start);
      advance();
    });
  const semaphore: Semaphore = {
    limit,
    run: async (task, signal) => {
      signal?.throwIfAborted();
      await turn(signal);
      try {
        return await task();
      } finally {
        active--;
        advance();
      }
    },
  };
  return semaphore;
}
