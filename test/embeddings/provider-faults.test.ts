import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AppError } from "../../src/base/errors.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { type FakeProvider, type Fault, type ProviderShape, startFakeProvider } from "../support/fake-provider.ts";

const SHAPES: ProviderShape[] = ["openai", "gemini", "voyage", "mistral", "ollama", "openai-compatible"];
const TEXTS = ["a private text", "another private text"];

/** Faults that may be over at a second try. */
const PASSING: [string, Fault][] = [
  ["429 with Retry-After", { status: 429, headers: { "retry-after": "7" }, retryDelay: "7s" }],
  ["500", { status: 500 }],
  ["silence", "hang"],
  ["a slow drip", "drip"],
  ["truncated JSON", "truncated"],
  ["one vector too few", "few"],
  ["another dimension", "dimension"],
  ["NaN", "nan"],
  ["null in a vector", "null"],
  ["a reset connection", "reset"],
];

/** Errors that no retry can cure, and whether the request or a text causes them. */
const REFUSALS: [number, "request" | "text"][] = [
  [400, "text"],
  [401, "request"],
  [403, "request"],
  [404, "request"],
  [413, "text"],
  [422, "text"],
];

describe.each(SHAPES)("%s", (provider) => {
  let fake: FakeProvider;
  let embedder: Embedder;
  let waits: number[];
  const embedderThatWaits = async (timeoutMs: number): Promise<Embedder> => {
    const made = await createEmbedder({
      provider,
      cacheDir: "",
      baseUrl: fake.url,
      apiKey: fake.key,
      model: "a-model",
      outputDimensionality: 8,
      timeoutMs,
      headers: { "x-team": "very-secret-team" },
      resilience: { now: () => 0, random: () => 0.5, sleep: async (ms) => void waits.push(ms) },
    });
    if (!made) throw new Error("no embedder");
    return made;
  };
  beforeEach(async () => {
    fake = await startFakeProvider(provider);
    waits = [];
    embedder = await embedderThatWaits(150);
  });
  afterEach(() => fake.close());

  const failure = async () =>
    embedder.embed(TEXTS, "document").then(
      () => "no error",
      (error: unknown) => error,
    );
  /** Checks every way in which errors get logged. */
  const expectNoSecret = (error: unknown) => {
    const said = [inspect(error, { depth: 10, showHidden: true }), String(error), JSON.stringify(error)].join("\n");
    expect(said).not.toMatch(/very-secret|Bearer|x-echo|private text/);
  };

  test.each(PASSING)("%s once is made good by the next try", async (_what, fault) => {
    fake.script = [fault];
    // The second try must be answered in this time, also on a busy machine.
    const patient = await embedderThatWaits(fault === "hang" || fault === "drip" ? 1000 : 30_000);
    const vectors = await patient.embed(TEXTS, "document");
    expect(vectors.map((vector) => Math.hypot(...vector).toFixed(5))).toEqual(["1.00000", "1.00000"]);
    expect(fake.requests).toHaveLength(2);
  });

  test.each(PASSING)("%s for good is embedder_unavailable after three tries", async (_what, fault) => {
    fake.steady = fault;
    const error = await failure();
    expect(error).toMatchObject({ code: "embedder_unavailable" });
    expect(fake.requests).toHaveLength(3);
    expectNoSecret(error);
  });

  test("vectors of another length are named, with the setting that takes them", async () => {
    embedder = await embedderThatWaits(30_000);
    fake.steady = "dimension";
    const { details, message } = (await failure()) as AppError;
    expect(details).toMatchObject({ expected: 8, dimensions: expect.any(Number) });
    expect(message).toContain(`outputDimensionality ${details?.dimensions}`);
  });

  test("waits as long as the provider asks, and says so in the end", async () => {
    embedder = await embedderThatWaits(30_000);
    fake.steady = { status: 429, headers: { "retry-after": "7" }, retryDelay: "7s" };
    expect(await failure()).toMatchObject({ details: { status: 429, retryAfterMs: 7000 } });
    expect(waits).toEqual([7000 + 125, 7000 + 250]);
  });

  test("waits as long as the header Retry-After asks, when a gateway sends nothing else", async () => {
    embedder = await embedderThatWaits(30_000);
    fake.steady = { status: 503, headers: { "retry-after": "7" } };
    expect(await failure()).toMatchObject({ details: { status: 503, retryAfterMs: 7000 } });
    expect(waits).toEqual([7000 + 125, 7000 + 250]);
  });

  test.each(REFUSALS)("%i is embedder_rejected at once, the fault of the %s", async (status, fault) => {
    // An answer that a busy machine delays is no outage.
    embedder = await embedderThatWaits(30_000);
    fake.steady = { status };
    const error = await failure();
    expect(error).toMatchObject({ code: "embedder_rejected", details: { status, fault } });
    expect(fake.requests).toHaveLength(1);
    expectNoSecret(error);
  });

  test("an abort ends a request at once", async () => {
    fake.steady = "hang";
    const stop = new AbortController();
    const attempt = embedder.embed(TEXTS, "document", stop.signal);
    stop.abort(new Error("stopping"));
    await expect(attempt).rejects.toThrow("stopping");
    await expect(embedder.embed(TEXTS, "query", stop.signal)).rejects.toThrow("stopping");
  });
});

describe.each(["openai", "gemini"] as const)("%s, its quota spent", (provider) => {
  test("the short code of the answer is told, and no text that stands in its place", async () => {
    const fake = await startFakeProvider(provider, 8);
    const { key: apiKey, url: baseUrl } = fake;
    const resilience = { sleep: async () => {} };
    const settings = { provider, cacheDir: "", baseUrl, apiKey, model: "a-model", outputDimensionality: 8, resilience };
    const embedder = await createEmbedder(settings);
    const answerTo = async (reason: string) => {
      fake.steady = { status: 429, reason };
      return embedder?.embed(TEXTS, "document").catch((error: unknown) => error);
    };
    expect(await answerTo("insufficient_quota")).toMatchObject({
      message: "The embedding provider answered with status 429 (insufficient_quota).",
      details: { status: 429, providerCode: "insufficient_quota" },
    });
    expect(inspect(await answerTo(`the key is ${apiKey}`), { depth: 10 })).not.toContain(apiKey);
    await fake.close();
  });
});

describe.each(["openai", "gemini", "voyage", "mistral"] as const)("%s, its key revoked", (provider) => {
  test("in the middle of a run: what is done stays done, the rest is refused as the fault of the key", async () => {
    const fake = await startFakeProvider(provider, 8);
    const { key: apiKey, url: baseUrl } = fake;
    const settings = { provider, cacheDir: "", baseUrl, apiKey, model: "a-model", outputDimensionality: 8 };
    const embedder = await createEmbedder(settings);
    expect(await embedder?.embed(TEXTS, "document")).toHaveLength(2);
    fake.key = "another key";
    const error = await embedder?.embed(TEXTS, "document").catch((reason: unknown) => reason);
    await fake.close();
    expect(error).toMatchObject({
      code: "embedder_rejected",
      message: expect.stringContaining("check the API key"),
      details: { fault: "request" },
    });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(apiKey);
    expect(fake.requests).toHaveLength(2);
  });
});
