import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diagnoseModel } from "../../src/service/diagnose-machine.ts";

// A package that Recollect has no more would be asked for for ever.
test("the model and its native code are found where everything is installed", async () => {
  expect(diagnoseModel()).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/^Built-in models that are there: all-MiniLM-L6-v2, .*native code runs them\.$/),
  });
  expect(diagnoseModel(undefined, { native: false, wasm: true })).toMatchObject({
    state: "warning",
    remedy: expect.stringContaining("npm install onnxruntime-node"),
  });
});

test("a model of the operator's folder is named where its files are", async () => {
  const modelsDir = await mkdtemp(join(tmpdir(), "recollect-models-"));
  await mkdir(join(modelsDir, "gte-small", "onnx"), { recursive: true });
  await writeFile(join(modelsDir, "gte-small", "onnx", "model.onnx"), "");
  await writeFile(join(modelsDir, "gte-small", "tokenizer.json"), "");
  expect(diagnoseModel(modelsDir).message).toContain("gte-small");
  await rm(modelsDir, { recursive: true });
});
