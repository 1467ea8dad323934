import { describe, expect, test } from "vitest";
import { createBodyMemory } from "../../src/http/body/body-memory.ts";

const MB = 1_000_000;
const of = (tenantId: string, actor = "key") => ({ tenantId, actor });

/** Returns the outcome of a request for room. */
async function outcome(taken: Promise<() => void>): Promise<string> {
  return taken.then(
    () => "taken",
    (error: { code: string; details?: { retryAfterSeconds?: number } }) =>
      `${error.code} ${error.details?.retryAfterSeconds}`,
  );
}

describe("the memory for bodies", () => {
  test("a key has an eighth and a tenant a quarter, and others have theirs", async () => {
    const memory = createBodyMemory(64 * MB, 0);
    await memory.take(of("a"), 8 * MB);
    expect(await outcome(memory.take(of("a"), 1))).toBe("rate_limited 2");
    await memory.take(of("a", "second"), 8 * MB);
    expect(await outcome(memory.take(of("a", "third"), 1))).toBe("rate_limited 2");
    expect(await outcome(memory.take(of("b"), 8 * MB))).toBe("taken");
  });

  test("when large bodies have three quarters of all, small ones are still taken", async () => {
    const memory = createBodyMemory(64 * MB, 0);
    for (let n = 0; n < 6; n++) await memory.take(of(`t${n}`), 8 * MB);
    expect(await outcome(memory.take(of("late"), 8 * MB))).toBe("overloaded 2");
    expect(await outcome(memory.take(of("late"), 1000))).toBe("taken");
  });

  test("who waits is let in when there is room, in order, and not behind another who has none", async () => {
    const memory = createBodyMemory(64 * MB, 60_000);
    const free = await memory.take(of("a"), 8 * MB);
    const order: string[] = [];
    const first = memory.take(of("a"), 8 * MB).then((done) => {
      order.push("first");
      return done;
    });
    const second = memory.take(of("a"), 8 * MB).then(() => order.push("second"));
    const other = await memory.take(of("b"), 8 * MB);
    other();
    expect(order).toEqual([]);
    free();
    free();
    const done = await first;
    expect(order).toEqual(["first"]);
    done();
    await second;
    expect(order).toEqual(["first", "second"]);
  });

  test("of one tenant a hundred wait at most", async () => {
    const memory = createBodyMemory(64 * MB, 60_000);
    const free = await memory.take(of("a"), 8 * MB);
    const waiting = Array.from({ length: 100 }, () => memory.take(of("a"), 1));
    expect(await outcome(memory.take(of("a"), 1))).toBe("rate_limited 2");
    free();
    expect(await Promise.all(waiting)).toHaveLength(100);
  });
});
