/**
 * Every error a caller can meet. The edge maps a code to an HTTP status (http/render-error.ts); the domain knows no
 * HTTP. Codes are part of the API: never renamed, only added.
 */
export type ErrorCode =
  | "invalid_request"
  | "invalid_json"
  | "invalid_encoding"
  | "invalid_path"
  | "invalid_agent_id"
  | "payload_too_large"
  | "unsupported_media_type"
  | "not_found"
  | "agent_not_found"
  | "file_not_found"
  | "database_unavailable"
  | "database_unsupported"
  | "data_folder_in_use"
  | "schema_too_new"
  | "config_invalid"
  | "embedder_unavailable"
  | "embedder_rejected"
  | "service_unreachable"
  | "internal";

/** An error with a stable code and a sentence that tells the reader what to do about it. */
export class AppError extends Error {
  readonly code: ErrorCode;
  /** Facts safe to show to a client, such as the limit that was exceeded. Never SQL, never a secret. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details;
  }
}
