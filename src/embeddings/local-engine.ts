import { loadOptional } from "../base/optional-package.ts";

/** What is used of node-llama-cpp 3, which is not a dependency: it is hundreds of megabytes that few need. */
export interface LlamaEngine {
  getLlama(options: { build: "never"; progressLogs: false; logLevel: "error" }): Promise<Llama>;
}

export interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

export interface LlamaModel {
  readonly trainContextSize: number;
  readonly embeddingVectorSize: number;
  tokenize(text: string): readonly number[];
  createEmbeddingContext(options: { contextSize: number; batchSize: number }): Promise<LlamaEmbeddingContext>;
  dispose(): Promise<void>;
}

export interface LlamaEmbeddingContext {
  getEmbeddingFor(tokens: readonly number[]): Promise<{ readonly vector: readonly number[] }>;
  dispose(): Promise<void>;
}

/** @throws AppError `config_invalid` when node-llama-cpp is not installed */
export async function loadLlamaEngine(): Promise<LlamaEngine> {
  // In a variable, so that the compiler does not look for a package that need not be there.
  const name: string = "node-llama-cpp";
  return loadOptional("node-llama-cpp@3", "The provider local", async () => (await import(name)) as LlamaEngine);
}
