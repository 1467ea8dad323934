/** The least speed of a peer: this many bytes in this much time spent waiting for the peer. */
export interface Pace {
  readonly bytes: number;
  readonly withinMs: number;
}

/**
 * Watches whether a peer keeps the pace. Only the time spent waiting for the peer counts, so a slow
 * database is not the peer's fault. A peer that has sent almost everything and then stops is
 * noticed as soon as a peer that has sent nothing.
 */
export interface PaceWatch {
  /** Returns how many milliseconds the next wait may take before the peer is too slow. */
  leftMs(): number;
  /** Notes how long the peer was waited for, and how many bytes came or went. */
  note(waitedMs: number, bytes: number): void;
}

export function watchPace({ bytes: least, withinMs }: Pace): PaceWatch {
  let [waited, moved] = [0, 0];
  return {
    leftMs: () => Math.max(0, withinMs - waited),
    note: (waitedMs, bytes) => {
      waited += waitedMs;
      moved += bytes;
      if (moved >= least) [waited, moved] = [0, 0];
    },
  };
}

/**
 * Yields the parts of a stream whose sender keeps the pace. Cancels the stream when the reader
 * wants no more.
 *
 * @param tooSlow makes the error for a sender that does not keep the pace
 * @param signal ends the stream when nothing more is wanted, even while the next part is awaited
 */
export async function* readAtPace(
  stream: ReadableStream<Uint8Array>,
  pace: Pace,
  tooSlow: () => Error,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader();
  // On a stream that has failed, cancelling fails as well.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  const watch = watchPace(pace);
  try {
    for (;;) {
      const begun = performance.now();
      const { done, value } = await within(reader.read(), watch.leftMs(), tooSlow);
      if (done) return undefined;
      watch.note(performance.now() - begun, value.length);
      // A timer of zero milliseconds fires only after a read of data that is already there, so the
      // timer alone would not stop a slow sender.
      if (watch.leftMs() === 0) throw tooSlow();
      yield value;
    }
  } finally {
    cancel();
  }
}

/** Resolves to the promise's result, unless that takes too long. */
export function within<T>(promise: Promise<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
