/**
 * Runs jobs, at most `limit` at once, in the order given. After the first failure no further job starts, and the error is
 * thrown only when those under way have ended: the caller closes the connection next, which must not be in use then.
 */
export async function inParallel(jobs: readonly (() => Promise<void>)[], limit: number): Promise<void> {
  const queue = jobs.values();
  const errors: unknown[] = [];
  const worker = async () => {
    while (errors.length === 0) {
      const next = queue.next();
      if (next.done) return;
      await next.value().catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (errors.length > 0) throw errors[0];
}
