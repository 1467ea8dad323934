import { AppError } from "../base/errors.ts";
import { type LocatedModel, locateModel } from "../onnx/locate-model.ts";
import type { CrossEncoder } from "../onnx/model-table.ts";
import { ModelThread } from "../onnx/model-thread.ts";
import type { Reranker } from "./reranker.ts";

/** The folders of the models that run in this process. */
export interface BuiltinModels {
  /** The operator's folder, with a folder for each model. */
  readonly modelsDir: string | undefined;
  /** The folder for files that are derived from the models. */
  readonly cacheDir: string;
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * The most characters of a passage. A cross-encoder reads no more: in a language with spaces, its
 * 512 tokens are about half as many characters.
 */
const MAX_PASSAGE_CHARS = 8000;
const MAX_QUERY_CHARS = 2000;

/**
 * Reranks with a cross-encoder in a worker thread of this process (Nogueira and Cho 2019): no key,
 * no network.
 */
class BuiltinReranker implements Reranker {
  readonly provider: string = "builtin";
  readonly model: string;
  readonly #thread: ModelThread;

  constructor(located: LocatedModel<CrossEncoder>, { cacheDir, onWarning }: BuiltinModels) {
    this.model = located.model.name;
    this.#thread = new ModelThread({ located, cacheDir, onWarning, failure });
  }

  async rerank(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    if (texts.length === 0) return [];
    const question = query.slice(0, MAX_QUERY_CHARS);
    const pairs = texts.map((text): [string, string] => [question, text.slice(0, MAX_PASSAGE_CHARS)]);
    const { outputs } = await this.#thread.ask(pairs, true, signal);
    return outputs.map(([logit = 0]) => 1 / (1 + Math.exp(-logit)));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

function failure(message: string, rejected: boolean, cause?: unknown): AppError {
  return new AppError(rejected ? "model_rejected" : "model_unavailable", message, { cause });
}

/**
 * Opens the rerankers of this process. Each is created at its first use, because it holds a thread
 * and the model's memory.
 */
export function openBuiltinRerankers(models: BuiltinModels): {
  /**
   * @throws AppError `config_invalid` when the name is not a known cross-encoder, or its files are
   *   not on this machine
   */
  get(name: string): Reranker;
  close(): Promise<void>;
} {
  const made = new Map<string, BuiltinReranker>();
  return {
    get: (name) => {
      // Only models of the table or of the folder are created, so tenants cannot create more by
      // sending other names.
      const reranker =
        made.get(name) ?? new BuiltinReranker(locateModel(name, "cross-encoder", models.modelsDir), models);
      made.set(name, reranker);
      return reranker;
    },
    close: async () => {
      await Promise.all([...made.values()].map((reranker) => reranker.close()));
    },
  };
}
