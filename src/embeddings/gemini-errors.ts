import { type Failure, readDuration } from "./provider-errors.ts";

/** What a failure says: how long to wait is in google.rpc.RetryInfo, and that a key is wrong in google.rpc.ErrorInfo. */
export function geminiFailure(status: number | undefined, errorDetails: unknown): Failure {
  const details: unknown[] = Array.isArray(errorDetails) ? errorDetails : [];
  const field = (type: string, name: string) =>
    details
      .map((detail) => (detail ?? {}) as Record<string, unknown>)
      .find((detail) => detail["@type"] === `type.googleapis.com/google.rpc.${type}`)?.[name];
  return {
    status,
    retryAfterMs: readDuration(field("RetryInfo", "retryDelay")),
    badKey: field("ErrorInfo", "reason") === "API_KEY_INVALID",
  };
}
