import { UnreadableDocument } from "./document-text.ts";

/**
 * Ends a reader that takes too long, by the processor time of its own thread: a busy machine does not make that longer.
 *
 * @param advance what the reader calls now and then
 * @returns a function to call in its place, which throws UnreadableDocument `too large` when the time is over
 */
export function withinProcessorTime(advance: () => void, mostMs: number): () => void {
  const endMs = spentMs() + mostMs;
  return () => {
    if (spentMs() > endMs) throw new UnreadableDocument("too large");
    advance();
  };
}

/** Node.js before 23.9 does not tell the processor time of a thread, so the clock counts there. */
function spentMs(): number {
  if (typeof process.threadCpuUsage !== "function") return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
