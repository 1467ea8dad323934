import { createYielder } from "../../base/cooperative-yield.ts";

/**
 * Work on texts that a feature adds to the preparer. It runs where the preparer does its own work:
 * on the event loop for small texts, and else in one of the same threads.
 */
export interface TextWork<Request extends object, Result> {
  /** The path of the worker file, whose default export does the work in a thread. */
  readonly worker: string;
  /** Does the work on the event loop. */
  run(request: Request): Result;
  /** Returns the texts, whose size decides where the work is done. */
  textsOf(request: Request): readonly string[];
  /**
   * Compiles what the first run on the event loop would compile. Until that is done, all work goes to
   * a thread.
   *
   * @param pause awaited after each small step; an error that it throws ends the compiling
   */
  warmUp(pause: () => Promise<void>): Promise<void>;
  /** Returns the result when a thread had to be ended. */
  instead(request: Request): Result;
}

/** Tracks which work is warm in this thread. */
export function createWarmUps() {
  const stopping = new AbortController();
  const begun = new Map<object, Promise<void>>();
  const warm = new Set<object>();
  const begin = async (work: Pick<TextWork<object, unknown>, "warmUp">) => {
    const yieldToOthers = createYielder(1);
    const pause = async () => {
      await yieldToOthers();
      stopping.signal.throwIfAborted();
    };
    try {
      await work.warmUp(pause);
      warm.add(work);
    } catch {
      // The process stops, or the work stays in threads.
    }
  };
  return {
    /** Returns whether work is warm. Asking starts the warming. */
    isWarm: (work: Pick<TextWork<object, unknown>, "warmUp">): boolean => {
      if (!begun.has(work)) begun.set(work, begin(work));
      return warm.has(work);
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(begun.values());
    },
  };
}
