import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diagnoseModel } from "../../../src/features/doctor/diagnose-machine.ts";
import { writeTinyModel } from "../../support/tiny-model.ts";

// Without this test, the doctor could keep asking for a package that Recollect no longer uses.
test("the model and its native code are found where everything is installed", async () => {
  expect(diagnoseModel()).toMatchObject({
    state: "ok",
    message: expect.stringMatching(/^Built-in models on this machine: all-MiniLM-L6-v2, .*native code runs them\.$/),
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
  writeTinyModel(modelsDir, "judge", "cross-encoder");
  expect(diagnoseModel(modelsDir).message).toMatch(/ gte-small, gte-small-int8, judge;/);
  writeTinyModel(modelsDir, "judge", "cross-encoder", { maxTokens: 1 });
  expect(diagnoseModel(modelsDir)).toMatchObject({
    state: "warning",
    message: expect.stringMatching(/^The recollect-model\.json of the model judge is not valid\. maxTokens: /),
  });
  expect(diagnoseModel(join(modelsDir, "nowhere"))).toMatchObject({
    state: "warning",
    message: "The folder that RECOLLECT_MODELS_DIR names cannot be listed.",
  });
  await rm(modelsDir, { recursive: true });
});
