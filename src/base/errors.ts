/**
 * Every error code. The edge maps a code to an HTTP status (http/render-error.ts); the domain knows
 * no HTTP. Codes are part of the API: they may be added, but never renamed.
 */
export type ErrorCode =
  | "invalid_request"
  | "invalid_json"
  | "invalid_encoding"
  | "invalid_path"
  | "invalid_agent_id"
  | "invalid_session_key"
  | "invalid_settings"
  | "unauthenticated"
  | "forbidden"
  | "agent_exists"
  | "archive_invalid"
  | "agent_disabled"
  | "agent_migration_failed"
  | "tenant_not_found"
  | "tenant_exists"
  | "tenant_disabled"
  | "tenant_not_empty"
  | "key_not_found"
  | "receipt_not_found"
  | "share_not_found"
  | "branch_not_found"
  | "merge_conflict"
  | "job_not_found"
  | "rate_limited"
  | "quota_exceeded"
  | "payload_too_large"
  | "upload_too_slow"
  | "overloaded"
  | "unsupported_media_type"
  | "converter_missing"
  | "document_unreadable"
  | "not_found"
  | "method_not_allowed"
  | "agent_not_found"
  | "file_not_found"
  | "file_changed"
  | "version_not_found"
  | "snapshot_not_found"
  | "eval_not_found"
  | "snapshot_exists"
  | "rollback_too_large"
  | "origin_conflict"
  | "idempotency_key_in_use"
  | "idempotency_key_reused"
  | "session_not_found"
  | "fact_not_found"
  | "fact_superseded"
  | "scope_conflict"
  | "database_unavailable"
  | "database_busy"
  | "database_timeout"
  | "database_read_only"
  | "database_full"
  | "outcome_unknown"
  | "database_unsupported"
  | "data_folder_in_use"
  | "schema_too_new"
  | "config_invalid"
  | "embedder_unavailable"
  | "embedder_rejected"
  | "model_unavailable"
  | "model_rejected"
  | "service_unreachable"
  | "internal";

/**
 * States that keep a correctly configured database from serving a request now. All of them pass
 * without a change on our side.
 */
const DATABASE_STATES: ReadonlySet<ErrorCode> = new Set([
  ...(["database_unavailable", "database_busy", "database_timeout", "database_read_only", "database_full"] as const),
  "outcome_unknown",
]);

/** Returns whether an error says that the database cannot serve this request now. */
export function isDatabaseState(error: unknown): error is AppError {
  return error instanceof AppError && DATABASE_STATES.has(error.code);
}

/**
 * Waits for a write that a read does in passing. The write is left undone while the database takes
 * no writes.
 */
export async function unlessReadOnly(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!takesNoWrites(error)) throw error;
  });
}

/** Returns whether an error says that the database is read-only now, so that nothing can change. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof AppError && error.code === "database_read_only";
}

/**
 * Returns whether an error says that the database refuses writes now but answers reads: it is
 * read-only, or its disk is full.
 */
export function takesNoWrites(error: unknown): error is AppError {
  return isReadOnlyError(error) || (error instanceof AppError && error.code === "database_full");
}

/**
 * Returns `file_not_found` as `File not found`. RFC 9457 asks that a problem's title depend on its
 * type alone.
 */
export function titleOf(code: ErrorCode): string {
  return code.charAt(0).toUpperCase() + code.slice(1).replaceAll("_", " ");
}

/**
 * Returns what a log line says about an error: its code, and the status and the short error code
 * that a provider answered with.
 */
export function faultOf({ code, details = {} }: AppError): Record<string, unknown> {
  const { status, providerCode } = details;
  return {
    code,
    ...(typeof status === "number" ? { status } : {}),
    ...(typeof providerCode === "string" ? { providerCode } : {}),
  };
}

/** An error with a stable code and a sentence that tells the reader what to do about it. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /**
   * Facts that are safe to show to a client, such as the limit that was exceeded. Never SQL, never
   * a secret.
   */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details;
  }
}
