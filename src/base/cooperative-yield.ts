import { setImmediate, setTimeout } from "node:timers/promises";

/** The longest rest. A slice that waited for a slow database was not that much work. */
const MAX_REST_MS = 60;
/** How long work may hold the event loop. */
const SLICE_MS = 15;

/**
 * Makes a function that work in many short parts awaits after each part. It yields to the event loop when a slice of time
 * is over.
 *
 * @param rests for background work: it rests this many times as long as the slice took
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
