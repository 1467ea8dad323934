import type { EmbedInputType } from "./embedder.ts";
import { type InputLimit, inputLimitOf } from "./model-input.ts";

/** The providers that speak OpenAI's `POST /embeddings`, each with its own fields. */
export type OpenAiShapedId = "openai" | "voyage" | "mistral" | "ollama" | "openai-compatible";
export type RemoteProviderId = OpenAiShapedId | "gemini";
export type ProviderId = RemoteProviderId | "local" | "builtin";

/** The profile of a provider over HTTP. */
export interface ProviderProfile {
  readonly id: RemoteProviderId;
  /** The model used when none is named; undefined: the model must be named. */
  readonly defaultModel: string | undefined;
  /** The environment variable of the provider's key; undefined: the provider needs no key. */
  readonly keyVariable: string | undefined;
  /** The provider's own address; undefined: the address must be configured. */
  readonly baseUrl: string | undefined;
  /**
   * The vector length of known models when no shorter one is requested. Other models get one test
   * request.
   */
  readonly knownDimensions: Readonly<Record<string, number>>;
  /**
   * The vector lengths that a model can give, for models that do not give every length up to their
   * own.
   */
  readonly sizes: Readonly<Record<string, readonly number[]>>;
  /** The request field for the vector length. */
  readonly dimensionsField: string;
  /**
   * The provider's words for queries and documents. Undefined: it is sent only the words from the
   * settings.
   */
  readonly inputTypes: Readonly<Record<EmbedInputType, string>> | undefined;
  /** Whether the request contains `encoding_format: "float"`. */
  readonly sendsEncodingFormat: boolean;
  readonly limits: { readonly maxTexts: number; readonly maxTokens: number; readonly maxBytes: number };
  /**
   * The most tokens of one text, by the beginning of the model's name. The last entry, "", is for
   * all other models.
   */
  readonly maxInputTokens: readonly (readonly [prefix: string, tokens: number])[];
  readonly timeoutMs: number;
}

/**
 * The most texts in one request, even if the provider takes more. It bounds the cost of a failure.
 */
export const MAX_BATCH_TEXTS = 100;

const TIMEOUT_MS = 30_000;
/** No API documents a limit in bytes. */
const HOSTED_BYTES = 4_000_000;
/** nginx's default limit; self-hosted servers often run behind it. */
const SELF_HOSTED_BYTES = 1_000_000;

const VOYAGE_SIZES = [256, 512, 1024, 2048];
const VOYAGE_FLEXIBLE = [
  "voyage-4-large",
  "voyage-4",
  "voyage-4-lite",
  "voyage-3-large",
  "voyage-3.5",
  "voyage-3.5-lite",
];
const VOYAGE_FIXED = ["voyage-finance-2", "voyage-law-2"];
const each = <T>(models: readonly string[], value: T) => Object.fromEntries(models.map((model) => [model, value]));

/**
 * platform.openai.com, API reference, "Create embeddings": 2,048 inputs, 8,192 tokens each, 300,000
 * in all.
 */
const openai: ProviderProfile = {
  id: "openai",
  defaultModel: "text-embedding-3-small",
  keyVariable: "OPENAI_API_KEY",
  baseUrl: "https://api.openai.com/v1",
  knownDimensions: {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
  },
  sizes: { "text-embedding-ada-002": [1536] },
  dimensionsField: "dimensions",
  inputTypes: undefined,
  sendsEncodingFormat: true,
  limits: { maxTexts: 2048, maxTokens: 300_000, maxBytes: HOSTED_BYTES },
  maxInputTokens: [["", 8191]],
  timeoutMs: TIMEOUT_MS,
};

/**
 * ai.google.dev, "Embeddings" and `models.batchEmbedContents`: at most 100 requests in a batch,
 * 2,048 tokens each. Google documents no limit on their sum; Vertex AI's limit for the same models
 * is 20,000.
 */
const gemini: ProviderProfile = {
  id: "gemini",
  defaultModel: "gemini-embedding-001",
  keyVariable: "GEMINI_API_KEY",
  baseUrl: "https://generativelanguage.googleapis.com",
  knownDimensions: { "gemini-embedding-001": 3072 },
  sizes: {},
  dimensionsField: "outputDimensionality",
  inputTypes: { query: "RETRIEVAL_QUERY", document: "RETRIEVAL_DOCUMENT" },
  sendsEncodingFormat: false,
  limits: { maxTexts: 100, maxTokens: 20_000, maxBytes: HOSTED_BYTES },
  maxInputTokens: [
    ["gemini-embedding-2", 8192],
    ["", 2048],
  ],
  timeoutMs: TIMEOUT_MS,
};

/**
 * docs.voyageai.com, "Text embedding models": 1,000 texts; 120,000 tokens in all for the large and
 * domain models (other models take more); `encoding_format` may be absent or "base64", so "float"
 * must not be sent.
 */
const voyage: ProviderProfile = {
  id: "voyage",
  defaultModel: "voyage-4-large",
  keyVariable: "VOYAGE_API_KEY",
  baseUrl: "https://api.voyageai.com/v1",
  knownDimensions: each([...VOYAGE_FLEXIBLE, "voyage-code-3", ...VOYAGE_FIXED], 1024),
  sizes: { ...each([...VOYAGE_FLEXIBLE, "voyage-code-3"], VOYAGE_SIZES), ...each(VOYAGE_FIXED, [1024]) },
  dimensionsField: "output_dimension",
  inputTypes: { query: "query", document: "document" },
  sendsEncodingFormat: false,
  limits: { maxTexts: 1000, maxTokens: 120_000, maxBytes: HOSTED_BYTES },
  maxInputTokens: [
    ["voyage-law-2", 16_000],
    ["", 32_000],
  ],
  timeoutMs: TIMEOUT_MS,
};

/**
 * docs.mistral.ai, "Embeddings": `output_dimension` where the model has it (mistral-embed does
 * not). The limits come from Mistral's error texts: "Too many tokens in batch. Max is 16384" and,
 * at 257 texts, "Too many inputs in request".
 */
const mistral: ProviderProfile = {
  id: "mistral",
  defaultModel: "mistral-embed",
  keyVariable: "MISTRAL_API_KEY",
  baseUrl: "https://api.mistral.ai/v1",
  knownDimensions: { "mistral-embed": 1024, "mistral-embed-2312": 1024 },
  sizes: { "mistral-embed": [1024], "mistral-embed-2312": [1024] },
  dimensionsField: "output_dimension",
  inputTypes: undefined,
  sendsEncodingFormat: true,
  limits: { maxTexts: 256, maxTokens: 16_384, maxBytes: HOSTED_BYTES },
  maxInputTokens: [["", 8191]],
  timeoutMs: TIMEOUT_MS,
};

/**
 * Ollama's OpenAI-compatible endpoint. The first request loads the model, which may take a minute.
 * Ollama cuts a text to the model's context without an error, so the short contexts are listed here
 * (the models' pages on ollama.com).
 */
const ollama: ProviderProfile = {
  id: "ollama",
  defaultModel: "nomic-embed-text",
  keyVariable: undefined,
  baseUrl: "http://127.0.0.1:11434/v1",
  knownDimensions: { "nomic-embed-text": 768 },
  sizes: {},
  dimensionsField: "dimensions",
  inputTypes: undefined,
  sendsEncodingFormat: true,
  limits: { maxTexts: 100, maxTokens: 100_000, maxBytes: SELF_HOSTED_BYTES },
  maxInputTokens: [
    ["all-minilm", 256],
    ["mxbai-embed-large", 512],
    ["bge-large", 512],
    ["granite-embedding", 512],
    ["paraphrase-multilingual", 512],
    ["snowflake-arctic-embed2", 2048],
    ["snowflake-arctic-embed", 512],
    ["", 2048],
  ],
  timeoutMs: 120_000,
};

/** Any other server that speaks OpenAI's protocol. */
const openaiCompatible: ProviderProfile = {
  id: "openai-compatible",
  defaultModel: undefined,
  keyVariable: undefined,
  baseUrl: undefined,
  knownDimensions: {},
  sizes: {},
  dimensionsField: "dimensions",
  inputTypes: undefined,
  sendsEncodingFormat: true,
  limits: { maxTexts: 100, maxTokens: 100_000, maxBytes: SELF_HOSTED_BYTES },
  maxInputTokens: [["", 8191]],
  timeoutMs: TIMEOUT_MS,
};

/** Every provider reached over HTTP. */
export const PROFILES: Readonly<Record<RemoteProviderId, ProviderProfile>> = {
  openai,
  gemini,
  voyage,
  mistral,
  ollama,
  "openai-compatible": openaiCompatible,
};

/** The model file that provider `local` looks for when no file is named. */
export const DEFAULT_LOCAL_MODEL = "embeddinggemma-300m-qat-Q8_0";

/**
 * The prompts that EmbeddingGemma (its model card) and gemini-embedding-2 need before a text
 * instead of an input type. Without them the vectors of a query and of its answer are far apart.
 */
export const GEMMA_PROMPTS: Readonly<Record<EmbedInputType, string>> = {
  query: "task: search result | query: ",
  document: "title: none | text: ",
};

/** Returns the number of tokens of one text that the model reads. */
export function maxInputTokensOf(profile: ProviderProfile, model: string): number {
  return profile.maxInputTokens.find(([prefix]) => model.startsWith(prefix))?.[1] ?? 2048;
}

/**
 * Returns the input limit of a model over HTTP. It depends on the name alone, so it stays the same
 * while the provider is unavailable. Returns undefined for other providers, whose models report
 * their limit themselves.
 */
export function remoteInputLimit({ provider, model }: { provider: string; model: string }): InputLimit | undefined {
  const profile = Object.hasOwn(PROFILES, provider) ? PROFILES[provider as RemoteProviderId] : undefined;
  return profile && inputLimitOf({ maxInputTokens: maxInputTokensOf(profile, model) });
}
