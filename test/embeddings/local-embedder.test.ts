import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInContext } from "../../src/base/request-context.ts";
import { createEmbedder, type EmbedderSettings } from "../../src/embeddings/create-embedder.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { type FakeLlama, fakeLlama } from "../support/fake-llama.ts";
import { until } from "../support/until.ts";

describe("the local embedder", () => {
  let dir: string;
  let gemma: string;
  let other: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "recollect-local-"));
    gemma = join(dir, "embeddinggemma-300m-qat-Q8_0.gguf");
    other = join(dir, "other.gguf");
    writeFileSync(gemma, "weights ".repeat(50_000));
    writeFileSync(other, "weights ".repeat(50_000));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const start = async (llama: FakeLlama, modelPath: string, settings: Partial<EmbedderSettings> = {}) => {
    const loadEngine = async () => llama.engine;
    const made = await createEmbedder({
      provider: "local",
      cacheDir: dir,
      local: { modelPath },
      loadEngine,
      ...settings,
    });
    return made as Embedder;
  };

  test("gives unit vectors in order, says what it read, and closes all it opened", async () => {
    const llama = fakeLlama();
    const embedder = await start(llama, other);
    const reports: unknown[] = [];
    const vectors = await embedder.embed(["abcd", "bbbb"], "document", undefined, (usage) => reports.push(usage));
    expect(vectors.map((vector) => Math.hypot(...vector).toFixed(5))).toEqual(["1.00000", "1.00000"]);
    expect(llama.asked).toEqual(["abcd", "bbbb"]);
    expect(reports).toEqual([{ tokens: 8, cutTexts: 0 }]);
    expect(embedder).toMatchObject({ provider: "local", model: "other", dimensions: 4 });
    await embedder.close();
    expect(llama.events).toEqual([
      "llama, build never",
      "model other.gguf",
      "closed context",
      "closed model",
      "closed llama",
    ]);
  });

  test("EmbeddingGemma gets its prompts and may give shorter vectors, another model neither", async () => {
    const llama = fakeLlama({ vectorSize: 8 });
    const embedder = await start(llama, gemma, { outputDimensionality: 4 });
    const [vector] = await embedder.embed(["why?"], "query");
    await embedder.embed(["because"], "document");
    expect(llama.asked).toEqual(["task: search result | query: why?", "title: none | text: because"]);
    expect([vector?.length, Math.hypot(...(vector ?? [])).toFixed(5)]).toEqual([4, "1.00000"]);
    await expect(start(fakeLlama(), other, { outputDimensionality: 2 })).rejects.toMatchObject({
      code: "config_invalid",
    });
  });

  test("the settings' prompts win", async () => {
    const llama = fakeLlama();
    const embedder = await start(llama, other, { queryInputType: "Q: ", documentInputType: "D: " });
    await embedder.embed(["x"], "query");
    await embedder.embed(["y"], "document");
    expect(llama.asked).toEqual(["Q: x", "D: y"]);
  });

  test("the context is no larger than the model's, read in one batch, and longer texts are cut to it", async () => {
    const llama = fakeLlama({ trainContextSize: 64 });
    const warnings: string[] = [];
    const embedder = await start(llama, other, { onWarning: (message) => warnings.push(message) });
    expect(llama.contextOptions).toEqual({ contextSize: 64, batchSize: 64 });
    const reports: unknown[] = [];
    await embedder.embed(["a", "b".repeat(500)], "document", undefined, (usage) => reports.push(usage));
    expect(llama.asked).toEqual(["a", "b".repeat(embedder.maxInputTokens)]);
    expect(reports).toEqual([{ tokens: 1 + embedder.maxInputTokens, cutTexts: 1 }]);
    expect(warnings).toHaveLength(1);
  });

  test("a configured context is kept to", async () => {
    const llama = fakeLlama();
    await start(llama, other, { local: { modelPath: other, contextSize: 512 } });
    expect(llama.contextOptions?.contextSize).toBe(512);
  });

  test("a model is loaded once, whatever is put before its texts, and closed with the last of its embedders", async () => {
    const llama = fakeLlama();
    const [first, second] = [await start(llama, other), await start(llama, other, { queryInputType: "ask: " })];
    const loads = () => llama.events.filter((event) => event.startsWith("model")).length;
    expect(loads()).toBe(1);
    await first.close();
    expect(await second.embed(["still there"], "query")).toHaveLength(1);
    await second.close();
    await (await start(llama, other)).close();
    expect(loads()).toBe(2);
  });

  test("an abort is not kept waiting by native work, and stops the texts after it", async () => {
    const llama = fakeLlama();
    const gate = Promise.withResolvers<void>();
    llama.gate = gate.promise;
    const embedder = await start(llama, other);
    const stop = new AbortController();
    const attempt = embedder.embed(["one", "two"], "document", stop.signal);
    // Waits until the first text has its turn at the model.
    await until(() => llama.asked.length === 1);
    stop.abort(new Error("stopping"));
    await expect(attempt).rejects.toThrow("stopping");
    gate.resolve();
    expect(llama.asked).toEqual(["one"]);
  });

  test("a text of one tenant waits for a few of another's, not for its batches, each of which is one request", async () => {
    const llama = fakeLlama();
    const gate = Promise.withResolvers<void>();
    llama.gate = gate.promise;
    const embedder = await start(llama, other);
    const reports: number[] = [];
    const embed = (tenantId: string, texts: readonly string[]) =>
      runInContext({ tenantId, statements: 0 }, () =>
        embedder.embed(texts, "document", undefined, ({ tokens }) => void reports.push(tokens)),
      );
    const batch = (name: string) => Array.from({ length: 32 }, (_, i) => `${name}${i}`);
    const batches = ["a", "b", "c"].map((name) => embed("busy", batch(name)));
    await until(() => llama.asked.length > 0);
    const only = embed("quiet", ["only"]);
    gate.resolve();
    expect(await only).toHaveLength(1);
    const vectors = await Promise.all(batches);
    expect(vectors.map((one) => one.length)).toEqual([32, 32, 32]);
    expect(llama.asked).toHaveLength(97);
    expect(llama.asked.indexOf("only")).toBeLessThanOrEqual(8);
    expect(reports).toHaveLength(4);
    expect(vectors[0]?.[7]).toEqual((await embed("busy", ["a7"]))[0]);
  });

  test("another file under the same name is another provider key", async () => {
    const before = await start(fakeLlama(), other);
    writeFileSync(other, `weights.${"weights ".repeat(49_999)}`);
    const after = await start(fakeLlama(), other);
    expect(after.providerKey).not.toBe(before.providerKey);
    expect((await start(fakeLlama(), other)).providerKey).toBe(after.providerKey);
  });

  test("without a path the default model is looked for where models are kept", async () => {
    expect(await start(fakeLlama(), gemma, { local: undefined })).toMatchObject({
      model: "embeddinggemma-300m-qat-Q8_0",
    });
    const missing = start(fakeLlama(), gemma, { local: undefined, cacheDir: join(dir, "empty") });
    await expect(missing).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("modelPath"),
    });
  });

  test("a file that is no model is the settings' fault, and leaves nothing open", async () => {
    const llama = fakeLlama();
    llama.failure = new Error("invalid magic");
    await expect(start(llama, other)).rejects.toMatchObject({ code: "config_invalid" });
    expect(llama.events.at(-1)).toBe("closed llama");
  });

  test("a failure of the engine is embedder_unavailable", async () => {
    const llama = fakeLlama();
    const embedder = await start(llama, other);
    llama.failure = new Error("out of memory");
    await expect(embedder.embed(["x"], "query")).rejects.toMatchObject({ code: "embedder_unavailable" });
  });

  test("without the package it says how to install it", async () => {
    // The package is optional. If it happens to be installed, the file is still not a model.
    const attempt = createEmbedder({ provider: "local", cacheDir: dir, local: { modelPath: other } });
    await expect(attempt).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining("node-llama-cpp"),
    });
  });
});
