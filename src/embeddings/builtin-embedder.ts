import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/ids.ts";
import { type LocatedModel, locateModel } from "../onnx/locate-model.ts";
import { DEFAULT_EMBEDDING_MODEL, type EmbeddingModel } from "../onnx/model-table.ts";
import { ModelThread } from "../onnx/model-thread.ts";
import type { Embedder, EmbedInputType, EmbedReport } from "./embedder.ts";
import { cutWarning, estimateTokens } from "./model-input.ts";

interface BuiltinOptions {
  /** The folder that keeps the graphs made from the weights between runs. */
  cacheDir: string;
  /** A model with its files. Default: the model `DEFAULT_EMBEDDING_MODEL`. */
  located?: LocatedModel<EmbeddingModel> | undefined;
  onWarning?: ((message: string) => void) | undefined;
  /** Whether the WebAssembly engine is used even where the native engine runs. */
  forceWasm?: boolean;
}

/** Embeds with a model of `onnx/model-table.ts` in a worker thread: no key, no network. */
export class BuiltinEmbedder implements Embedder {
  readonly provider: string = "builtin";
  readonly model: string;
  readonly dimensions: number;
  readonly providerKey: string;
  readonly maxBatchTexts: number = 32;
  readonly maxInputTokens: number;
  readonly tokenizerPath: string;
  readonly #options: BuiltinOptions;
  readonly #model: EmbeddingModel;
  readonly #thread: ModelThread;

  /**
   * @throws AppError `config_invalid` when no model is given and the files of the default model are
   *   missing
   */
  constructor(options: BuiltinOptions) {
    const located = options.located ?? locateModel(DEFAULT_EMBEDDING_MODEL, "embedding", undefined);
    const { model } = located;
    this.model = model.name;
    this.dimensions = model.dimensions;
    const { query, document } = model.prefixes;
    this.maxInputTokens = model.maxTokens - Math.max(...[query, document].map(estimateTokens));
    this.tokenizerPath = located.tokenizerPath;
    this.providerKey = keyOf(model);
    this.#options = options;
    this.#model = model;
    const { cacheDir, forceWasm, onWarning } = options;
    this.#thread = new ModelThread({ located, cacheDir, forceWasm, onWarning, failure });
  }

  async embed(
    texts: readonly string[],
    inputType: EmbedInputType,
    signal?: AbortSignal,
    report?: EmbedReport,
  ): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const prefix = this.#model.prefixes[inputType];
    const inputs = prefix === "" ? texts : texts.map((text) => prefix + text);
    const { outputs, tokens, cutInputs } = await this.#thread.ask(inputs, inputType === "query", signal);
    if (cutInputs > 0) this.#options.onWarning?.(cutWarning(cutInputs, this.model, this.maxInputTokens));
    report?.({ tokens, cutTexts: cutInputs });
    return outputs;
  }

  /**
   * Rejects pending calls and ends the thread after its current text: at most a few hundred
   * milliseconds.
   */
  close(): Promise<void> {
    return this.#thread.close();
  }
}

function failure(message: string, rejected: boolean, cause?: unknown): AppError {
  return rejected
    ? new AppError("embedder_rejected", message, { cause, details: { fault: "request" } })
    : new AppError("embedder_unavailable", message, { cause });
}

/**
 * Returns a fingerprint of everything besides the name that decides a vector. The oldest model
 * keeps its old key, so that existing caches stay valid.
 */
function keyOf({ name, weights, tokenizer, pooling, prefixes, maxTokens }: EmbeddingModel): string {
  if (name === "all-MiniLM-L6-v2") return "builtin";
  return sha256(JSON.stringify([weights.sha256, tokenizer.sha256, pooling, prefixes, maxTokens])).slice(0, 16);
}
