import { AppError } from "../base/errors.ts";
import { type BatchApi, createEmbedBatches } from "./embed-batches.ts";
import type { Embedder, EmbedInputType, EmbedReport } from "./embedder.ts";
import { endpointOf } from "./endpoint.ts";
import { cutWarning, estimateTokens, fitTexts, planRequests } from "./model-input.ts";
import { MAX_BATCH_TEXTS, maxInputTokensOf } from "./providers.ts";
import type { CheckedOptions } from "./remote-options.ts";
import { toUnitVector } from "./vectors.ts";

/** A provider's answer to one request. */
export interface Answer {
  /** The vectors as the provider sent them, in the order of the texts. */
  vectors: readonly unknown[];
  /** The provider's token count; undefined when it sends none. */
  tokens: number | undefined;
}

/**
 * The number of concurrent requests of one job. The guard also applies the setting
 * `remote.nonBatchConcurrency`.
 */
const PARALLEL_CALLS = 4;

/** Makes one request. Throws AppError, or the abort reason of `signal`. */
type Ask = (texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal) => Promise<Answer>;

/**
 * Creates an embedder over HTTP; the part that all providers share. It cuts texts to the model's
 * limit, splits them into consecutive requests within the provider's limits, and checks and
 * normalises the vectors.
 *
 * @param batchApi the provider's batch API, if it has one
 * @throws AppError the error of `ask`, when a test request for the dimensions of an unknown model
 *   fails
 */
export async function createRemoteEmbedder(options: CheckedOptions, ask: Ask, batchApi?: BatchApi): Promise<Embedder> {
  const { profile, model, providerKey, onWarning } = options;
  const guard = options.guardFor?.(options.guardKeys) ?? ((request) => request());
  const guarded: Ask = (texts, inputType, signal) => guard(() => ask(texts, inputType, signal), { inputType, signal });
  const dimensions = options.outputDimensionality ?? profile.knownDimensions[model] ?? (await probeDimensions(guarded));
  const limits = { ...profile.limits, maxTexts: Math.min(profile.limits.maxTexts, MAX_BATCH_TEXTS) };
  const maxInputTokens = maxInputTokensOf(profile, model);

  const embed = async (
    texts: readonly string[],
    inputType: EmbedInputType,
    signal?: AbortSignal,
    report?: EmbedReport,
  ): Promise<Float32Array[]> => {
    signal?.throwIfAborted();
    const fitted = fitTexts(texts, maxInputTokens);
    const cutTexts = fitted.cut.filter(Boolean).length;
    if (cutTexts > 0) onWarning?.(cutWarning(cutTexts, model, maxInputTokens));
    const vectors: Float32Array[] = [];
    for (const [from, to] of planRequests(fitted.texts, limits)) {
      const part = fitted.texts.slice(from, to);
      // The check is inside the guard, so that an invalid answer counts as a failure.
      const answer = await guard(
        async () => {
          const { vectors: raw, tokens } = await ask(part, inputType, signal);
          report?.({
            tokens: tokens ?? part.reduce((sum, text) => sum + estimateTokens(text), 0),
            cutTexts: fitted.cut.slice(from, to).filter(Boolean).length,
          });
          return raw.map((vector) => toUnitVector(vector, dimensions));
        },
        { inputType, signal },
      );
      vectors.push(...answer);
    }
    return vectors;
  };
  return {
    provider: profile.id,
    model,
    dimensions,
    providerKey,
    endpoint: endpointOf(profile.id, options.baseUrl),
    maxBatchTexts: limits.maxTexts,
    parallelCalls: PARALLEL_CALLS,
    maxInputTokens,
    batches:
      batchApi &&
      createEmbedBatches(batchApi, { model, dimensions, maxInputTokens, timeoutMs: options.timeoutMs, onWarning }),
    embed,
    close: async () => undefined,
  };
}

async function probeDimensions(ask: Ask): Promise<number> {
  try {
    const [vector] = (await ask(["dimensions"], "document")).vectors;
    const dimensions = Array.isArray(vector) ? vector.length : 0;
    toUnitVector(vector, dimensions);
    return dimensions;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "embedder_unavailable") throw error;
    throw new AppError(
      "embedder_unavailable",
      `${error.message} Without an answer the length of its vectors is unknown. The operator can set it: RECOLLECT_OUTPUT_DIMENSIONALITY.`,
      error.details === undefined ? {} : { details: error.details },
    );
  }
}
