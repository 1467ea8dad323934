import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import { createOpenAiEmbedder, type OpenAiOptions } from "../../src/embeddings/openai-embedder.ts";
import { type FakeEmbeddings, sendJson, startFakeEmbeddings } from "../support/fake-embeddings.ts";

const KEY = "sk-very-secret-key";

describe("answers of an embedding provider", () => {
  let fake: FakeEmbeddings;
  beforeEach(async () => {
    fake = await startFakeEmbeddings(3);
  });
  afterEach(() => fake.close());

  const create = (options: OpenAiOptions = {}) =>
    createOpenAiEmbedder({ baseUrl: fake.url, apiKey: KEY, outputDimensionality: 3, ...options });
  const answer = (data: unknown) => {
    fake.fault = (response) => sendJson(response, 200, { object: "list", data });
  };
  const item = (embedding: unknown, index?: unknown) => ({ object: "embedding", embedding, index });
  const failure = async (work: Promise<unknown>) =>
    work.then(
      () => "no error",
      (error: unknown) => error,
    );

  const wrong: [string, unknown][] = [
    ["one null among numbers", [item([1, null, 1], 0), item([1, 1, 1], 1)]],
    ["a number as text", [item([1, "1", 1], 0), item([1, 1, 1], 1)]],
    ["a vector as base64", [item("AACAPwAAgD8AAIA/", 0), item([1, 1, 1], 1)]],
    ["no vector", [item(undefined, 0), item([1, 1, 1], 1)]],
    ["null for an item", [null, item([1, 1, 1], 1)]],
    ["one index twice", [item([1, 1, 1], 0), item([1, 0, 1], 0)]],
    ["an index out of range", [item([1, 1, 1], 0), item([1, 0, 1], 2)]],
    ["an index as text", [item([1, 1, 1], "0"), item([1, 0, 1], "1")]],
    ["more vectors than texts", [item([1, 1, 1], 0), item([1, 0, 1], 1), item([1, 0, 1], 2)]],
    ["an object for the list", { 0: item([1, 1, 1], 0) }],
    ["no list", undefined],
  ];
  test.each(wrong)("%s is an error, not a vector", async (_what, data) => {
    const embedder = await create();
    answer(data);
    expect(await failure(embedder.embed(["one", "two"], "document"))).toMatchObject({ code: "embedder_unavailable" });
  });

  test("a server that leaves the index out is taken to keep the order", async () => {
    const embedder = await create();
    answer([item([2, 0, 0]), item([0, 0, 5])]);
    const vectors = await embedder.embed(["one", "two"], "document");
    expect(vectors).toEqual([Float32Array.of(1, 0, 0), Float32Array.of(0, 0, 1)]);
  });

  test("a vector of any length comes out with length one", async () => {
    const embedder = await create();
    answer([item([3e-60, 4e-60, 0]), item([0, 3e200, 4e200])]);
    const vectors = await embedder.embed(["one", "two"], "document");
    expect(vectors.map((vector) => [...vector].map((value) => Number(value.toFixed(6))))).toEqual([
      [0.6, 0.8, 0],
      [0, 0.6, 0.8],
    ]);
  });

  test("no texts are no request", async () => {
    expect(await (await create()).embed([], "document")).toEqual([]);
    expect(fake.requests).toHaveLength(0);
  });

  test("one failed request of several fails the whole call", async () => {
    const embedder = await create();
    fake.fault = (response, input) => input.includes("text 150") && sendJson(response, 400, { error: {} });
    const texts = Array.from({ length: 230 }, (_, i) => `text ${i}`);
    expect(await failure(embedder.embed(texts, "document"))).toMatchObject({ code: "embedder_rejected" });
    expect(fake.requests).toHaveLength(2);
  });

  test.each([
    ["an empty vector", [item([], 0)]],
    ["no vector", [item(undefined, 0)]],
    ["a vector of zeros", [item([0, 0], 0)]],
  ])("an unknown model whose probe gives %s is not started with", async (_what, data) => {
    answer(data);
    const error = await failure(create({ model: "mine", outputDimensionality: undefined }));
    expect(error).toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining("RECOLLECT_OUTPUT_DIMENSIONALITY"),
    });
  });

  test("an answer whose body stalls ends with the time-out", async () => {
    const embedder = await create({ timeoutMs: 300 });
    fake.fault = (response) => {
      response.writeHead(200, { "content-type": "application/json" }).write('{"object": "list", "data": [');
      return true;
    };
    expect(await failure(embedder.embed(["one"], "document"))).toMatchObject({ code: "embedder_unavailable" });
  });

  test("an abort ends the wait that the provider asked for", async () => {
    const embedder = await createEmbedder({ provider: "openai", cacheDir: "", baseUrl: fake.url, apiKey: KEY });
    const refused = Promise.withResolvers<void>();
    fake.fault = (response) => {
      response.on("finish", () => refused.resolve());
      return sendJson(response, 429, { error: { message: "slow down" } }, { "retry-after": "50" });
    };
    const stop = new AbortController();
    const attempt = failure(embedder?.embed(["one"], "document", stop.signal) ?? Promise.resolve());
    await refused.promise;
    stop.abort(new Error("stopping"));
    expect(await attempt).toMatchObject({ message: "stopping" });
    expect(fake.requests).toHaveLength(1);
  });

  test("a key that no header can carry is refused at the start, and not quoted", async () => {
    for (const apiKey of [`${KEY}\nx-evil: 1`, `${KEY} and more`, `${KEY}…`, " "]) {
      const error = await failure(create({ apiKey }));
      expect(error).toMatchObject({ code: "config_invalid", message: expect.stringContaining("OPENAI_API_KEY") });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY);
    }
  });

  test("no error shows the key, a header or what the provider says, in any of the ways errors get logged", async () => {
    const embedder = await create({ timeoutMs: 300 });
    const quote = (status: number) => () =>
      failure(
        (() => {
          fake.fault = (response) => {
            const seen = JSON.stringify(fake.requests.at(-1)?.headers);
            return sendJson(response, status, { error: { message: seen, code: KEY, param: KEY } }, { "x-echo": KEY });
          };
          return embedder.embed(["a private text"], "document");
        })(),
      );
    for (const ask of [401, 403, 404, 422].map(quote)) {
      const error = (await ask()) as Error & { details?: unknown };
      const causes = [error, error.cause].flatMap((e) => [
        inspect(e, { depth: 10, showHidden: true }),
        String(e),
        JSON.stringify(e) ?? "",
        e instanceof Error ? JSON.stringify(e, Object.getOwnPropertyNames(e)) : "",
      ]);
      expect(error).toMatchObject({ code: "embedder_rejected", details: { status: expect.any(Number) } });
      expect(causes.join("\n")).not.toMatch(/very-secret|Bearer|authorization|x-echo|a private text/i);
    }
  });
});
