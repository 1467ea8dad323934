import { describe, expect, test } from "vitest";
import { readAtPace, watchPace } from "../../src/base/pace.ts";

const tooSlow = () => new Error("too slow");

/** Returns a stream that gives a byte for each request, after a pause. */
function trickle(everyMs: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      controller.enqueue(Uint8Array.of(0));
    },
  });
}

async function drain(stream: ReadableStream<Uint8Array>, pace: { bytes: number; withinMs: number }): Promise<number> {
  let received = 0;
  for await (const part of readAtPace(stream, pace, tooSlow)) received += part.length;
  return received;
}

describe("the pace of a peer", () => {
  test("counts only the time for which it is waited, and begins anew when its share has come", () => {
    const watch = watchPace({ bytes: 100, withinMs: 1000 });
    watch.note(600, 50);
    expect(watch.leftMs()).toBe(400);
    watch.note(300, 49);
    expect(watch.leftMs()).toBe(100);
    watch.note(50, 1);
    expect(watch.leftMs()).toBe(1000);
    watch.note(5000, 0);
    expect(watch.leftMs()).toBe(0);
  });

  test("a stream that trickles is given up, and so is one that sends almost all and stops", async () => {
    for (const everyMs of [0, 1, 5])
      await expect(drain(trickle(everyMs), { bytes: 1e6, withinMs: 100 })).rejects.toThrow("too slow");
    let cancelled = false;
    const stalled = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(9_999)),
      cancel: () => {
        cancelled = true;
      },
    });
    await expect(drain(stalled, { bytes: 1000, withinMs: 50 })).rejects.toThrow("too slow");
    expect(cancelled).toBe(true);
  });

  test("a stream that is not waited for is not given up", async () => {
    const bytes = new Blob([new Uint8Array(300_000)]).stream() as ReadableStream<Uint8Array>;
    expect(await drain(bytes, { bytes: 1e9, withinMs: 60_000 })).toBe(300_000);
  });

  test("ends when nothing more is wanted, also while it waits", async () => {
    const ended = new AbortController();
    const parts = readAtPace(new ReadableStream(), { bytes: 1, withinMs: 60_000 }, tooSlow, ended.signal);
    const next = parts.next();
    ended.abort();
    expect((await next).done).toBe(true);
  });
});
