import OpenAI, { APIError } from "openai";
import { AppError } from "../base/errors.ts";
import { sha256 } from "../base/ids.ts";
import type { Embedder, EmbedInputType } from "./embedder.ts";

export const DEFAULT_OPENAI_MODEL = "text-embedding-3-small";

const KNOWN_DIMENSIONS: Record<string, number> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536,
};
const MAX_BATCH_TEXTS = 100;
const TIMEOUT_MS = 30_000;
/** Requests that no retry will make right: bad key, unknown model, text refused. */
const REJECTED = new Set([400, 401, 403, 404, 413, 422]);

export interface OpenAiOptions {
  model?: string | undefined;
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Sent with every request, for gateways that want more than a key. Secret like the key. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Asks the model for shorter vectors; wins over what is known of the model. */
  outputDimensionality?: number | undefined;
  timeoutMs?: number;
}

/**
 * Embeddings by any server that speaks OpenAI's `POST /embeddings`.
 *
 * @throws AppError `config_invalid` when OpenAI itself is meant and there is no key; `embedder_unavailable` or
 *   `embedder_rejected` when an unknown model has to be asked for its dimensions and does not answer.
 */
export async function createOpenAiEmbedder(options: OpenAiOptions): Promise<Embedder> {
  const { baseUrl, apiKey, outputDimensionality } = options;
  if (apiKey === undefined && baseUrl === undefined) {
    throw new AppError(
      "config_invalid",
      "The provider openai needs a key: set OPENAI_API_KEY, or RECOLLECT_BASE_URL for a server that needs none.",
    );
  }
  if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey.trim())) {
    // Left to the SDK, the request fails with an error that quotes the key and looks like an outage.
    throw new AppError("config_invalid", "OPENAI_API_KEY has characters that no key has; copy it again.");
  }
  const client = new OpenAI({
    // A server of one's own often wants none, but the SDK insists.
    apiKey: apiKey ?? "none",
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxRetries: 2,
    defaultHeaders: options.headers ?? {},
    // Else the SDK takes these from the environment and tells them to any server.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: "off",
  });
  const model = options.model ?? DEFAULT_OPENAI_MODEL;
  const ask = (texts: readonly string[], signal?: AbortSignal) =>
    request(client, { model, texts, dimensions: outputDimensionality, signal });
  const dimensions = outputDimensionality ?? KNOWN_DIMENSIONS[model] ?? (await probeDimensions(ask));
  return {
    provider: "openai",
    model,
    dimensions,
    providerKey: sha256([apiKey ?? "", baseUrl ?? "", outputDimensionality ?? ""].join("\n")).slice(0, 16),
    maxBatchTexts: MAX_BATCH_TEXTS,
    embed: async (texts: readonly string[], _inputType: EmbedInputType, signal?: AbortSignal) => {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += MAX_BATCH_TEXTS) {
        const answer = await ask(texts.slice(from, from + MAX_BATCH_TEXTS), signal);
        vectors.push(...answer.map((vector) => toUnitVector(vector, dimensions)));
      }
      return vectors;
    },
    close: async () => undefined,
  };
}

/** Vectors as they came, in the order of the texts. */
type Ask = (texts: readonly string[], signal?: AbortSignal) => Promise<unknown[]>;

async function probeDimensions(ask: Ask): Promise<number> {
  try {
    const [vector] = await ask(["dimensions"]);
    const dimensions = Array.isArray(vector) ? vector.length : 0;
    toUnitVector(vector, dimensions);
    return dimensions;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "embedder_unavailable") throw error;
    throw new AppError(
      "embedder_unavailable",
      `${error.message} Its vectors' length is not known without it; set RECOLLECT_OUTPUT_DIMENSIONALITY to start anyway.`,
    );
  }
}

async function request(
  client: OpenAI,
  {
    model,
    texts,
    dimensions,
    signal,
  }: { model: string; texts: readonly string[]; dimensions: number | undefined; signal: AbortSignal | undefined },
): Promise<unknown[]> {
  let data: unknown;
  try {
    const answer = await client.embeddings.create(
      { model, input: [...texts], encoding_format: "float", ...(dimensions === undefined ? {} : { dimensions }) },
      signal ? { signal } : {},
    );
    // An answer that is no JSON arrives as text, an empty one as nothing.
    data = (answer as Partial<typeof answer> | undefined)?.data;
  } catch (error) {
    signal?.throwIfAborted();
    throw translate(error);
  }
  return inOrder(data, texts.length);
}

/** Puts the vectors in the order of the texts; an index that is there twice would give one text the vector of another. */
function inOrder(data: unknown, count: number): unknown[] {
  const items: unknown[] = Array.isArray(data) ? data : [];
  const vectors = new Map<unknown, unknown>();
  for (const [position, item] of items.entries()) {
    const { index = position, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    vectors.set(index, embedding);
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index));
  if (items.length !== count || ordered.includes(undefined)) {
    throw new AppError(
      "embedder_unavailable",
      `The embedding provider answered ${count} texts with ${items.length} vectors that are not one for each.`,
    );
  }
  return ordered;
}

/** Keeps the status and drops the rest: the SDK's errors carry request headers, and some servers repeat the key. */
function translate(error: unknown): AppError {
  const status = error instanceof APIError ? error.status : undefined;
  if (status !== undefined && REJECTED.has(status)) {
    const remedy = status === 401 || status === 403 ? "check the API key" : "check the model's name and its limits";
    return new AppError(
      "embedder_rejected",
      `The embedding provider refused the request with status ${status}; ${remedy}.`,
      { details: { status } },
    );
  }
  const what = status === undefined ? "does not answer" : `answered with status ${status}`;
  return new AppError(
    "embedder_unavailable",
    `The embedding provider ${what}.`,
    status === undefined ? {} : { details: { status } },
  );
}

function toUnitVector(values: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(values) || values.length !== dimensions) {
    const got = Array.isArray(values) ? `of ${values.length}` : "without";
    throw new AppError(
      "embedder_unavailable",
      `The embedding provider sent a vector ${got} dimensions instead of ${dimensions}.`,
    );
  }
  // Checked before it becomes a Float32Array, which reads null as 0 and "1" as 1.
  const length = values.every((value) => typeof value === "number") ? Math.hypot(...values) : Number.NaN;
  if (!Number.isFinite(length) || length === 0) {
    throw new AppError("embedder_unavailable", "The embedding provider sent a vector that has no direction.");
  }
  return Float32Array.from(values, (value: number) => value / length);
}
