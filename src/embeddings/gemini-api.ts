import { isRedirect, providerFetch } from "../observe/provider-fetch.ts";
import { failedRequest, geminiFailure, readRetryAfter } from "./provider-errors.ts";

/** Where Gemini's API is, and what every request to it carries. */
export interface GeminiAddress {
  /** Without the version. */
  readonly baseUrl: string;
  readonly version: string;
  readonly model: string;
  /** With the key. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * One request to Gemini's API. Google's own package has the types; it does not send the request, since it follows redirects, with
 * the key in a header.
 *
 * @throws AppError for an answer that is none; what `fetch` throws when there is no answer
 */
export async function callGemini(address: GeminiAddress, url: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...address.headers, ...(init.headers as Record<string, string>) };
  const response = await providerFetch(url, { ...init, headers });
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** A request with a JSON body. @throws as `callGemini` */
export function postGemini(address: GeminiAddress, url: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return callGemini(address, url, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** The object of an answer. @throws AppError when there is none */
export async function geminiJson(response: Response): Promise<object> {
  const value: unknown = await response.json().catch(() => undefined);
  if (typeof value !== "object" || value === null) throw failedRequest({});
  return value;
}

async function failureOf(response: Response): Promise<Error> {
  if (isRedirect(response.status)) return failedRequest({ status: response.status });
  const body = (await response.json().catch(() => undefined)) as { error?: { details?: unknown } } | null | undefined;
  const failure = geminiFailure(response.status, body?.error?.details);
  return failedRequest({ ...failure, retryAfterMs: failure.retryAfterMs ?? readRetryAfter(response.headers) });
}
