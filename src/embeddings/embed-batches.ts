import { AppError } from "../base/errors.ts";
import { jsonLines } from "./json-lines.ts";
import { cutWarning, fitTexts } from "./model-input.ts";
import { failedRequest } from "./provider-errors.ts";
import { toUnitVector } from "./vectors.ts";

interface BatchText {
  /** Comes back with the result. */
  readonly id: string;
  readonly text: string;
}

/** A batch as the provider names it. */
export interface RemoteBatch {
  readonly id: string;
  /** The file with the texts, to be deleted at the end; undefined when it is not known. */
  readonly inputFile: string | undefined;
}

export type BatchState =
  | { readonly ended: false }
  | { readonly ended: true; readonly completed: boolean; readonly files: readonly string[] };

/** One text's result; without a vector the provider, or what it sent, failed. */
interface BatchResult {
  readonly id: string;
  readonly vector: Float32Array | undefined;
  /** As the provider counts; undefined when it does not say. */
  readonly tokens: number | undefined;
}

/**
 * Embeds many documents within a day and at half the price. Every call is one or a few requests without retries: the
 * calling job is repeated.
 *
 * @throws AppError `embedder_unavailable` (the provider may or may not have done it) or `embedder_rejected`
 */
export interface EmbedBatches {
  /** Sends a batch that can be found again by its token. */
  submit(token: string, texts: readonly BatchText[], signal: AbortSignal): Promise<RemoteBatch>;
  /** The batch with this token, sent after `since`, if the provider has it. */
  find(token: string, since: Date, signal: AbortSignal): Promise<RemoteBatch | undefined>;
  state(id: string, signal: AbortSignal): Promise<BatchState>;
  /** The results in a file, one by one and in any order; an invalid line is left out. */
  results(file: string, signal: AbortSignal): AsyncGenerator<BatchResult>;
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Deletes files at the provider. One that stays is deleted by the provider itself after some days. */
  discard(files: readonly string[], signal: AbortSignal): Promise<void>;
}

/** A line of a results file, before it is checked. */
export interface BatchLine {
  id: unknown;
  vector: unknown;
  tokens: unknown;
}

/** What differs between providers. */
export interface BatchApi {
  /** @returns the name of the file with the texts */
  upload(token: string, texts: readonly BatchText[], signal: AbortSignal): Promise<string>;
  /** @returns the name of the batch of these texts */
  create(token: string, inputFile: string, signal: AbortSignal): Promise<string>;
  find: EmbedBatches["find"];
  state: EmbedBatches["state"];
  cancel: EmbedBatches["cancel"];
  download(file: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>;
  readLine(line: unknown): BatchLine;
  deleteFile(file: string, signal: AbortSignal): Promise<void>;
}

/** The timeouts for sending all texts and reading all results, as multiples of a request's. */
const UPLOAD_FACTOR = 10;
const DOWNLOAD_FACTOR = 40;
/** A name goes into a URL. */
const NAME = /^[\w-]+(\/[\w-]+)?$/;
const MAX_NAME = 200;

/**
 * Batches by a provider's API, with the same cutting of texts and checking of vectors as single requests.
 *
 * @param model what is known of the model, and how long one request may take
 */
export function createEmbedBatches(
  api: BatchApi,
  model: {
    model: string;
    dimensions: number;
    maxInputTokens: number;
    timeoutMs: number;
    onWarning?: ((message: string) => void) | undefined;
  },
): EmbedBatches {
  const { dimensions, maxInputTokens, timeoutMs, onWarning } = model;
  const limited = async <T>(signal: AbortSignal, factor: number, call: (signal: AbortSignal) => Promise<T>) => {
    try {
      return await call(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs * factor)]));
    } catch (error) {
      signal.throwIfAborted();
      // Anything else may quote a header or a text.
      throw error instanceof AppError ? error : failedRequest({});
    }
  };
  return {
    submit: (token, texts, signal) => {
      const fitted = fitTexts(
        texts.map(({ text }) => text),
        maxInputTokens,
      );
      const cutTexts = fitted.cut.filter(Boolean).length;
      if (cutTexts > 0) onWarning?.(cutWarning(cutTexts, model.model, maxInputTokens));
      const sent = texts.map(({ id }, i) => ({ id, text: fitted.texts[i] ?? " " }));
      return limited(signal, UPLOAD_FACTOR, async (until) => {
        const inputFile = await api.upload(token, sent, until);
        try {
          return checkBatch({ id: await api.create(token, inputFile, until), inputFile });
        } catch (error) {
          // After a refusal nothing will ever read the file. After any other failure a batch may.
          if (error instanceof AppError && error.code === "embedder_rejected")
            await api.deleteFile(inputFile, until).catch(() => undefined);
          throw error;
        }
      });
    },
    find: (token, since, signal) =>
      limited(signal, UPLOAD_FACTOR, async (until) => {
        const found = await api.find(token, since, until);
        return found && checkBatch(found);
      }),
    state: (id, signal) =>
      limited(signal, 1, async (until) => {
        const state = await api.state(id, until);
        return state.ended ? { ...state, files: state.files.filter(isName) } : state;
      }),
    results: async function* (file, signal) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs * DOWNLOAD_FACTOR)]);
      try {
        for await (const line of jsonLines(await api.download(file, until))) {
          const { id, vector, tokens } = api.readLine(line);
          if (typeof id === "string") yield { id, vector: toVector(vector, dimensions), tokens: toCount(tokens) };
        }
      } catch (error) {
        signal.throwIfAborted();
        throw error instanceof AppError ? error : failedRequest({});
      }
    },
    cancel: (id, signal) => limited(signal, 1, (until) => api.cancel(id, until)),
    discard: async (files, signal) => {
      for (const file of files.filter(isName))
        await limited(signal, 1, (until) => api.deleteFile(file, until)).catch(() => undefined);
    },
  };
}

function isName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name);
}

/** A provider names its batches. An invalid name must not be stored and requested. */
function checkBatch(batch: RemoteBatch): RemoteBatch {
  if (!isName(batch.id)) throw failedRequest({});
  return {
    id: batch.id,
    inputFile: batch.inputFile !== undefined && isName(batch.inputFile) ? batch.inputFile : undefined,
  };
}

function toVector(values: unknown, dimensions: number): Float32Array | undefined {
  try {
    return toUnitVector(values, dimensions);
  } catch {
    return undefined;
  }
}

/** No text has so many tokens. A plausible count goes into sums. */
const MOST_TOKENS = 1_000_000;

function toCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined;
}
