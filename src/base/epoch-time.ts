/** Numbers below these count seconds, milliseconds and microseconds since 1970; others nanoseconds. */
const SECONDS = 1e11;
const MILLISECONDS = 1e14;
const MICROSECONDS = 1e17;

/** Returns the milliseconds since 1970 of a number that counts seconds or parts of them. */
export function msSince1970(count: number): number {
  const size = Math.abs(count);
  if (size < SECONDS) return count * 1000;
  return size < MILLISECONDS ? count : count / (size < MICROSECONDS ? 1e3 : 1e6);
}
