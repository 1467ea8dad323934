import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { type Embedder, withEmbed } from "../../src/embeddings/embedder.ts";
import { createGuard, createResilienceRegistry } from "../../src/embeddings/provider-guard.ts";

const unavailable = (details?: Record<string, unknown>) =>
  new AppError("embedder_unavailable", "down", details ? { details } : {});
const rejected = () => new AppError("embedder_rejected", "no");

const P = { lane: "p", breaker: "p model" };

/** Makes a clock that moves only by sleeping, and a guard on it. */
function harness(options: { concurrency?: number; random?: number } = {}) {
  const registry = createResilienceRegistry();
  const state = { now: 0, waits: [] as number[] };
  const settings = {
    concurrency: options.concurrency,
    now: () => state.now,
    random: () => options.random ?? 0.5,
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      state.waits.push(ms);
      state.now += ms;
    },
  };
  return { state, registry, settings, guard: createGuard(registry, P, settings) };
}

const document = { inputType: "document" } as const;
const query = { inputType: "query" } as const;
const code = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (error: AppError) => error.code ?? error.message,
  );

describe("retries", () => {
  test.each([
    [0, [0, 0]],
    [0.5, [250, 500]],
    [1, [500, 1000]],
  ])("wait a random part (%f) of a doubling delay, and end with the third", async (random, waits) => {
    const { state, guard } = harness({ random });
    let asked = 0;
    const request = async () => {
      asked++;
      throw unavailable();
    };
    expect(await code(guard(request, document))).toBe("embedder_unavailable");
    expect(asked).toBe(3);
    expect(state.waits).toEqual(waits);
  });

  test("never come before the time the provider named", async () => {
    const { state, guard } = harness({ random: 0 });
    let asked = 0;
    const request = async () => {
      if (asked++ === 0) throw unavailable({ retryAfterMs: 20_000 });
      return "vectors";
    };
    expect(await guard(request, document)).toBe("vectors");
    expect(state.waits).toEqual([20_000]);
  });

  test.each([
    ["documents", document, 61_000],
    ["a query, whose searcher waits,", query, 6_000],
  ])("%s are not waited for too long", async (_what, how, retryAfterMs) => {
    const { state, guard } = harness();
    const attempt = guard(async () => {
      throw unavailable({ retryAfterMs });
    }, how);
    await expect(attempt).rejects.toMatchObject({ details: { retryAfterMs } });
    expect(state.waits).toEqual([]);
  });

  test.each([
    ["a refusal", rejected()],
    ["a fault of the program", new TypeError("bug")],
  ])("%s is not tried again", async (_what, error) => {
    const { guard } = harness();
    let asked = 0;
    const request = async () => {
      asked++;
      throw error;
    };
    await expect(guard(request, document)).rejects.toBe(error);
    expect(asked).toBe(1);
  });

  test("an abort ends the wait, and no further request is made", async () => {
    const registry = createResilienceRegistry();
    const stop = new AbortController();
    let asked = 0;
    const guard = createGuard(registry, P, { sleep: async () => stop.abort(new Error("stopping")) });
    const request = async () => {
      asked++;
      throw unavailable();
    };
    await expect(guard(request, { ...document, signal: stop.signal })).rejects.toThrow("stopping");
    expect(asked).toBe(1);
  });

  test("with the real clock an abort ends the wait too", async () => {
    const stop = new AbortController();
    const guard = createGuard(createResilienceRegistry(), P);
    const request = async () => {
      queueMicrotask(() => stop.abort(new Error("stopping")));
      throw unavailable({ retryAfterMs: 50_000 });
    };
    await expect(guard(request, { ...document, signal: stop.signal })).rejects.toThrow("stopping");
  });
});

describe("the circuit breaker", () => {
  const fail = async () => {
    throw unavailable();
  };
  /** Makes two calls of three and two tries; the fifth failure opens the breaker. */
  const open = async (guard: ReturnType<typeof createGuard>) => {
    await code(guard(fail, document));
    await code(guard(fail, document));
  };

  test("opens after five failures in a row, fails at once, and closes when a probe after 30 s succeeds", async () => {
    const { state, guard } = harness();
    await open(guard);
    const openedAt = state.now;
    let asked = 0;
    const request = async () => ++asked;
    await expect(guard(request, query)).rejects.toMatchObject({
      code: "embedder_unavailable",
      details: { retryAfterMs: 30_000 },
    });
    state.now = openedAt + 29_999;
    await expect(guard(request, document)).rejects.toMatchObject({ details: { retryAfterMs: 1 } });
    expect(asked).toBe(0);
    state.now = openedAt + 30_000;
    expect(await guard(request, document)).toBe(1);
    expect(await guard(request, query)).toBe(2);
  });

  test("while open, says what the provider answered the last time", async () => {
    const { guard } = harness();
    const details = { status: 429, providerCode: "insufficient_quota" };
    const spent = async () => {
      throw new AppError("embedder_unavailable", "It answered with status 429 (insufficient_quota).", { details });
    };
    await code(guard(spent, document));
    await code(guard(spent, document));
    await expect(guard(spent, query)).rejects.toMatchObject({
      code: "embedder_unavailable",
      message:
        "It answered with status 429 (insufficient_quota). That was 0 s ago; after repeated failures it is asked again in 30 s.",
      details: { ...details, retryAfterMs: 30_000 },
    });
  });

  test("lets one probe through at a time, and a failed one opens it for another 30 s without a retry", async () => {
    const { state, guard } = harness();
    await open(guard);
    state.now += 30_000;
    const probe = Promise.withResolvers<never>();
    const first = code(guard(() => probe.promise, document));
    await expect(guard(async () => "x", query)).rejects.toMatchObject({ details: { retryAfterMs: 1000 } });
    const waits = state.waits.length;
    probe.reject(unavailable());
    expect(await first).toBe("embedder_unavailable");
    expect(state.waits).toHaveLength(waits);
    await expect(guard(async () => "x", query)).rejects.toMatchObject({ details: { retryAfterMs: 30_000 } });
  });

  test("a probe that was aborted leaves the next one to try", async () => {
    const { state, guard } = harness();
    await open(guard);
    state.now += 30_000;
    const stop = new AbortController();
    const aborted = guard(
      async () => {
        stop.abort(new Error("stopping"));
        throw unavailable();
      },
      { ...query, signal: stop.signal },
    );
    await expect(aborted).rejects.toThrow("stopping");
    expect(await guard(async () => "back", query)).toBe("back");
  });

  test.each([
    ["a success", async () => "ok"],
    ["a refusal, which is an answer,", async () => Promise.reject(rejected())],
  ])("%s between failures starts the count anew", async (_what, answer) => {
    const { guard } = harness();
    await code(guard(fail, document));
    await code(guard(answer as () => Promise<string>, document));
    // Three more failures make six in all, but only three in a row.
    await code(guard(fail, document));
    expect(await guard(async () => "still asked", document)).toBe("still asked");
  });

  test("is one for all who share the provider's key and model, and no one else's", async () => {
    const { registry, settings, guard } = harness();
    await open(guard);
    expect(await code(createGuard(registry, P, settings)(async () => "x", query))).toBe("embedder_unavailable");
    expect(
      await code(createGuard(registry, { lane: "p", breaker: "p other-model" }, settings)(async () => "x", query)),
    ).toBe("ok");
  });
});

describe("the concurrency limit", () => {
  /** Makes requests that are held until the test releases them. */
  function held() {
    const running: (() => void)[] = [];
    const request = () => new Promise<string>((resolve) => running.push(() => resolve("done")));
    return { running, request };
  }
  const settle = () => new Promise(setImmediate);

  test("holds back documents, and no query waits behind them", async () => {
    const { guard } = harness({ concurrency: 2 });
    const { running, request } = held();
    const documents = Array.from({ length: 5 }, () => guard(request, document));
    await settle();
    expect(running).toHaveLength(2);
    expect(await guard(async () => "at once", query)).toBe("at once");
    for (let done = 0; done < 5; done++) {
      running[done]?.();
      await settle();
      expect(running).toHaveLength(Math.min(5, done + 3));
    }
    expect(await Promise.all(documents)).toEqual(Array(5).fill("done"));
  });

  test("who waits can leave, and takes no one's place", async () => {
    const { guard } = harness({ concurrency: 1 });
    const { running, request } = held();
    const first = guard(request, document);
    const stop = new AbortController();
    const second = guard(request, { ...document, signal: stop.signal });
    const third = guard(request, document);
    stop.abort(new Error("stopping"));
    await expect(second).rejects.toThrow("stopping");
    running[0]?.();
    await first;
    await settle();
    running[1]?.();
    expect(await third).toBe("done");
    expect(running).toHaveLength(2);
  });

  test("a failed request frees its place", async () => {
    const { guard } = harness({ concurrency: 1 });
    await code(guard(async () => Promise.reject(rejected()), document));
    expect(await guard(async () => "next", document)).toBe("next");
  });
});

test("any embedder can be put behind a guard", async () => {
  const { registry, settings } = harness();
  let asked = 0;
  const embedder: Embedder = {
    provider: "p",
    model: "m",
    dimensions: 1,
    providerKey: "k",
    maxBatchTexts: 9,
    maxInputTokens: 99,
    embed: async (texts, _inputType, _signal, report) => {
      if (asked++ === 0) throw unavailable();
      report?.({ tokens: 3, cutTexts: 0 });
      return texts.map(() => Float32Array.of(1));
    },
    close: async () => undefined,
  };
  const guard = createGuard(registry, { lane: "p:k", breaker: "p:k:m" }, settings);
  const resilient = withEmbed(embedder, async (texts, inputType, signal, report) =>
    texts.length === 0 ? [] : guard(() => embedder.embed(texts, inputType, signal, report), { inputType, signal }),
  );
  const reports: unknown[] = [];
  expect(await resilient.embed([], "query")).toEqual([]);
  expect(await resilient.embed(["x"], "query", undefined, (usage) => reports.push(usage))).toEqual([
    Float32Array.of(1),
  ]);
  expect(asked).toBe(2);
  expect(reports).toEqual([{ tokens: 3, cutTexts: 0 }]);
  expect(resilient).toMatchObject({
    provider: "p",
    model: "m",
    providerKey: "k",
    maxBatchTexts: 9,
    maxInputTokens: 99,
  });
  expect([...registry.breakers.keys()]).toContain("p:k:m");
});
