import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { embedByGemini, type GeminiAccess } from "../../src/base/gemini-sdk.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";

const FOREVER = new AbortController().signal;
const original = globalThis.fetch;
let fake: FakeProvider;
let sent: string[];
beforeEach(async () => {
  sent = [];
  fake = await startFakeProvider("gemini", 3);
});
afterEach(() => fake.close());

const access = (from = "caller"): GeminiAccess => ({
  model: "models/m",
  apiKey: fake.key,
  baseUrl: fake.url,
  version: "v1beta",
  headers: { "x-team": "a-team" },
  fetch: (url, init) => {
    sent.push(from);
    return fetch(url, init);
  },
});
const text = (words: string) => ({ content: { role: "user", parts: [{ text: words }] }, outputDimensionality: 2 });

describe("Google's SDK", () => {
  test("sends by the caller's fetch; the key is a header and not in the address", async () => {
    const outcome = await embedByGemini(access(), [text("a"), text("b")], FOREVER);
    expect(outcome).toEqual({ answer: { embeddings: [{ values: [3.5, 6.5] }, { values: [3.5, 7.5] }] } });
    expect(sent).toEqual(["caller"]);
    expect(fake.requests).toMatchObject([
      { path: "/v1beta/models/m:batchEmbedContents", headers: { "x-goog-api-key": fake.key, "x-team": "a-team" } },
    ]);
    expect(fake.requests[0]?.body.requests).toEqual([
      { model: "models/m", ...text("a") },
      { model: "models/m", ...text("b") },
    ]);
  });

  test("leaves the global fetch to all others, also while it sends", async () => {
    const outcomes = [1, 2, 3].map((caller) => {
      const outcome = embedByGemini(access(`caller ${caller}`), [text("a")], FOREVER);
      expect(globalThis.fetch).toBe(original);
      return outcome;
    });
    const seen = new Set<unknown>();
    const others = Array.from({ length: 50 }, async (_, turn) => {
      for (let i = 0; i < turn; i++) await undefined;
      seen.add(globalThis.fetch);
    });
    await Promise.all([...others, ...outcomes]);
    expect(seen).toEqual(new Set([original]));
    expect(sent.toSorted()).toEqual(["caller 1", "caller 2", "caller 3"]);
    expect(globalThis.fetch).toBe(original);
  });

  test("sends nothing for a signal that is already aborted", async () => {
    const outcome = await embedByGemini(access(), [text("a")], AbortSignal.abort());
    expect(outcome).toMatchObject({ failure: { status: undefined } });
    expect(fake.requests).toEqual([]);
  });

  test.each(["hang", "drip"] as const)("ends a request that meets a %s when the signal says so", async (fault) => {
    fake.steady = fault;
    const outcome = await embedByGemini(access(), [text("a")], AbortSignal.timeout(100));
    expect(outcome).toMatchObject({ failure: { status: undefined } });
  });

  test("a refusal has status, details and headers, and not the words of the server", async () => {
    fake.steady = { status: 429, headers: { "retry-after": "7" }, retryDelay: "9s" };
    const outcome = await embedByGemini(access(), [text("a private text")], FOREVER);
    expect(outcome).toMatchObject({
      failure: { status: 429, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "9s" }] },
    });
    const { failure } = outcome as Extract<typeof outcome, { failure: unknown }>;
    expect(failure.headers?.get("retry-after")).toBe("7");
    expect(inspect({ ...failure, headers: undefined }, { depth: 10 })).not.toMatch(/private|very-secret/);
  });
});
