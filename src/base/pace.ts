/** The least speed of a peer: so many bytes in so much time spent waiting for it. */
export interface Pace {
  readonly bytes: number;
  readonly withinMs: number;
}

/**
 * Watches whether a peer keeps the pace. Only time spent waiting for it counts, so a slow database is not its fault. Who has
 * sent almost everything and then stops is noticed as soon as who has sent nothing.
 */
export interface PaceWatch {
  /** How long the peer may be waited for now. */
  leftMs(): number;
  /** Notes that it was waited for, and what it did. */
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
 * The parts of a stream, from a sender that keeps the pace. The stream is cancelled when nobody wants more.
 *
 * @param tooSlow makes the error for one that does not
 * @param signal ends the stream when nothing more is wanted, also while it is waited for
 */
export async function* readAtPace(
  stream: ReadableStream<Uint8Array>,
  pace: Pace,
  tooSlow: () => Error,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  const reader = stream.getReader();
  // Of a stream that has failed this fails again.
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  const watch = watchPace(pace);
  try {
    for (;;) {
      const begun = performance.now();
      const { done, value } = await within(reader.read(), watch.leftMs(), tooSlow);
      if (done) return undefined;
      watch.note(performance.now() - begun, value.length);
      // A timer of no time comes after what is already there.
      if (watch.leftMs() === 0) throw tooSlow();
      yield value;
    }
  } finally {
    cancel();
  }
}

/** What a promise resolves to, unless that takes too long. */
export function within<T>(promise: Promise<T>, limitMs: number, tooLate: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
