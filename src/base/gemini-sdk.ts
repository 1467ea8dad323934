import type {
  EmbedContentRequest,
  GenerateContentRequest,
  GenerativeModel,
  ResponseSchema,
} from "@google/generative-ai";

/** A model of the Gemini API, and the way to it. */
export interface GeminiAccess {
  /** The resource name of the model: `models/<name>`. */
  readonly model: string;
  readonly apiKey: string;
  /** The address without the version. */
  readonly baseUrl: string;
  readonly version: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sends the requests. It must not follow redirects, because every request holds the key. */
  readonly fetch: typeof fetch;
}

/** The request for the vector of one text. The types of the SDK lack the size of the vector. */
export type GeminiEmbedRequest = Omit<EmbedContentRequest, "taskType"> & {
  taskType?: string | undefined;
  outputDimensionality?: number;
};

/** A question to a chat model. */
export type GeminiPrompt = GenerateContentRequest;

/** The variant of JSON Schema in which a question describes the wanted answer. */
export type GeminiSchema = ResponseSchema;

/**
 * The known facts about a request without a usable answer. The SDK's error is left out on purpose:
 * its message quotes the address and everything that the server repeated.
 */
export interface GeminiFailure {
  /** The HTTP status. Undefined when there was no answer, or no readable one. */
  readonly status: number | undefined;
  /** The error details of the answer (google.rpc), unchecked. */
  readonly details: unknown;
  readonly headers: Headers | undefined;
  /** Whether there was an answer that is not valid JSON. */
  readonly unreadable: boolean;
}

/** An answer as the server sent it, unchecked; or the failure of a request. */
export type GeminiOutcome = { answer: unknown } | { failure: GeminiFailure };

/** Sends `models.batchEmbedContents`. Throws nothing if the request fails or is aborted. */
export function embedByGemini(
  access: GeminiAccess,
  requests: readonly GeminiEmbedRequest[],
  signal: AbortSignal,
): Promise<GeminiOutcome> {
  return ask(access, signal, (model) => model.batchEmbedContents({ requests: requests as EmbedContentRequest[] }));
}

/** Sends `models.generateContent`. Throws nothing if the request fails or is aborted. */
export function generateByGemini(
  access: GeminiAccess,
  prompt: GeminiPrompt,
  signal: AbortSignal,
): Promise<GeminiOutcome> {
  // The SDK's `text()` is not used: it writes to the console and knows three of six reasons why
  // an answer was blocked.
  return ask(access, signal, async (model) => (await model.generateContent(prompt)).response);
}

async function ask(
  { model, apiKey, baseUrl, version: apiVersion, headers: customHeaders = {}, fetch: send }: GeminiAccess,
  signal: AbortSignal,
  request: (model: GenerativeModel) => Promise<unknown>,
): Promise<GeminiOutcome> {
  const { GoogleGenerativeAI } = await import("@google/generative-ai");
  const client = new GoogleGenerativeAI(apiKey);
  let response: Response | undefined;
  // The SDK is given no signal and no time limit: it ignores a signal that is already aborted, and
  // keeps its timer after the answer.
  const sendOnce: typeof fetch = async (url, init) => {
    response = await send(url, { ...init, signal });
    return response;
  };
  try {
    const asked = client.getGenerativeModel({ model }, { baseUrl, apiVersion, customHeaders });
    return { answer: await withFetch(sendOnce, () => request(asked)) };
  } catch (error) {
    const { errorDetails: details } = error as { errorDetails?: unknown };
    const { ok, status, headers } = response ?? {};
    const unreadable = ok === true && error instanceof SyntaxError;
    return { failure: { status: ok ? undefined : status, details, headers, unreadable } };
  }
}

/**
 * Calls a method of the SDK with another `fetch`. The SDK takes none as an option, follows
 * redirects, and keeps `x-goog-api-key` on the way to another host. It reads the global as the
 * default value of a parameter (`makeModelRequest`), before its first await. So the global is
 * replaced only until the method returns its promise, and no other code runs meanwhile. The
 * version of the SDK is fixed; if another one read the global later, `test/embeddings/redirects`
 * would fail.
 */
function withFetch<T>(replacement: typeof fetch, call: () => Promise<T>): Promise<T> {
  const original = globalThis.fetch;
  globalThis.fetch = replacement;
  try {
    return call();
  } finally {
    globalThis.fetch = original;
  }
}
