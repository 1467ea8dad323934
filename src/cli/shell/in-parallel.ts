import { createTaskPool } from "../../base/task-pool.ts";

/**
 * Runs jobs, at most `limit` at once, in the order given. After the first failure no further job starts, and the error is
 * thrown only when those under way have ended: the caller closes the connection next, which must not be in use then.
 */
export async function inParallel(jobs: readonly (() => Promise<void>)[], limit: number): Promise<void> {
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
