import type { APIError } from "openai";
import { AppError } from "../base/errors.ts";
import { isRedirect } from "../observe/provider-fetch.ts";

/**
 * The statuses that say that the key, the model or the settings are wrong, so that every other text
 * would fail too.
 */
const REQUEST_FAULTS = new Set([401, 402, 403, 404, 405]);
/** The statuses that may be caused by the texts: too long, too many, refused. */
const TEXT_FAULTS = new Set([400, 413, 422]);
/** The longest wait that is believed. A longer one is an outage. */
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * The known facts about a failed request. The SDK's error is left out on purpose: it carries
 * headers, and servers repeat keys.
 */
interface Failure {
  /** The HTTP status. Undefined when there was no answer or no readable one. */
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  /** The short code of the error that the server sent, such as `insufficient_quota`; unchecked. */
  providerCode?: unknown;
  /** Whether the server said that the key is wrong, whatever the status. */
  badKey?: boolean;
  /** Whether there was an answer that is not valid JSON, or lacks the fields of the provider's API. */
  unreadable?: boolean;
}

/**
 * Returns the AppError of a failed request: `embedder_rejected` when no retry will help, else
 * `embedder_unavailable`.
 */
export function failedRequest({ status, retryAfterMs, providerCode, badKey = false, unreadable }: Failure): AppError {
  if (unreadable)
    return new AppError(
      "embedder_unavailable",
      "The embedding provider answered, but not with valid JSON of its API; check remote.baseUrl, which may lead to another server, a login page or a proxy.",
    );
  const code = status === undefined ? undefined : shortCode(providerCode);
  const said = code === undefined ? `status ${status}` : `status ${status} (${code})`;
  const coded = code === undefined ? {} : { providerCode: code };
  if (isRedirect(status))
    return new AppError(
      "embedder_rejected",
      `The embedding provider redirects to another address (status ${status}), which is not followed; set remote.baseUrl to the address that answers.`,
      { details: { status, fault: "request" } },
    );
  if (status !== undefined && (badKey || REQUEST_FAULTS.has(status) || TEXT_FAULTS.has(status))) {
    const fault = badKey || REQUEST_FAULTS.has(status) ? "request" : "text";
    const key = badKey || status === 401 || status === 403;
    return new AppError(
      "embedder_rejected",
      `The embedding provider refused the request with ${said}; ${key ? "check the API key" : "check the model's name and its limits"}.`,
      { details: { status, ...coded, fault } },
    );
  }
  const what = status === undefined ? "does not answer" : `answered with ${said}`;
  const details = {
    ...(status === undefined ? {} : { status, ...coded }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  return new AppError(
    "embedder_unavailable",
    `The embedding provider ${what}.`,
    Object.keys(details).length === 0 ? {} : { details },
  );
}

/**
 * Returns a code that is surely no key and no text: words of letters with `_` between them.
 */
function shortCode(code: unknown): string | undefined {
  return typeof code === "string" && code.length <= 40 && /^[a-z]+(_[a-z]+)+$/i.test(code) ? code : undefined;
}

/**
 * Returns the milliseconds to wait by `retry-after-ms` or `Retry-After` (RFC 9110: seconds or a
 * date), or undefined without either header.
 */
export function readRetryAfter(headers: Headers | undefined, now: number = Date.now()): number | undefined {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(ms)) return limitWait(ms);
  const value = headers?.get("retry-after")?.trim();
  if (!value) return undefined;
  return limitWait(/^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now);
}

/**
 * Returns the milliseconds of a protobuf duration such as "22s" or "8.94s", or undefined for any
 * other value.
 */
export function readDuration(value: unknown): number | undefined {
  return typeof value === "string" && /^\d+(\.\d+)?s$/.test(value)
    ? limitWait(Number.parseFloat(value) * 1000)
    : undefined;
}

function limitWait(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.round(Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)) : undefined;
}

/**
 * Reads Gemini's error details: google.rpc.RetryInfo holds the time to wait, google.rpc.ErrorInfo
 * says that the key is wrong.
 */
export function geminiFailure(status: number | undefined, errorDetails: unknown): Failure {
  const details: unknown[] = Array.isArray(errorDetails) ? errorDetails : [];
  const field = (type: string, name: string) =>
    details
      .map((detail) => (detail ?? {}) as Record<string, unknown>)
      .find((detail) => detail["@type"] === `type.googleapis.com/google.rpc.${type}`)?.[name];
  return {
    status,
    retryAfterMs: readDuration(field("RetryInfo", "retryDelay")),
    providerCode: field("ErrorInfo", "reason"),
    badKey: field("ErrorInfo", "reason") === "API_KEY_INVALID",
  };
}

/** Translates an error of OpenAI's SDK into an AppError. */
export function translateOpenAiError(error: unknown): Error {
  // Recognised by its fields: the error class is in the SDK, which is loaded only for providers
  // that use it.
  if (!(error instanceof Error && "status" in error && "headers" in error))
    return failedRequest({ unreadable: error instanceof SyntaxError });
  const { status, headers, code, type } = error as APIError;
  return failedRequest({ status, retryAfterMs: readRetryAfter(headers), providerCode: code ?? type });
}
