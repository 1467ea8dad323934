import { setImmediate } from "node:timers/promises";

/** How long work holds the event loop before it lets others have a turn. */
const SLICE_MS = 15;

/** For work in many short parts: what it makes is awaited after each, and lets the event loop go once a slice of time is over. */
export function createBreather(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await setImmediate();
    began = performance.now();
  };
}
