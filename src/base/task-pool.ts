/** Tasks that run concurrently. The first failure fails the pool. */
export interface TaskPool {
  /** Starts a task. Only `room` and `drain` wait for it. */
  start(task: () => Promise<void>): void;
  /**
   * Waits until fewer than `limit` tasks run.
   *
   * @throws the error of a task that has failed
   */
  room(limit: number): Promise<void>;
  /** Waits until no task runs, whether or not tasks fail. */
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
      // The error is caught here: nothing listens between two calls of `room`, and an unhandled
      // rejection ends the process.
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
