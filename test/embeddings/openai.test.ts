import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { OpenAiOptions } from "../../src/embeddings/openai-embedder.ts";
import { type FakeEmbeddings, sendJson, startFakeEmbeddings } from "../support/fake-embeddings.ts";

const KEY = "sk-very-secret-key";

describe("the openai embedder", () => {
  let fake: FakeEmbeddings;
  beforeEach(async () => {
    fake = await startFakeEmbeddings(8);
  });
  afterEach(() => fake.close());

  const create = async (options: OpenAiOptions = {}) => {
    const embedder = await createEmbedder({
      cacheDir: "",
      baseUrl: fake.url,
      apiKey: KEY,
      outputDimensionality: 8,
      ...options,
      provider: "openai",
    });
    if (!embedder) throw new Error("no embedder");
    return embedder;
  };
  const vectors = (embedding: unknown[][]) => ({
    data: embedding.map((values, index) => ({ object: "embedding", index, embedding: values })),
  });

  test("returns unit vectors in the order of the texts, whatever the order of the answer", async () => {
    const embedder = await create();
    const [a, b] = await embedder.embed(["apple apple", "pear"], "document");
    expect(Math.hypot(...(a ?? []))).toBeCloseTo(1, 5);
    const [alone] = await embedder.embed(["pear"], "document");
    expect(b).toEqual(alone);
    expect(fake.requests[0]).toMatchObject({
      path: "/v1/embeddings",
      body: { model: "text-embedding-3-small", dimensions: 8 },
    });
    expect(fake.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test("splits more than 100 texts", async () => {
    const embedder = await create();
    const texts = Array.from({ length: 230 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(texts, "document")).toHaveLength(230);
    expect(fake.requests.map((request) => request.body.input.length)).toEqual([100, 100, 30]);
  });

  test("knows OpenAI's own models and asks any other for its dimensions", async () => {
    const known = await createEmbedder({ provider: "openai", cacheDir: "", baseUrl: fake.url, apiKey: KEY });
    expect(known?.dimensions).toBe(1536);
    expect(fake.requests).toHaveLength(0);
    const other = await createEmbedder({ provider: "openai", cacheDir: "", baseUrl: fake.url, model: "my-model" });
    expect(other?.dimensions).toBe(8);
  });

  test("tells vectors of another key, endpoint or size apart, without the key", async () => {
    const keys = await Promise.all([create(), create({ apiKey: "other" }), create({ outputDimensionality: 4 })]);
    expect(new Set(keys.map((embedder) => embedder.providerKey)).size).toBe(3);
    expect(keys[0]?.providerKey).not.toContain(KEY);
  });

  test("OpenAI itself without a key fails closed", async () => {
    const attempt = createEmbedder({ provider: "openai", cacheDir: "" });
    await expect(attempt).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("OPENAI_API_KEY"),
    });
  });

  type Fault = NonNullable<FakeEmbeddings["fault"]>;
  const faults: [string, string, Fault][] = [
    [
      "401",
      "embedder_rejected",
      (response) => sendJson(response, 401, { error: { message: `Incorrect API key provided: ${KEY}` } }),
    ],
    ["400", "embedder_rejected", (response) => sendJson(response, 400, { error: { message: "too long" } })],
    ["500 again and again", "embedder_unavailable", (response) => sendJson(response, 500, { error: { message: KEY } })],
    [
      "too few vectors",
      "embedder_unavailable",
      (response) => sendJson(response, 200, vectors([[1, 0, 0, 0, 0, 0, 0, 0]])),
    ],
    [
      "another dimension",
      "embedder_unavailable",
      (response) =>
        sendJson(
          response,
          200,
          vectors([
            [1, 0],
            [0, 1],
          ]),
        ),
    ],
    [
      "null in a vector",
      "embedder_unavailable",
      (response) => sendJson(response, 200, vectors([Array(8).fill(null), Array(8).fill(1)])),
    ],
    [
      "a vector of zeros",
      "embedder_unavailable",
      (response) => sendJson(response, 200, vectors([Array(8).fill(0), Array(8).fill(1)])),
    ],
    [
      "truncated JSON",
      "embedder_unavailable",
      (response) => Boolean(response.writeHead(200, { "content-type": "application/json" }).end('{"data": [{"ind')),
    ],
    [
      "an answer that is no JSON",
      "embedder_unavailable",
      (response) => Boolean(response.writeHead(200, { "content-type": "text/html" }).end("<html>")),
    ],
    ["a reset connection", "embedder_unavailable", (response) => Boolean(response.socket?.destroy())],
    ["silence", "embedder_unavailable", () => true],
  ];
  test.each(faults)("%s is %s, and no error tells the key", async (_what, code, fault) => {
    const embedder = await create({ timeoutMs: 300 });
    fake.fault = fault;
    const error = await embedder.embed(["one", "two"], "document").then(
      () => "no error",
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY);
  });

  test("a page of HTML with status 200 is named as such", async () => {
    const embedder = await create();
    fake.fault = (response) =>
      Boolean(response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><html><body>Sign in"));
    await expect(embedder.embed(["one"], "document")).rejects.toThrow(
      /answered with a page of HTML and not with valid JSON/,
    );
  });

  test("429 is tried again after Retry-After", async () => {
    const embedder = await create();
    let refused = 0;
    fake.fault = (response) =>
      refused++ === 0 && sendJson(response, 429, { error: { message: "slow down" } }, { "retry-after": "0.1" });
    expect(await embedder.embed(["one"], "document")).toHaveLength(1);
    expect(fake.requests).toHaveLength(2);
  });

  test("an aborted request ends at once", async () => {
    const embedder = await create();
    fake.fault = () => true;
    const stop = new AbortController();
    const attempt = embedder.embed(["one"], "document", stop.signal);
    stop.abort(new Error("stopping"));
    await expect(attempt).rejects.toThrow("stopping");
  });
});
