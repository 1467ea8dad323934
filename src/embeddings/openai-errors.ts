import { APIError } from "openai";
import { failedRequest, readRetryAfter } from "./provider-errors.ts";

/** The AppError of what OpenAI's SDK throws. */
export function translateOpenAiError(error: unknown): Error {
  if (!(error instanceof APIError)) return failedRequest({});
  return failedRequest({ status: error.status, retryAfterMs: readRetryAfter(error.headers) });
}
