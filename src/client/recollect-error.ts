import type { ErrorCode, Problem } from "./api.ts";

/**
 * The reason why a request failed: the server's code and sentence, or `service_unreachable` when no
 * server answered.
 */
export class RecollectError extends Error {
  /**
   * The stable error code. docs/ERRORS.md lists the codes. A newer server may have more of them.
   */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status; undefined when no server answered, or the client refused the call itself. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /**
   * The time that the server asked the client to wait before the next try (`Retry-After`), at most
   * a minute.
   */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    more: {
      status?: number;
      requestId?: string | undefined;
      details?: Record<string, unknown> | undefined;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "RecollectError";
    this.code = code;
    this.status = more.status;
    this.requestId = more.requestId;
    this.details = more.details;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/**
 * Returns the error for a failed response.
 *
 * @param answer.name the name of the server in the message
 */
export function errorOf(
  status: number,
  body: unknown,
  { name, retryAfterMs }: { name: string; retryAfterMs?: number | undefined },
): RecollectError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  // Older servers send code and message only in `error`.
  const { code, detail, requestId, details } =
    problem.code === undefined ? { ...problem.error, detail: problem.error?.message } : problem;
  if (typeof code === "string" && typeof detail === "string")
    return new RecollectError(code, detail, { status, requestId, details, retryAfterMs });
  const message =
    status === 413
      ? `A proxy before ${name} refused the request as too large (status 413); raise its limit for bodies, in nginx client_max_body_size.`
      : `${name} answered (status ${status}) but not as Recollect does; check the URL.`;
  return new RecollectError("service_unreachable", message, { status, retryAfterMs });
}
