import { useSyncExternalStore } from "react";

/** Something that is done after a time in which the user may take it back. */
interface Delayed {
  timer: ReturnType<typeof setTimeout>;
  run: () => Promise<unknown>;
}

const waiting = new Map<string, Delayed>();
const listeners = new Set<() => void>();
let ids: ReadonlySet<string> = new Set();

/**
 * Does something after a delay, under an id that lists use to hide what will be gone. It is done at
 * once when the user leaves the page.
 *
 * @returns a function that takes it back
 */
export function doLater(id: string, ms: number, run: () => Promise<unknown>): () => void {
  const timer = setTimeout(() => void finish(id), ms);
  waiting.set(id, { timer, run });
  changed();
  return () => {
    clearTimeout(waiting.get(id)?.timer);
    waiting.delete(id);
    changed();
  };
}

/** Returns the ids of the actions that wait. */
export function useDelayedIds(): ReadonlySet<string> {
  return useSyncExternalStore(listen, () => ids);
}

/** Does what waits, because the page is about to go. */
export function finishAll(): void {
  for (const id of [...waiting.keys()]) void finish(id);
}

async function finish(id: string): Promise<void> {
  const delayed = waiting.get(id);
  if (!delayed) return;
  clearTimeout(delayed.timer);
  // It stays hidden until it is done, or else it would appear again for a moment.
  waiting.set(id, { ...delayed, run: async () => undefined });
  try {
    await delayed.run();
  } finally {
    waiting.delete(id);
    changed();
  }
}

function changed(): void {
  ids = new Set(waiting.keys());
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
