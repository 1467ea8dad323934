import { UnreadableDocument } from "./document-text.ts";

/**
 * Stops a reader that takes too long. Measures the processor time of the reader's own thread, which
 * does not grow on a busy machine.
 *
 * @param advance the function that the reader calls from time to time
 * @returns a function to call instead of `advance`, which throws UnreadableDocument `too large`
 *   when the time is over
 */
export function withinProcessorTime(advance: () => void, mostMs: number): () => void {
  const endMs = spentMs() + mostMs;
  return () => {
    if (spentMs() > endMs) throw new UnreadableDocument("too large");
    advance();
  };
}

/**
 * Returns the thread's processor time. Node.js before 23.9 does not report it, so the clock is used
 * there.
 */
function spentMs(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
