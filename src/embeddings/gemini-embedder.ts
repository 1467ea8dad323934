import { geminiModelPath } from "../base/gemini-model.ts";
import { embedByGemini, type GeminiAccess, type GeminiEmbedRequest } from "../base/gemini-sdk.ts";
import { providerFetch } from "../observe/provider-fetch.ts";
import type { Embedder, EmbedInputType } from "./embedder.ts";
import { failedGeminiRequest, type GeminiAddress } from "./gemini-api.ts";
import { createGeminiBatches } from "./gemini-batches.ts";
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
  const { model, headers } = checked;
  const apiKey = checked.apiKey?.trim() ?? "";
  const address: GeminiAddress = { baseUrl, version, model, headers: { ...headers, "x-goog-api-key": apiKey } };
  const batches = createGeminiBatches(address, (text) => contentRequest(checked, text, "document"));
  const access: GeminiAccess = {
    model: geminiModelPath(model),
    apiKey,
    baseUrl,
    version,
    headers,
    fetch: providerFetch,
  };
  return createRemoteEmbedder(
    checked,
    (texts, inputType, signal) => request(access, checked, texts, inputType, signal),
    batches,
  );
}

/** The fields of an answer that are read. Every field may be missing or have another type. */
interface EmbedAnswer {
  embeddings?: unknown;
  usageMetadata?: { promptTokenCount?: unknown } | null;
}

async function request(
  access: GeminiAccess,
  options: CheckedOptions,
  texts: readonly string[],
  inputType: EmbedInputType,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const requests = texts.map((text) => contentRequest(options, text, inputType));
  const outcome = await embedByGemini(access, requests, signal ? AbortSignal.any([signal, deadline]) : deadline);
  if ("failure" in outcome) {
    signal?.throwIfAborted();
    throw failedGeminiRequest(outcome.failure);
  }
  const answer = outcome.answer as EmbedAnswer | null;
  const embeddings: unknown[] = Array.isArray(answer?.embeddings) ? answer.embeddings : [];
  if (embeddings.length !== texts.length) throw wrongCount(texts.length, embeddings.length);
  const tokens = answer?.usageMetadata?.promptTokenCount;
  return {
    vectors: embeddings.map((embedding) => (embedding as { values?: unknown } | null)?.values),
    tokens: typeof tokens === "number" ? tokens : undefined,
  };
}

/**
 * Builds the request for one text. gemini-embedding-2 reads the kind of text from a prompt and has
 * no task type (ai.google.dev, "Embeddings").
 */
function contentRequest(options: CheckedOptions, text: string, inputType: EmbedInputType): GeminiEmbedRequest {
  const override = inputType === "query" ? options.queryInputType : options.documentInputType;
  const prompted = options.model.replace(/^models\//, "").startsWith("gemini-embedding-2");
  const prompt = prompted ? (override ?? GEMMA_PROMPTS[inputType]) : "";
  return {
    content: { role: "user", parts: [{ text: prompt + text }] },
    ...(prompted ? {} : { taskType: inputTypeOf(options, inputType) }),
    ...(options.outputDimensionality === undefined ? {} : { outputDimensionality: options.outputDimensionality }),
  };
}
