import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { countTokens, inputLimitOf } from "../../src/embeddings/model-input.ts";
import { DESCRIPTION_FILE, locateModel } from "../../src/onnx/locate-model.ts";
import { WORDS, writeTinyModel } from "../support/tiny-model.ts";

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  (a ?? new Float32Array()).reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);

describe("a model of the operator's folder", () => {
  let root: string;
  let modelsDir: string;
  let cacheDir: string;
  const opened: Embedder[] = [];
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "recollect-models-"));
    modelsDir = join(root, "models");
    cacheDir = join(root, "cache");
    writeTinyModel(modelsDir, "tiny", "embedding");
  });
  afterAll(async () => {
    for (const embedder of opened) await embedder.close();
    rmSync(root, { recursive: true, force: true });
  });
  const open = async (model: string) => {
    const embedder = await createEmbedder({ provider: "builtin", model, cacheDir, modelsDir });
    if (!embedder) throw new Error("There is none.");
    opened.push(embedder);
    return embedder;
  };

  test("embeds: the mean of its tokens, of unit length, whatever stands beside a text", async () => {
    const embedder = await open("tiny");
    expect(embedder).toMatchObject({
      provider: "builtin",
      model: "tiny",
      dimensions: WORDS.length,
      maxInputTokens: 64,
    });
    const texts = ["amber boat", "amber", "boat boat boat", "boat amber", "a word it does not know"];
    const vectors = await embedder.embed(texts, "document");
    const [both, amber, boat, turned] = vectors;
    expect(cosine(both, both)).toBeCloseTo(1, 5);
    expect(cosine(both, turned)).toBeCloseTo(1, 5);
    expect(cosine(both, amber)).toBeGreaterThan(0.6);
    expect(cosine(amber, boat)).toBeLessThan(0.2);
    for (const [i, text] of texts.entries()) expect(await embedder.embed([text], "query")).toEqual([vectors[i]]);
  });

  test("counts the tokens of chunks by its own vocabulary", async () => {
    const limit = inputLimitOf(await open("tiny"));
    expect(limit.tokens).toBe(62);
    expect(countTokens(limit)("amber boats, harbour")).toBe(4);
  });

  test("its prefixes stand before texts and have room of their own", async () => {
    writeTinyModel(modelsDir, "prefixed", "embedding", { prefixes: { query: "harbour ", document: "gull " } });
    const [embedder, plain] = [await open("prefixed"), await open("tiny")];
    expect(embedder.maxInputTokens).toBeLessThan(64);
    expect(await embedder.embed(["amber"], "query")).toEqual(await plain.embed(["harbour amber"], "query"));
    expect(await embedder.embed(["amber"], "document")).toEqual(await plain.embed(["gull amber"], "document"));
    expect(embedder.providerKey).not.toBe(plain.providerKey);
  });

  test("with weights of eight bits: nearly the same vectors, which do not depend on what stands beside a text", async () => {
    writeTinyModel(modelsDir, "rounded", "embedding", { int8: true });
    const [embedder, plain] = [await open("rounded"), await open("tiny")];
    const texts = ["amber boat", "cedar dock dock eel", "gull", "harbour ferry eel dock cedar boat amber"];
    const [rounded, exact] = [await embedder.embed(texts, "document"), await plain.embed(texts, "document")];
    for (const [i, text] of texts.entries()) {
      expect(cosine(rounded[i], exact[i]), text).toBeGreaterThan(0.999);
      expect(rounded[i]).not.toEqual(exact[i]);
      expect(await embedder.embed([text], "query")).toEqual([rounded[i]]);
    }
    expect(readdirSync(cacheDir)).toEqual([expect.stringMatching(/^rounded-int8-v4-[0-9a-f]{8}\.onnx$/)]);
  });

  test("of a batch of long texts, each has the vector that it has alone, in its place", async () => {
    const texts = Array.from({ length: 9 }, (_, i) => `${"amber boat dock eel ".repeat(20 + i)}gull`);
    for (const name of ["tiny", "rounded"]) {
      const embedder = await open(name);
      const vectors = await embedder.embed(texts, "document");
      expect(vectors).toHaveLength(texts.length);
      for (const [i, text] of texts.entries()) expect(await embedder.embed([text], "query")).toEqual([vectors[i]]);
    }
  });

  test("in WebAssembly it gives the same vectors, with eight bits too", async () => {
    for (const name of ["tiny", "rounded"]) {
      const located = locateModel(name, "embedding", modelsDir);
      const wasm = new BuiltinEmbedder({ cacheDir, located, forceWasm: true });
      const [native] = await (await open(name)).embed(["amber boat dock"], "document");
      const [other] = await wasm.embed(["amber boat dock"], "document");
      await wasm.close();
      expect(cosine(native, other), name).toBeGreaterThan(0.99999);
    }
  });

  test("whose file was changed is refused, before it is opened and when it is", async () => {
    const { weightsPath } = writeTinyModel(modelsDir, "changed", "embedding");
    const embedder = await open("changed");
    appendFileSync(weightsPath, "\0");
    const refusal = /^The file model\.onnx of the model changed is not the expected file: its SHA-256 is [0-9a-f]{64}/;
    const attempt = open("changed");
    await expect(attempt).rejects.toMatchObject({ code: "config_invalid", message: expect.stringMatching(refusal) });
    await expect(embedder.embed(["amber"], "query")).rejects.toMatchObject({
      code: "embedder_rejected",
      message: expect.stringMatching(refusal),
    });
    // Once the file is right again, no restart is needed.
    writeTinyModel(modelsDir, "changed", "embedding");
    expect(await embedder.embed(["amber"], "query")).toHaveLength(1);
  });

  test.each([
    [
      "is not there",
      "nowhere",
      undefined,
      /^No built-in model nowhere is an embedding model\. Known models: all-MiniLM-L6-v2, /,
    ],
    ["is a path", "../tiny", undefined, /^No built-in model is an embedding model\./],
    [
      "reads pairs",
      "pairs",
      { kind: "cross-encoder", dimensions: undefined },
      /^No built-in model pairs is an embedding model/,
    ],
    [
      "has no file",
      "empty",
      { weights: { path: "other.onnx", sha256: "0".repeat(64) } },
      /put other\.onnx and tokenizer\.json/,
    ],
    [
      "is described wrongly",
      "wrong",
      { maxTokens: 3 },
      /^The recollect-model\.json of the model wrong is not valid\. maxTokens: /,
    ],
    [
      "leads out of its folder",
      "out",
      { weights: { path: "../tiny/model.onnx", sha256: "0".repeat(64) } },
      /not valid/,
    ],
  ])("a model that %s is an error that says what helps", async (_what, name, described, message) => {
    if (described) writeTinyModel(modelsDir, name, "embedding", described);
    await expect(open(name)).rejects.toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(message),
    });
  });

  test("a description that is no JSON is an error too", async () => {
    writeTinyModel(modelsDir, "broken", "embedding");
    writeFileSync(join(modelsDir, "broken", DESCRIPTION_FILE), "{");
    await expect(open("broken")).rejects.toMatchObject({ code: "config_invalid" });
  });

  test("what is no graph, or gives other vectors than it says, is unavailable with the reason", async () => {
    writeTinyModel(modelsDir, "long", "embedding", { dimensions: 9 });
    const embedder = await open("long");
    await expect(embedder.embed(["amber"], "query")).rejects.toMatchObject({
      code: "embedder_unavailable",
      message: expect.stringContaining("its vectors should have 9"),
    });
  });
});
