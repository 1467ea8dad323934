import type { BatchEmbedContentsResponse, EmbedContentRequest, TaskType } from "@google/generative-ai";
import { AppError } from "../base/errors.ts";
import { geminiModelPath } from "../base/gemini-model.ts";
import type { Embedder, EmbedInputType } from "./embedder.ts";
import { type GeminiAddress, geminiJson, postGemini } from "./gemini-api.ts";
import { createGeminiBatches } from "./gemini-batches.ts";
import { failedRequest } from "./provider-errors.ts";
import { GEMMA_PROMPTS, PROFILES } from "./providers.ts";
import { type Answer, createRemoteEmbedder } from "./remote-embedder.ts";
import { type CheckedOptions, checkOptions, inputTypeOf, type RemoteOptions } from "./remote-options.ts";
import { wrongCount } from "./vectors.ts";

/**
 * Creates an embedder that calls the Gemini API, `models.batchEmbedContents`.
 *
 * @throws AppError `config_invalid` without a valid key; `embedder_unavailable` or
 *   `embedder_rejected` when a test request for the dimensions of an unknown model fails
 */
export async function createGeminiEmbedder(options: RemoteOptions): Promise<Embedder> {
  const checked = checkOptions(PROFILES.gemini, options);
  // The configured address may end in the version, because many people write it that way.
  const [, baseUrl = "", version = "v1beta"] = /^(.*?)(?:\/(v1|v1beta))?\/*$/.exec(checked.baseUrl) ?? [];
  const headers = { ...checked.headers, "x-goog-api-key": checked.apiKey?.trim() ?? "" };
  const address: GeminiAddress = { baseUrl, version, model: checked.model, headers };
  const batches = createGeminiBatches(address, (text) => contentRequest(checked, text, "document"));
  return createRemoteEmbedder(
    checked,
    (texts, inputType, signal) => request(address, checked, texts, inputType, signal),
    batches,
  );
}

async function request(
  address: GeminiAddress,
  options: CheckedOptions,
  texts: readonly string[],
  inputType: EmbedInputType,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const model = geminiModelPath(address.model);
  const url = `${address.baseUrl}/${address.version}/${model}:batchEmbedContents`;
  const body = { requests: texts.map((text) => ({ model, ...contentRequest(options, text, inputType) })) };
  let answer: Partial<BatchEmbedContentsResponse> & { usageMetadata?: { promptTokenCount?: unknown } };
  try {
    const until = signal ? AbortSignal.any([signal, deadline]) : deadline;
    answer = await geminiJson(await postGemini(address, url, body, until));
  } catch (error) {
    signal?.throwIfAborted();
    // Any other error may quote a header or a text.
    throw error instanceof AppError ? error : failedRequest({});
  }
  const embeddings: unknown[] = Array.isArray(answer.embeddings) ? answer.embeddings : [];
  if (embeddings.length !== texts.length) throw wrongCount(texts.length, embeddings.length);
  const tokens = answer.usageMetadata?.promptTokenCount;
  return {
    vectors: embeddings.map((embedding) => (embedding as { values?: unknown } | null)?.values),
    tokens: typeof tokens === "number" ? tokens : undefined,
  };
}

/**
 * Builds the request for one text. gemini-embedding-2 reads the kind of text from a prompt and has
 * no task type (ai.google.dev, "Embeddings").
 */
function contentRequest(
  options: CheckedOptions,
  text: string,
  inputType: EmbedInputType,
): EmbedContentRequest & { outputDimensionality?: number } {
  const override = inputType === "query" ? options.queryInputType : options.documentInputType;
  const prompted = options.model.replace(/^models\//, "").startsWith("gemini-embedding-2");
  const prompt = prompted ? (override ?? GEMMA_PROMPTS[inputType]) : "";
  return {
    content: { role: "user", parts: [{ text: prompt + text }] },
    ...(prompted ? {} : { taskType: inputTypeOf(options, inputType) as TaskType }),
    ...(options.outputDimensionality === undefined ? {} : { outputDimensionality: options.outputDimensionality }),
  };
}
