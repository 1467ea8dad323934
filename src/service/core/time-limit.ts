/** Returns the statement that limits how long each statement of a transaction may run. */
export function timeLimit(timeoutMs: number): string {
  return `SET LOCAL statement_timeout = ${Math.trunc(timeoutMs)}`;
}

/**
 * Limits each statement of a transaction that lists or counts for a page that a person reads. A text
 * that is sought in many long texts may need more, if it is made for that.
 */
export const LIST_TIME_LIMIT = timeLimit(3000);
