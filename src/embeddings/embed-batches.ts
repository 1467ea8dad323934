import { AppError } from "../base/errors.ts";
import { jsonLines } from "./json-lines.ts";
import { cutWarning, fitTexts } from "./model-input.ts";
import { failedRequest } from "./provider-errors.ts";
import { toUnitVector } from "./vectors.ts";

interface BatchText {
  /** The text's id, which the provider returns with its result. */
  readonly id: string;
  readonly text: string;
}

/** A batch under the names that the provider gave. */
export interface RemoteBatch {
  readonly id: string;
  /**
   * The uploaded file with the texts, to be deleted at the end. Undefined when its name is not
   * known.
   */
  readonly inputFile: string | undefined;
}

export type BatchState =
  | { readonly ended: false }
  | { readonly ended: true; readonly completed: boolean; readonly files: readonly string[] };

/**
 * The result of one text. Without a vector, the provider could not embed the text or sent an
 * invalid vector.
 */
interface BatchResult {
  readonly id: string;
  readonly vector: Float32Array | undefined;
  /** The provider's token count; undefined when it sends none. */
  readonly tokens: number | undefined;
}

/**
 * Embeds many documents within a day at half the price. Every call makes one or a few requests
 * without retries, because the calling job is repeated.
 *
 * @throws AppError `embedder_unavailable` (the provider may or may not have carried out the
 *   request) or `embedder_rejected`
 */
export interface EmbedBatches {
  /** Sends a batch that `find` can find again by its token. */
  submit(token: string, texts: readonly BatchText[], signal: AbortSignal): Promise<RemoteBatch>;
  /**
   * Returns the batch with this token that was sent after `since`, or undefined if the provider has
   * none.
   */
  find(token: string, since: Date, signal: AbortSignal): Promise<RemoteBatch | undefined>;
  state(id: string, signal: AbortSignal): Promise<BatchState>;
  /** Yields the results in a file one by one, in any order. Skips invalid lines. */
  results(file: string, signal: AbortSignal): AsyncGenerator<BatchResult>;
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /**
   * Deletes files at the provider. If a deletion fails, the provider deletes the file itself after
   * some days.
   */
  discard(files: readonly string[], signal: AbortSignal): Promise<void>;
}

/** A line of a results file, before it is checked. */
export interface BatchLine {
  id: unknown;
  vector: unknown;
  tokens: unknown;
}

/** The calls that differ between providers. */
export interface BatchApi {
  /** @returns the name of the uploaded file with the texts */
  upload(token: string, texts: readonly BatchText[], signal: AbortSignal): Promise<string>;
  /** @returns the name of the new batch */
  create(token: string, inputFile: string, signal: AbortSignal): Promise<string>;
  find: EmbedBatches["find"];
  state: EmbedBatches["state"];
  cancel: EmbedBatches["cancel"];
  download(file: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null>;
  readLine(line: unknown): BatchLine;
  deleteFile(file: string, signal: AbortSignal): Promise<void>;
}

/**
 * The timeouts for sending all texts and for reading all results, as multiples of one request's
 * timeout.
 */
const UPLOAD_FACTOR = 10;
const DOWNLOAD_FACTOR = 40;
/** The names that are accepted from a provider, because a name becomes part of a URL. */
const NAME = /^[\w-]+(\/[\w-]+)?$/;
const MAX_NAME = 200;

/**
 * Creates the batch calls on a provider's API. Texts are cut and vectors are checked as for single
 * requests.
 *
 * @param model the model's properties, and the timeout of one request
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
      // Any other error may quote a header or a text.
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
          // After a refusal no batch will ever read the file. After any other failure a batch may.
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

/**
 * Checks the names of a batch. The provider chooses them, and an invalid name must not be stored or
 * put into a URL.
 */
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

/** The highest token count that is believed: no text has more tokens. Counts are added up. */
const MOST_TOKENS = 1_000_000;

function toCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined;
}
