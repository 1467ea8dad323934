import type { AppError } from "../base/errors.ts";
import type { GeminiFailure } from "../base/gemini-sdk.ts";
import { providerFetch } from "../observe/provider-fetch.ts";
import { failedRequest, geminiFailure, readRetryAfter } from "./provider-errors.ts";

/** The address of Gemini's API, and the headers of every request to it. */
export interface GeminiAddress {
  /** The address without the version. */
  readonly baseUrl: string;
  readonly version: string;
  readonly model: string;
  /** The headers, with the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends one request to Gemini's Batch API or to its files. Google's SDK has no Batch API, and needs
 * the whole of an uploaded file in memory.
 *
 * @throws AppError for an error status; the error of `fetch` when there is no answer
 */
export async function callGemini(address: GeminiAddress, url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...address.headers, ...(init.headers as Record<string, string>) };
  const response = await providerFetch(url, { ...init, headers });
  if (!response.ok) throw await failureOf(response);
  return response;
}

/**
 * Sends a request with a JSON body.
 *
 * @throws as `callGemini`
 */
export function postGemini(address: GeminiAddress, url: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return callGemini(address, url, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/**
 * Returns the JSON object of an answer.
 *
 * @throws AppError when the answer holds no object
 */
export async function geminiJson(response: Response): Promise<object> {
  const value: unknown = await response.json().catch((error: unknown) => {
    throw failedRequest({ unreadable: error instanceof SyntaxError });
  });
  if (typeof value !== "object" || value === null) throw failedRequest({ unreadable: true });
  return value;
}

/** Returns the AppError of a failed request. */
export function failedGeminiRequest({ status, details, headers, unreadable }: GeminiFailure): AppError {
  const failure = geminiFailure(status, details);
  return failedRequest({ ...failure, unreadable, retryAfterMs: failure.retryAfterMs ?? readRetryAfter(headers) });
}

async function failureOf(response: Response): Promise<AppError> {
  const body = (await response.json().catch(() => undefined)) as { error?: { details?: unknown } } | null | undefined;
  const { status, headers } = response;
  return failedGeminiRequest({ status, headers, details: body?.error?.details, unreadable: false });
}
