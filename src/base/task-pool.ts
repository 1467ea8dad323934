/** Tasks that run side by side; the first that fails fails the pool. */
export interface TaskPool {
  /** Starts a task; it is waited for by `room` and `drain` only. */
  start(task: () => Promise<void>): void;
  /** Waits until fewer than `limit` tasks run. @throws what a task has failed with */
  room(limit: number): Promise<void>;
  /** Waits until none runs, whatever comes of them. */
  drain(): Promise<void>;
}

export function createTaskPool(): TaskPool {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  const room = async (limit: number) => {
    while (running.size >= limit && !failure) await Promise.race(running);
    if (failure) throw failure.error;
  };
  return {
    start: (task) => {
      // Caught here: between two calls of `room` nobody else listens, and an unhandled rejection ends the process.
      const run = task()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(run));
      running.add(run);
    },
    room,
    drain: async () => {
      await Promise.all(running);
    },
  };
}
