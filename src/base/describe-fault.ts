import { AppError } from "./errors.ts";

/** An error as a log may show it. */
interface FaultDescription {
  type: string;
  code?: string;
  message?: string;
  /** The lines of the stack that name places in the code, without the message. */
  stack?: string;
}

const MAX_CHARS = 4000;
/**
 * The SQLSTATE classes whose messages quote values: data exceptions, violated constraints, and
 * errors that a function raises.
 */
const QUOTES_VALUES = /^(22|23|P0)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/**
 * Mistakes in the code, whose messages say which name or type was wrong. SyntaxError is not among
 * them, because JSON.parse quotes its input.
 */
const OWN_FAULTS: ReadonlySet<string> = new Set(["TypeError", "RangeError", "ReferenceError"]);

/**
 * Describes an unexpected error for a log. A message is kept only where it cannot contain texts
 * that users wrote or that a provider repeated: parsers quote their input, Postgres quotes values,
 * file errors quote their path.
 */
export function describeFault(error: unknown): FaultDescription {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  const { code } = (cause ?? {}) as { code?: unknown };
  // pg-boss passes on copies of errors, which have only an error's own fields.
  if (!(cause instanceof Error)) return { type: typeof cause, ...(typeof code === "string" ? { code } : {}) };
  const message = messageOf(cause, code);
  const stack = cause.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  return {
    type: cause.name,
    ...(typeof code === "string" ? { code } : {}),
    ...(message === undefined ? {} : { message: message.slice(0, MAX_CHARS) }),
    ...(stack === undefined ? {} : { stack: stack.join("\n").slice(0, MAX_CHARS) }),
  };
}

function messageOf(error: Error, code: unknown): string | undefined {
  if (error instanceof AppError || OWN_FAULTS.has(error.name)) return error.message;
  if (typeof code !== "string" || !SQLSTATE.test(code) || QUOTES_VALUES.test(code)) return undefined;
  return error.message;
}
