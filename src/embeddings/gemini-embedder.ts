import type {
  EmbedContentRequest,
  GenerativeModel,
  GoogleGenerativeAIFetchError,
  TaskType,
} from "@google/generative-ai";
import type { Embedder, EmbedInputType } from "./embedder.ts";
import { createGeminiBatches } from "./gemini-batches.ts";
import { failedRequest, geminiFailure } from "./provider-errors.ts";
import { GEMMA_PROMPTS, PROFILES } from "./providers.ts";
import { type Answer, createRemoteEmbedder } from "./remote-embedder.ts";
import { type CheckedOptions, checkOptions, inputTypeOf, type RemoteOptions } from "./remote-options.ts";
import { wrongCount } from "./vectors.ts";

/**
 * Embeddings by the Gemini API, `models.batchEmbedContents`.
 *
 * @throws AppError `config_invalid` without a valid key; `embedder_unavailable` or `embedder_rejected` when an unknown model
 *   has to be asked for its dimensions and does not answer.
 */
export async function createGeminiEmbedder(options: RemoteOptions): Promise<Embedder> {
  const checked = checkOptions(PROFILES.gemini, options);
  // Many write the address with the version, which the SDK adds itself.
  const [, baseUrl = "", version = "v1beta"] = /^(.*?)(?:\/(v1|v1beta))?\/*$/.exec(checked.baseUrl) ?? [];
  const apiKey = checked.apiKey?.trim() ?? "";
  const sdk = await import("@google/generative-ai");
  const model = new sdk.GoogleGenerativeAI(apiKey).getGenerativeModel(
    { model: checked.model },
    { baseUrl, apiVersion: version, customHeaders: { ...checked.headers } },
  );
  const headers = { ...checked.headers, "x-goog-api-key": apiKey };
  const batches = createGeminiBatches({ baseUrl, version, model: checked.model, headers }, (text) =>
    contentRequest(checked, text, "document"),
  );
  return createRemoteEmbedder(
    checked,
    (texts, inputType, signal) => request(model, checked, texts, inputType, signal),
    batches,
  );
}

async function request(
  model: GenerativeModel,
  options: CheckedOptions,
  texts: readonly string[],
  inputType: EmbedInputType,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  // Not the SDK's time-out: its timer goes on after the answer, and keeps a process that is done alive.
  const deadline = AbortSignal.timeout(options.timeoutMs);
  let answer: { embeddings?: unknown; usageMetadata?: { promptTokenCount?: unknown } } | null;
  try {
    answer = await model.batchEmbedContents(
      { requests: texts.map((text) => contentRequest(options, text, inputType)) },
      { signal: signal ? AbortSignal.any([signal, deadline]) : deadline },
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw translate(error);
  }
  const embeddings: unknown[] = Array.isArray(answer?.embeddings) ? answer.embeddings : [];
  if (embeddings.length !== texts.length) throw wrongCount(texts.length, embeddings.length);
  const tokens = answer?.usageMetadata?.promptTokenCount;
  return {
    vectors: embeddings.map((embedding) => (embedding as { values?: unknown } | null)?.values),
    tokens: typeof tokens === "number" ? tokens : undefined,
  };
}

/** gemini-embedding-2 reads the kind of text from a prompt and has no task type (ai.google.dev, "Embeddings"). */
function contentRequest(options: CheckedOptions, text: string, inputType: EmbedInputType) {
  const override = inputType === "query" ? options.queryInputType : options.documentInputType;
  const prompted = options.model.replace(/^models\//, "").startsWith("gemini-embedding-2");
  const prompt = prompted ? (override ?? GEMMA_PROMPTS[inputType]) : "";
  const result: EmbedContentRequest & { outputDimensionality?: number } = {
    content: { role: "user", parts: [{ text: prompt + text }] },
  };
  if (!prompted) result.taskType = inputTypeOf(options, inputType) as TaskType;
  if (options.outputDimensionality !== undefined) result.outputDimensionality = options.outputDimensionality;
  return result;
}

/** The SDK shows no headers. Its error of a request is told by what it has, as that of OpenAI's is. */
function translate(error: unknown): Error {
  if (!(error instanceof Error && "status" in error)) return failedRequest({});
  const { status, errorDetails } = error as GoogleGenerativeAIFetchError;
  return failedRequest(geminiFailure(status, errorDetails));
}
