import { yieldToLoop } from "../base/yield-to-loop.ts";

/** A stream whose writer can wait for its reader. */
export interface PacedStream {
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Resolves when the reader has taken everything and wants more, or when the writer's signal is
   * aborted. The caller then writes at most one chunk, and asks again.
   */
  isWanted(): Promise<void>;
}

/**
 * Wraps a stream whose source writes whether or not somebody reads, so that what a slow client leaves
 * unread does not collect in memory. A read of the source that gets no chunk at once means that the
 * source has none left, and that the reader waits.
 *
 * @param signal ends the waits of the writer
 */
export function paced(source: ReadableStream<Uint8Array>, signal: AbortSignal): PacedStream {
  const reader = source.getReader();
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  let wanted = Promise.withResolvers<void>();
  let isReading = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        isReading = true;
        wanted.resolve();
        const { done, value } = await reader.read();
        isReading = false;
        wanted = Promise.withResolvers();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // No chunk is read ahead of the reader.
    { highWaterMark: 0 },
  );
  return {
    body,
    isWanted: async () => {
      do {
        await Promise.race([wanted.promise, ended]);
        // A chunk that is there reaches a read that waits for it before the next turn.
        await yieldToLoop();
      } while (!isReading && !signal.aborted);
    },
  };
}
