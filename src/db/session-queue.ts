/** The most reads in a row that overtake a waiting statement. */
const MOST_OVERTAKING = 8;

/**
 * Gives the only session of an embedded database to one transaction or statement after another.
 * Transactions that only read overtake others: a search makes several, and would otherwise wait at
 * each for every write of an upload and for the looks of all job workers.
 */
export interface SessionQueue {
  /** Runs the task when the session is free. */
  run<T>(task: () => Promise<T>, isRead: boolean): Promise<T>;
}

/** Creates the queue of one session. */
export function createSessionQueue(): SessionQueue {
  const reads: (() => void)[] = [];
  const others: (() => void)[] = [];
  let isTaken = false;
  let overtaking = 0;
  const next = () => {
    const isReadsTurn = reads.length > 0 && (others.length === 0 || overtaking < MOST_OVERTAKING);
    overtaking = isReadsTurn && others.length > 0 ? overtaking + 1 : 0;
    const start = isReadsTurn ? reads.shift() : others.shift();
    isTaken = start !== undefined;
    start?.();
  };
  return {
    run: async (task, isRead) => {
      if (isTaken) await new Promise<void>((start) => (isRead ? reads : others).push(start));
      isTaken = true;
      try {
        return await task();
      } finally {
        next();
      }
    },
  };
}
