import type { ErrorCode } from "../base/errors.ts";
import type { Problem } from "./api-types.ts";

/** Why a request came to nothing: the server's code and sentence, or `service_unreachable` when no server answered. */
export class RecollectError extends Error {
  /** Stable; docs/ERRORS.md lists them. A newer server may have more. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: string,
    message: string,
    more: {
      status?: number;
      requestId?: string | undefined;
      details?: Record<string, unknown> | undefined;
      cause?: unknown;
    },
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "RecollectError";
    this.code = code;
    this.status = more.status;
    this.requestId = more.requestId;
    this.details = more.details;
  }
}

/** The error that a failed response tells of. */
export function errorOf(status: number, body: unknown): RecollectError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Partial<Problem>;
  if (typeof problem.code === "string" && typeof problem.detail === "string")
    return new RecollectError(problem.code, problem.detail, {
      status,
      requestId: problem.requestId,
      details: problem.details,
    });
  return new RecollectError(
    "service_unreachable",
    `Something that is not Recollect answered (${status}); check the URL.`,
    {
      status,
    },
  );
}
