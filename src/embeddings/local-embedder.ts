import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/ids.ts";
import { loadOptional } from "../base/optional-package.ts";
import type { Embedder, EmbedInputType, EmbedReport } from "./embedder.ts";
import { cutWarning } from "./model-input.ts";
import { GEMMA_PROMPTS } from "./providers.ts";
import { toUnitVector } from "./vectors.ts";

/**
 * Room for the tokens that the engine puts before and after a text. The engine refuses a text that
 * fills the context.
 */
const SPECIAL_TOKENS = 4;
/**
 * The number of samples of the model file that are hashed, spread evenly over it. A changed model
 * differs everywhere, and hashing gigabytes would take seconds.
 */
const SAMPLES = 64;
const SAMPLE_BYTES = 16_384;

interface LocalOptions {
  /** The path of a GGUF file. */
  modelPath: string;
  /**
   * The number of tokens that the model sees at once; limited to the context that it was trained
   * on.
   */
  contextSize?: number | undefined;
  outputDimensionality?: number | undefined;
  /**
   * The prompts before a query and before a document, instead of the prompts that the model is
   * known to need.
   */
  queryInputType?: string | undefined;
  documentInputType?: string | undefined;
  onWarning?: ((message: string) => void) | undefined;
  loadEngine?: (() => Promise<LlamaEngine>) | undefined;
}

interface Loaded {
  tokenize(text: string): readonly number[];
  embed(tokens: readonly number[]): Promise<readonly number[]>;
  close(): Promise<void>;
  vectorSize: number;
  contextSize: number;
}

/**
 * Creates an embedder from a GGUF file on this machine, through node-llama-cpp. It embeds one text
 * at a time, so a query waits for at most one text.
 *
 * @throws AppError `config_invalid` when the package or the file is missing, when the file is not a
 *   model, or when the model cannot give vectors of the requested length
 */
export async function createLocalEmbedder(options: LocalOptions): Promise<Embedder> {
  const model = basename(options.modelPath).replace(/\.gguf$/i, "");
  const known = /^embeddinggemma/i.test(model) ? GEMMA_PROMPTS : undefined;
  const prompts = {
    query: options.queryInputType ?? known?.query ?? "",
    document: options.documentInputType ?? known?.document ?? "",
  };
  const file = await fingerprint(options.modelPath);
  const engine = await (options.loadEngine ?? loadLlamaEngine)();
  const loaded = await loadShared(engine, options, file);
  const dimensions = options.outputDimensionality ?? loaded.vectorSize;
  // The first part of a vector keeps its meaning only if the model was trained for it (Kusupati et
  // al. 2022).
  const shortens = known !== undefined && dimensions < loaded.vectorSize;
  if (dimensions !== loaded.vectorSize && !shortens) {
    await loaded.close();
    throw new AppError(
      "config_invalid",
      `The model gives vectors of ${loaded.vectorSize} dimensions: unset outputDimensionality.`,
    );
  }
  const maxInputTokens = loaded.contextSize - SPECIAL_TOKENS;
  const embed = async (
    texts: readonly string[],
    inputType: EmbedInputType,
    signal?: AbortSignal,
    report?: EmbedReport,
  ): Promise<Float32Array[]> => {
    signal?.throwIfAborted();
    const tokens = texts.map((text) => loaded.tokenize(prompts[inputType] + text));
    const cutTexts = tokens.filter((ids) => ids.length > maxInputTokens).length;
    if (cutTexts > 0) options.onWarning?.(cutWarning(cutTexts, model, maxInputTokens));
    const vectors: Float32Array[] = [];
    for (const ids of tokens) {
      const vector = await orAborted(compute(loaded, ids.slice(0, maxInputTokens)), signal);
      vectors.push(toUnitVector(vector.slice(0, dimensions), dimensions));
    }
    if (texts.length > 0) {
      report?.({ tokens: tokens.reduce((sum, ids) => sum + Math.min(ids.length, maxInputTokens), 0), cutTexts });
    }
    return vectors;
  };
  return {
    provider: "local",
    model,
    dimensions,
    providerKey: sha256(JSON.stringify([file, loaded.contextSize, dimensions, prompts])).slice(0, 16),
    maxBatchTexts: 32,
    maxInputTokens,
    embed,
    close: loaded.close,
  };
}

/** The open models, by engine, file and context size. */
const openModels = new WeakMap<LlamaEngine, Map<string, { loaded: Promise<Loaded>; users: number }>>();

/**
 * Loads a model once for all embedders that use it. Embedders may differ only in their prompts,
 * which every agent chooses, and gigabytes must not be loaded again for that. The last embedder to
 * close closes the model.
 */
async function loadShared(engine: LlamaEngine, options: LocalOptions, file: string): Promise<Loaded> {
  const models = openModels.get(engine) ?? new Map<string, { loaded: Promise<Loaded>; users: number }>();
  openModels.set(engine, models);
  const key = JSON.stringify([options.modelPath, file, options.contextSize]);
  const entry = models.get(key) ?? { loaded: load(engine, options), users: 0 };
  models.set(key, entry);
  entry.users++;
  const leave = () => {
    if (--entry.users === 0) models.delete(key);
    return entry.users === 0;
  };
  const loaded = await entry.loaded.catch((error: unknown) => {
    leave();
    throw error;
  });
  return { ...loaded, close: async () => (leave() ? loaded.close() : undefined) };
}

async function load(engine: LlamaEngine, { modelPath, contextSize = 4096 }: LocalOptions): Promise<Loaded> {
  let llama: Llama | undefined;
  let model: LlamaModel | undefined;
  try {
    // Never build from source: a build takes minutes and needs a compiler.
    llama = await engine.getLlama({ build: "never", progressLogs: false, logLevel: "error" });
    model = await llama.loadModel({ modelPath });
    const size = Math.min(contextSize, model.trainContextSize);
    // A bidirectional model must read a text in one batch, or it would see only the last batch. The
    // default batch size is 512 tokens.
    const context = await model.createEmbeddingContext({ contextSize: size, batchSize: size });
    const opened = { llama, model };
    return {
      tokenize: (text) => opened.model.tokenize(text),
      embed: async (tokens) => (await context.getEmbeddingFor(tokens)).vector,
      close: async () => {
        await context.dispose();
        await opened.model.dispose();
        await opened.llama.dispose();
      },
      vectorSize: model.embeddingVectorSize,
      contextSize: size,
    };
  } catch (cause) {
    await model?.dispose();
    await llama?.dispose();
    throw new AppError("config_invalid", "The model file at local.modelPath cannot be loaded by node-llama-cpp.", {
      cause,
    });
  }
}

async function compute(loaded: Loaded, tokens: readonly number[]): Promise<readonly number[]> {
  try {
    return await loaded.embed(tokens);
  } catch (cause) {
    throw new AppError("embedder_unavailable", "The local model failed on a text; try again.", { cause });
  }
}

/**
 * Stops waiting when the signal aborts. Native work cannot be stopped, so it goes on in the
 * background.
 */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Returns a fingerprint of the model file. Vectors of two models look alike and must never mix in
 * one index.
 */
async function fingerprint(path: string): Promise<string> {
  const file = await open(path).catch((cause: unknown) => {
    throw new AppError("config_invalid", "There is no model file to read at local.modelPath.", { cause });
  });
  try {
    const { size } = await file.stat();
    const hash = createHash("sha256").update(String(size));
    const buffer = Buffer.alloc(SAMPLE_BYTES);
    for (let i = 0; i < SAMPLES; i++) {
      const position = Math.floor((Math.max(size - SAMPLE_BYTES, 0) * i) / (SAMPLES - 1));
      const { bytesRead } = await file.read(buffer, 0, SAMPLE_BYTES, position);
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest("hex");
  } catch (cause) {
    throw new AppError("config_invalid", "The model file at local.modelPath cannot be read.", { cause });
  } finally {
    await file.close();
  }
}

/**
 * The part of node-llama-cpp 3 that is used. It is not a dependency, because few people need its
 * hundreds of megabytes.
 */
export interface LlamaEngine {
  getLlama(options: { build: "never"; progressLogs: false; logLevel: "error" }): Promise<Llama>;
}

interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

interface LlamaModel {
  readonly trainContextSize: number;
  readonly embeddingVectorSize: number;
  tokenize(text: string): readonly number[];
  createEmbeddingContext(options: { contextSize: number; batchSize: number }): Promise<LlamaEmbeddingContext>;
  dispose(): Promise<void>;
}

interface LlamaEmbeddingContext {
  getEmbeddingFor(tokens: readonly number[]): Promise<{ readonly vector: readonly number[] }>;
  dispose(): Promise<void>;
}

/** @throws AppError `config_invalid` when node-llama-cpp is not installed */
async function loadLlamaEngine(): Promise<LlamaEngine> {
  // The name is in a variable, so that the compiler does not look for an optional package.
  const name: string = "node-llama-cpp";
  return loadOptional("node-llama-cpp@3", "The provider local", async () => (await import(name)) as LlamaEngine);
}
