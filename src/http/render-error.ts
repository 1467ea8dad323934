import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeFault } from "../base/describe-fault.ts";
import { AppError, type ErrorCode, titleOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { AppEnv } from "./context.ts";

/** The media type of an error's body (RFC 9457). */
const PROBLEM = "application/problem+json";

/** The HTTP status of every code. docs/ERRORS.md says what each code means and what to do. */
export const STATUS: Record<ErrorCode, ContentfulStatusCode> = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_encoding: 400,
  invalid_path: 400,
  invalid_agent_id: 400,
  invalid_session_key: 400,
  invalid_settings: 400,
  archive_invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  agent_disabled: 403,
  tenant_disabled: 403,
  agent_exists: 409,
  tenant_exists: 409,
  tenant_not_empty: 409,
  tenant_not_found: 404,
  key_not_found: 404,
  receipt_not_found: 404,
  share_not_found: 404,
  branch_not_found: 404,
  merge_conflict: 409,
  job_not_found: 404,
  rate_limited: 429,
  quota_exceeded: 413,
  agent_migration_failed: 503,
  payload_too_large: 413,
  upload_too_slow: 408,
  overloaded: 503,
  unsupported_media_type: 415,
  converter_missing: 415,
  document_unreadable: 422,
  not_found: 404,
  method_not_allowed: 405,
  agent_not_found: 404,
  file_not_found: 404,
  file_changed: 412,
  version_not_found: 404,
  snapshot_not_found: 404,
  eval_not_found: 404,
  snapshot_exists: 409,
  rollback_too_large: 409,
  origin_conflict: 409,
  idempotency_key_in_use: 409,
  idempotency_key_reused: 422,
  session_not_found: 404,
  fact_not_found: 404,
  fact_superseded: 409,
  scope_conflict: 409,
  database_unavailable: 503,
  database_busy: 503,
  // A gateway's status: clients may repeat reads, but do not repeat a write without an idempotency
  // key by themselves.
  database_timeout: 504,
  // Not 503, because clients take 503 to mean that nothing was done.
  outcome_unknown: 504,
  database_read_only: 503,
  // Not 503, because a full disk does not empty in a moment.
  database_full: 507,
  database_unsupported: 503,
  data_folder_in_use: 503,
  schema_too_new: 503,
  config_invalid: 500,
  embedder_unavailable: 503,
  embedder_rejected: 502,
  model_unavailable: 503,
  model_rejected: 502,
  service_unreachable: 503,
  internal: 500,
};

/**
 * Makes a response of an error; no other place does. The response has the code, a sentence and the
 * request id, but never a stack trace, SQL or a cause. The body is a problem of RFC 9457. Its field
 * `error` repeats the same in the older form, which clients rely on.
 */
export function renderError(error: unknown, c: Context<AppEnv>, logger: Logger): Response {
  const requestId = c.get("requestId");
  const known = knownError(error, requestId, logger);
  const status = STATUS[known.code];
  if (status === 401) c.header("WWW-Authenticate", 'Bearer realm="recollect"');
  if (typeof known.details?.retryAfterSeconds === "number")
    c.header("Retry-After", String(known.details.retryAfterSeconds));
  const details = known.details ? { details: known.details } : {};
  return c.json(
    {
      type: `urn:recollect:error:${known.code}`,
      title: titleOf(known.code),
      status,
      detail: known.message,
      instance: `urn:recollect:request:${requestId}`,
      code: known.code,
      requestId,
      ...details,
      error: { code: known.code, message: known.message, requestId, ...details },
    },
    status,
    { "content-type": PROBLEM },
  );
}

/** Returns the function that turns an error into the code and text for an MCP client. */
export function explainTo(c: Context<AppEnv>, logger: Logger): (error: unknown) => { code: ErrorCode; text: string } {
  const requestId = c.get("requestId");
  return (error) => {
    const { code, message } = knownError(error, requestId, logger);
    return { code, text: `${message} (${code}${code === "internal" ? `, request ${requestId}` : ""})` };
  };
}

/** Turns any error into one that may be shown. Logs an error with status 500 or above in full. */
export function knownError(error: unknown, requestId: string | undefined, logger: Logger): AppError {
  const known = toAppError(error);
  if (STATUS[known.code] >= 500)
    logger.error({ requestId, code: known.code, err: describeFault(error) }, "request failed");
  return known;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Hono's own validator reports a body that is not JSON this way.
  if (error instanceof HTTPException && error.status === 400) {
    return new AppError("invalid_json", "The body is not valid JSON.", { cause: error });
  }
  if (error instanceof HTTPException && error.status === 413) {
    return new AppError("payload_too_large", "The body is too large; send fewer or smaller files per request.", {
      cause: error,
    });
  }
  return new AppError("internal", "Recollect failed. The log has the details under the request id.", {
    cause: error,
  });
}
