import { afterEach, describe, expect, test } from "vitest";
import { createEmbedder, type EmbedderSettings } from "../../src/embeddings/create-embedder.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { type FakeProvider, type ProviderShape, startFakeProvider } from "../support/fake-provider.ts";

let fake: FakeProvider | undefined;
afterEach(() => fake?.close());

async function start(provider: ProviderShape, settings: Partial<EmbedderSettings> = {}, dimensions = 8) {
  fake = await startFakeProvider(provider, dimensions);
  const made = await createEmbedder({ provider, cacheDir: "", baseUrl: fake.url, apiKey: fake.key, ...settings });
  if (!made) throw new Error("no embedder");
  return { embedder: made as Embedder, requests: fake.requests };
}

describe("what a provider is asked", () => {
  test.each([
    ["openai", { encoding_format: "float", dimensions: 256 }, { encoding_format: "float", dimensions: 256 }],
    ["voyage", { input_type: "query", output_dimension: 256 }, { input_type: "document", output_dimension: 256 }],
    ["ollama", { encoding_format: "float", dimensions: 256 }, { encoding_format: "float", dimensions: 256 }],
  ] as const)("%s: model, input and its own fields, no others", async (provider, query, document) => {
    const { embedder, requests } = await start(provider, { outputDimensionality: 256 });
    await embedder.embed(["why?"], "query");
    await embedder.embed(["because"], "document");
    expect(requests.map((request) => request.body)).toEqual([
      { model: embedder.model, input: ["why?"], ...query },
      { model: embedder.model, input: ["because"], ...document },
    ]);
    expect(embedder).toMatchObject({ provider, dimensions: 256 });
  });

  test.each(["", "/", "/api", "/api/", "/v1", "/v1/"])(
    "ollama at its address with %j is asked below /v1",
    async (path) => {
      fake = await startFakeProvider("ollama", 768);
      const origin = new URL(fake.url).origin;
      const embedder = await createEmbedder({ provider: "ollama", cacheDir: "", baseUrl: `${origin}${path}` });
      await embedder?.embed(["x"], "query");
      expect(fake.requests.map((request) => request.path)).toEqual(["/v1/embeddings"]);
    },
  );

  test("ollama behind a path of a gateway is asked there as it always was, and both spellings of an address share their cache", async () => {
    fake = await startFakeProvider("ollama", 768);
    const origin = new URL(fake.url).origin;
    const make = (baseUrl: string) => createEmbedder({ provider: "ollama", cacheDir: "", baseUrl });
    // The fake does not serve this path; only the requested address matters.
    await (await make(`${origin}/team/ollama`))?.embed(["x"], "query").catch(() => undefined);
    expect(fake.requests[0]?.path).toBe("/team/ollama/embeddings");
    expect((await make(origin))?.providerKey).toBe((await make(`${origin}/v1`))?.providerKey);
  });

  test("another server's address stays as it is given", async () => {
    fake = await startFakeProvider("openai-compatible");
    const origin = new URL(fake.url).origin;
    const settings = { provider: "openai-compatible", model: "m", outputDimensionality: 8, cacheDir: "" } as const;
    const embedder = await createEmbedder({ ...settings, baseUrl: `${origin}/compatible` });
    await embedder?.embed(["x"], "query").catch(() => undefined);
    expect(fake.requests[0]?.path).toBe("/compatible/embeddings");
  });

  test("mistral: a size only of a model that has a choice", async () => {
    const { embedder, requests } = await start("mistral", { model: "codestral-embed", outputDimensionality: 512 });
    await embedder.embed(["x"], "document");
    expect(requests[0]?.body).toMatchObject({ output_dimension: 512 });
    const fixed = createEmbedder({ provider: "mistral", cacheDir: "", apiKey: "k", outputDimensionality: 512 });
    await expect(fixed).rejects.toMatchObject({ code: "config_invalid", message: expect.stringContaining("1024") });
  });

  test("gemini: a task type and the model with each text, and unit vectors at any size", async () => {
    const { embedder, requests } = await start("gemini", { outputDimensionality: 768 });
    const [vector] = await embedder.embed(["why?"], "query");
    await embedder.embed(["because"], "document");
    const sent = (text: string, taskType: string) => ({
      requests: [
        {
          model: "models/gemini-embedding-001",
          content: { role: "user", parts: [{ text }] },
          taskType,
          outputDimensionality: 768,
        },
      ],
    });
    expect(requests.map((request) => request.body)).toEqual([
      sent("why?", "RETRIEVAL_QUERY"),
      sent("because", "RETRIEVAL_DOCUMENT"),
    ]);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
    expect(requests[0]?.path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
  });

  test("gemini: an address that ends in the version is not given it twice", async () => {
    const { requests, embedder } = await start("gemini");
    const versioned = await createEmbedder({
      provider: "gemini",
      cacheDir: "",
      apiKey: "k",
      baseUrl: `${fake?.url}/v1beta/`,
    });
    await versioned?.embed(["x"], "query").catch(() => undefined);
    await embedder.embed(["x"], "query").catch(() => undefined);
    expect(requests[0]?.path).toBe(requests.at(-1)?.path);
  });

  test("gemini-embedding-2 gets prompts, for it knows no task types", async () => {
    const { embedder, requests } = await start("gemini", { model: "gemini-embedding-2", outputDimensionality: 8 });
    await embedder.embed(["why?"], "query");
    expect(requests[0]?.texts).toEqual(["task: search result | query: why?"]);
    expect(JSON.stringify(requests[0]?.body)).not.toContain("taskType");
  });

  test.each([
    ["voyage", "input_type"],
    ["openai-compatible", "input_type"],
    ["gemini", "taskType"],
  ] as const)("%s: the settings' input types win", async (provider, field) => {
    const words = { queryInputType: "ask", documentInputType: "passage" };
    const { embedder, requests } = await start(provider, { ...words, model: "m", outputDimensionality: 8 });
    await embedder.embed(["x"], "query").catch(() => undefined);
    await embedder.embed(["x"], "document").catch(() => undefined);
    const sent = requests.map(
      ({ body }) => ((body.requests as object[] | undefined)?.[0] ?? body) as Record<string, unknown>,
    );
    expect(sent.map((body) => body[field])).toEqual(["ask", "passage"]);
  });

  test("no key, no Ollama key: what needs none is asked without", async () => {
    const { embedder } = await start("ollama", { apiKey: undefined }, 768);
    expect(embedder).toMatchObject({ model: "nomic-embed-text", dimensions: 768 });
    expect(await embedder.embed(["x"], "document")).toHaveLength(1);
  });
});

describe("limits of a request", () => {
  const all = (requests: FakeProvider["requests"]) => requests.map((request) => request.texts.length);

  test("at most 100 texts", async () => {
    const { embedder, requests } = await start("gemini", { outputDimensionality: 8 });
    const texts = Array.from({ length: 230 }, (_, i) => `text ${i}`);
    expect(await embedder.embed(texts, "document")).toHaveLength(230);
    expect(all(requests)).toEqual([100, 100, 30]);
  });

  test("Mistral's 16,384 tokens: chunks that OpenAI takes in one request go in several", async () => {
    const chunks = Array.from({ length: 60 }, () => "some words of a chunk ".repeat(70));
    const { embedder, requests } = await start("mistral", {}, 1024);
    const reports: { tokens: number; cutTexts: number }[] = [];
    await embedder.embed(chunks, "document", undefined, (usage) => reports.push(usage));
    expect(requests.length).toBeGreaterThan(1);
    for (const { texts } of requests) expect(texts.join("").length / 4).toBeLessThan(16_384);
    // One report per request, with the provider's count of tokens: the fake counts seven a text.
    expect(reports).toEqual(all(requests).map((count) => ({ tokens: count * 7, cutTexts: 0 })));
    expect(all(requests).reduce((sum, count) => sum + count, 0)).toBe(60);
  });

  test("bytes of a server that may stand behind a proxy", async () => {
    const { embedder, requests } = await start("openai-compatible", { model: "m", outputDimensionality: 8 });
    await embedder.embed(Array(100).fill("short words ".repeat(2000)), "document");
    for (const { body } of requests) expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(1_048_576);
  });

  test("texts that are too long are cut, counted and warned about once, without a word of them", async () => {
    const warnings: string[] = [];
    const settings = { outputDimensionality: 8, onWarning: (message: string) => warnings.push(message) };
    const { embedder, requests } = await start("gemini", settings);
    const reports: { tokens: number; cutTexts: number }[] = [];
    const long = "privately ".repeat(2000);
    await embedder.embed(["fine", long, long], "document", undefined, (usage) => reports.push(usage));
    expect(requests[0]?.texts.map((text) => text.length)).toEqual([4, 8192, 8192]);
    // Gemini does not report how many tokens it read.
    expect(reports).toEqual([{ tokens: 1 + 2 * embedder.maxInputTokens, cutTexts: 2 }]);
    expect(warnings).toEqual([expect.stringMatching(/^2 texts were longer than the 2048 tokens/)]);
    expect(warnings.join()).not.toContain("privately");
  });

  test("what servers refuse is not sent: empty texts, half surrogate pairs", async () => {
    const { embedder, requests } = await start("openai", { outputDimensionality: 8 });
    expect(await embedder.embed(["", "a\ud800b"], "document")).toHaveLength(2);
    expect(requests[0]?.texts).toEqual([" ", "a\ufffdb"]);
  });
});

describe("settings that cannot be right", () => {
  const key = "sk-very-secret-key";
  const wrong: [string, Partial<EmbedderSettings>, RegExp][] = [
    ["a server of one's own without address", { provider: "openai-compatible", model: "m" }, /remote\.baseUrl/],
    ["one without a model", { provider: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" }, /model/],
    [
      "a password in the address",
      { provider: "voyage", apiKey: key, baseUrl: `https://u:${key}@host` },
      /remote\.headers/,
    ],
    ["an address that is none", { provider: "ollama", baseUrl: `ftp://${key}` }, /http/],
    ["a header that cannot be sent", { provider: "gemini", apiKey: key, headers: { a: `${key}\nb: c` } }, /headers/],
    ["the key as a header", { provider: "gemini", apiKey: key, headers: { "X-Goog-Api-Key": key } }, /x-goog-api-key/],
    ["a key that no header can carry", { provider: "mistral", apiKey: `${key}\nx` }, /MISTRAL_API_KEY/],
    ["a size the model does not have", { provider: "voyage", apiKey: key, outputDimensionality: 300 }, /256, 512/],
    [
      "a provider's key for another server",
      { provider: "gemini", baseUrl: "https://h", keys: { gemini: key } },
      /GEMINI/,
    ],
  ];
  test.each(wrong)("%s", async (_what, settings, said) => {
    const error = await createEmbedder({ provider: "none", cacheDir: "", ...settings }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: "config_invalid", message: expect.stringMatching(said) });
    expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toContain(key);
  });

  test("vectors of other input types, headers or keys are told apart", async () => {
    const base: EmbedderSettings = { provider: "voyage", cacheDir: "", apiKey: "k" };
    const variants: Partial<EmbedderSettings>[] = [
      {},
      { queryInputType: "a" },
      { documentInputType: "a" },
      { headers: { route: "x" } },
      { apiKey: "l" },
      { outputDimensionality: 256 },
    ];
    const made = await Promise.all(variants.map((variant) => createEmbedder({ ...base, ...variant })));
    expect(new Set(made.map((embedder) => embedder?.providerKey)).size).toBe(variants.length);
  });
});
