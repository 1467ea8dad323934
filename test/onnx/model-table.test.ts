import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { isHere, locateModel, remedyFor } from "../../src/onnx/locate-model.ts";
import { DEFAULT_EMBEDDING_MODEL, MODEL_TABLE } from "../../src/onnx/model-table.ts";
import { verifyFiles } from "../../src/onnx/verify-files.ts";

const modelsDir = process.env.RECOLLECT_MODELS_DIR;
const TEXTS = [
  "what is the capital of China?",
  "Beijing is where the government of the People's Republic has its seat.",
  "sorting algorithms",
  "const [open, setOpen] = useState(false); // ERR_CONNECTION_REFUSED at src/memory/hybrid.ts:12",
  "大阪の顧客を訪問した。",
  "word ".repeat(700),
];
const cosine = (a: Float32Array | undefined, b: Float32Array | undefined) =>
  (a ?? new Float32Array()).reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);
const names = MODEL_TABLE.filter(({ kind }) => kind === "embedding").map(({ name }) => name);

test("a model has one name, and the default is one of them", () => {
  expect(new Set(MODEL_TABLE.map(({ name }) => name)).size).toBe(MODEL_TABLE.length);
  expect(names).toContain(DEFAULT_EMBEDDING_MODEL);
});

describe("the models of the table", () => {
  let cacheDir: string;
  beforeAll(() => {
    cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  });
  afterAll(() => rmSync(cacheDir, { recursive: true, force: true }));
  const vectorsOf = async (name: string) => {
    const embedder = new BuiltinEmbedder({ cacheDir, located: locateModel(name, "embedding", modelsDir) });
    const vectors = await embedder.embed(TEXTS, "document");
    const [alone] = await embedder.embed(TEXTS.slice(1, 2), "query");
    await embedder.close();
    return { vectors, alone };
  };
  const needs = (name: string, { skip }: TestContext) => {
    const model = MODEL_TABLE.find((known) => known.name === name);
    if (model && !isHere(model, modelsDir)) skip(`Its files are not on this machine: ${remedyFor(model)}.`);
  };

  test.for(names)(
    "%s: its files are those whose hashes are known, and near meanings are nearer",
    async (name, context) => {
      needs(name, context);
      await verifyFiles(locateModel(name, "embedding", modelsDir));
      const { vectors, alone } = await vectorsOf(name);
      const [question, answer, other] = vectors;
      for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect(cosine(question, answer)).toBeGreaterThan(cosine(question, other) + 0.05);
      // A text's vector is the same bit by bit, whatever other texts share its batch.
      expect(alone).toEqual(answer);
    },
  );

  test.for(names.filter((name) => name.endsWith("-int8")))("%s is near the exact model", async (name, context) => {
    needs(name, context);
    const [rounded, exact] = [await vectorsOf(name), await vectorsOf(name.replace(/-int8$/, ""))];
    const near = TEXTS.map((_, i) => cosine(rounded.vectors[i], exact.vectors[i]));
    for (const [i, value] of near.entries()) expect(value, TEXTS[i]).toBeGreaterThan(0.98);
  });
});
