import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBuiltinRerankers } from "../../src/models/builtin-reranker.ts";
import { writeTinyModel } from "../support/tiny-model.ts";

const FOREVER = new AbortController().signal;
const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));

describe("a reranker in the process", () => {
  let root: string;
  let rerankers: ReturnType<typeof openBuiltinRerankers>;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "recollect-models-"));
    writeTinyModel(root, "shared-words", "cross-encoder");
    rerankers = openBuiltinRerankers({ modelsDir: root, cacheDir: join(root, "cache") });
  });
  afterAll(async () => {
    await rerankers.close();
    rmSync(root, { recursive: true, force: true });
  });

  test("reads query and passage together: the model counts the words they share, less two", async () => {
    const reranker = rerankers.get("shared-words");
    expect(reranker).toMatchObject({ provider: "builtin", model: "shared-words" });
    const passages = ["gull", "the boat in the harbour", "amber boat harbour", "", "boat ".repeat(500)];
    const scores = await reranker.rerank("amber boat harbour", passages, FOREVER);
    // The long passage has room for 64 tokens, less three markers and the question's three tokens.
    const expected = [-2, 0, 1, -2, 58 - 2].map(sigmoid);
    for (const [i, score] of scores.entries()) expect(score, passages[i]).toBeCloseTo(expected[i] ?? 0, 6);
    expect(await reranker.rerank("amber", [], FOREVER)).toEqual([]);
  });

  test("is one however often it is asked for", () => {
    expect(rerankers.get("shared-words")).toBe(rerankers.get("shared-words"));
  });

  test("ends with its deadline, and what was aborted is not worked off", async () => {
    const reranker = rerankers.get("shared-words");
    const stop = new AbortController();
    const doomed = Array.from({ length: 20 }, () =>
      reranker.rerank("boat", Array(200).fill("boat ".repeat(60)), stop.signal),
    );
    stop.abort(new Error("stopping"));
    for (const one of doomed) await expect(one).rejects.toThrow("stopping");
    expect(await reranker.rerank("boat", ["boat"], FOREVER)).toHaveLength(1);
    await expect(reranker.rerank("boat", ["boat"], stop.signal)).rejects.toThrow("stopping");
  });

  test("a model that is not there, or embeds, is an error that says what helps", () => {
    expect(() => rerankers.get("nothing")).toThrow(
      "No built-in model nothing is a cross-encoder. Another model needs a folder in RECOLLECT_MODELS_DIR with a recollect-model.json.",
    );
    expect(() => rerankers.get("gte-small")).toThrow(/No built-in model gte-small is a cross-encoder/);
    expect(() => rerankers.get("../shared-words")).toThrow(/No built-in model is a cross-encoder/);
  });

  test("one whose file was changed is refused", async () => {
    const { weightsPath } = writeTinyModel(root, "changed", "cross-encoder");
    appendFileSync(weightsPath, "\0");
    await expect(rerankers.get("changed").rerank("boat", ["boat"], FOREVER)).rejects.toMatchObject({
      code: "model_rejected",
      message: expect.stringContaining("is not the expected file"),
    });
  });

  test("one that gives something else than a number for each pair is unavailable", async () => {
    writeTinyModel(root, "vectors", "embedding", { kind: "cross-encoder", dimensions: undefined });
    await expect(rerankers.get("vectors").rerank("boat", ["boat"], FOREVER)).rejects.toMatchObject({
      code: "model_unavailable",
      message: expect.stringContaining("not one for each pair"),
    });
  });
});
