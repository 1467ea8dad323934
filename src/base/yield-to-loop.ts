/**
 * The function as it was when this module was loaded. Tests of programs that embed Recollect replace
 * the global one, and the one of `node:timers`, by a clock that stands still: each write would wait
 * for ever.
 */
const later = globalThis.setImmediate;

/** Runs a function in the next turn of the event loop. */
export function inNextTurn(run: () => void): void {
  later(run);
}

/** Waits for the next turn of the event loop. */
export function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve);
  });
}
