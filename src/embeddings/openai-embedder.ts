import type OpenAI from "openai";
import { OPENAI_ISOLATION } from "../base/openai-options.ts";
import { providerFetch } from "../observe/provider-fetch.ts";
import type { Embedder, EmbedInputType } from "./embedder.ts";
import { createOpenAiBatches } from "./openai-batches.ts";
import { translateOpenAiError } from "./provider-errors.ts";
import { type OpenAiShapedId, PROFILES } from "./providers.ts";
import { type Answer, createRemoteEmbedder } from "./remote-embedder.ts";
import { type CheckedOptions, checkOptions, inputTypeOf, type RemoteOptions } from "./remote-options.ts";
import { noJson, wrongCount } from "./vectors.ts";

export interface OpenAiOptions extends RemoteOptions {
  /** The provider whose variant of the protocol is used. Default: openai. */
  provider?: OpenAiShapedId | undefined;
}

/**
 * Creates an embedder that calls any server with OpenAI's `POST /embeddings`.
 *
 * @throws AppError `config_invalid` when the key, the server's address or the model is missing or
 *   invalid; `embedder_unavailable` or `embedder_rejected` when a test request for the dimensions
 *   of an unknown model fails
 */
export async function createOpenAiEmbedder(options: OpenAiOptions): Promise<Embedder> {
  const checked = checkOptions(PROFILES[options.provider ?? "openai"], options);
  const sdk = await import("openai");
  const client = new sdk.OpenAI({
    // A self-hosted server often needs no key, but the SDK insists on one.
    apiKey: checked.apiKey?.trim() ?? "none",
    baseURL: checked.baseUrl,
    timeout: checked.timeoutMs,
    // The guard retries and counts the retries.
    maxRetries: 0,
    defaultHeaders: checked.headers ?? {},
    ...OPENAI_ISOLATION,
    fetch: providerFetch,
  });
  // Only OpenAI's own server has batches. A server behind a base URL may have none, and then
  // refuses the batch.
  const batches =
    checked.profile.id === "openai"
      ? createOpenAiBatches(client, (text) => bodyOf(checked, text, "document"))
      : undefined;
  return createRemoteEmbedder(
    checked,
    (texts, inputType, signal) => request(client, checked, texts, inputType, signal),
    batches,
  );
}

async function request(
  client: OpenAI,
  options: CheckedOptions,
  texts: readonly string[],
  inputType: EmbedInputType,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const body = bodyOf(options, texts, inputType);
  let answer: string | undefined | { data?: unknown; usage?: { total_tokens?: unknown; prompt_tokens?: unknown } };
  try {
    // Does not use client.embeddings.create, which asks for base64 when no format is given and
    // knows only OpenAI's fields.
    answer = await client.post("/embeddings", { body, ...(signal ? { signal } : {}) });
  } catch (error) {
    signal?.throwIfAborted();
    throw translateOpenAiError(error);
  }
  // An answer that is not JSON arrives as text, an empty answer as undefined.
  if (typeof answer === "string") throw noJson(answer);
  const { total_tokens: total, prompt_tokens: prompt } = answer?.usage ?? {};
  return { vectors: inOrder(answer?.data, texts.length), tokens: [total, prompt].find(isCount) };
}

/** Builds the body of a request. For a single text the answer is a list with one vector. */
function bodyOf(options: CheckedOptions, input: string | readonly string[], inputType: EmbedInputType): object {
  const { profile, model, outputDimensionality } = options;
  const type = inputTypeOf(options, inputType);
  return {
    model,
    input,
    ...(profile.sendsEncodingFormat ? { encoding_format: "float" } : {}),
    ...(outputDimensionality === undefined ? {} : { [profile.dimensionsField]: outputDimensionality }),
    ...(type === undefined ? {} : { input_type: type }),
  };
}

/**
 * Puts the vectors in the order of the texts. A duplicate index is an error, because it would give
 * one text the vector of another.
 */
function inOrder(data: unknown, count: number): unknown[] {
  const items: unknown[] = Array.isArray(data) ? data : [];
  const vectors = new Map<unknown, unknown>();
  for (const [position, item] of items.entries()) {
    const { index = position, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    vectors.set(index, embedding);
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index));
  if (items.length !== count || ordered.includes(undefined)) throw wrongCount(count, items.length);
  return ordered;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
