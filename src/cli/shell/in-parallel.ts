import { createTaskPool } from "../../base/task-pool.ts";

/**
 * Runs jobs in the given order, at most `limit` at once. A generator makes each job only when the
 * one before it starts. After the first failure no further job
 * starts. The error is thrown only when the running jobs have ended: the caller closes the
 * connection next, and no job may use it then.
 */
export async function inParallel(jobs: Iterable<() => Promise<void>>, limit: number): Promise<void> {
  const pool = createTaskPool();
  try {
    for (const job of jobs) {
      await pool.room(limit);
      pool.start(job);
    }
  } finally {
    await pool.drain();
  }
  await pool.room(limit);
}
