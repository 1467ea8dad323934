import type { APIError } from "openai";
import { failedRequest, readRetryAfter } from "./provider-errors.ts";

/** The AppError of what OpenAI's SDK throws. */
export function translateOpenAiError(error: unknown): Error {
  // Told by what it has: its class comes with the SDK, which is loaded by those who use it.
  if (!(error instanceof Error && "status" in error && "headers" in error)) return failedRequest({});
  const { status, headers } = error as APIError;
  return failedRequest({ status, retryAfterMs: readRetryAfter(headers) });
}
