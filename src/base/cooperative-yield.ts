import { setImmediate, setTimeout } from "node:timers/promises";

/** A slice that waited for a slow database was not that much work. */
const MAX_REST_MS = 60;
/** How long work holds the event loop before it lets others have a turn. */
const SLICE_MS = 15;

/**
 * For work in many short parts: what it makes is awaited after each, and lets the event loop go once a slice of time is over.
 *
 * @param rests for work that nobody waits for: so many times as long as the slice took, it leaves the processor to others
 */
export function createYielder(rests = 0): () => Promise<void> {
  let began = performance.now();
  return async () => {
    const took = performance.now() - began;
    if (took < SLICE_MS) return;
    if (rests > 0) await setTimeout(Math.min(rests * took, MAX_REST_MS));
    else await setImmediate();
    began = performance.now();
  };
}
