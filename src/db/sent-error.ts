/**
 * The message and own fields of an error, such as Postgres's SQLSTATE in `code`, to be sent to
 * another thread. The structured clone of an `Error` would lose the fields.
 */
export type SentError = { message: string } & Record<string, unknown>;

/** The fields that PGlite adds to an error. They hold the user's own text. */
const UNSENT = new Set(["query", "params"]);

/**
 * Emscripten's numbers for the errors of a file system. Its errors are not instances of `Error` and
 * have no text.
 */
const SYSTEM_ERRORS: Readonly<Record<number, string>> = {
  2: "EACCES",
  19: "EDQUOT",
  20: "EEXIST",
  29: "EIO",
  31: "EISDIR",
  33: "EMFILE",
  44: "ENOENT",
  51: "ENOSPC",
  54: "ENOTDIR",
  63: "EPERM",
  69: "EROFS",
};

/** Texts of the C library that Postgres appends to its own message, with the code of the error. */
const SYSTEM_TEXTS: readonly (readonly [text: RegExp, code: string])[] = [
  [/No space left on device/, "ENOSPC"],
  [/(Disk quota|Quota) exceeded/, "EDQUOT"],
  [/Permission denied/, "EACCES"],
  [/Operation not permitted/, "EPERM"],
  [/Read-only file system/, "EROFS"],
];
const FULL = new Set(["ENOSPC", "EDQUOT"]);
const DISK_FULL = "53100";

/**
 * Returns an error in a form that can be sent to another thread. A full disk always gets Postgres's
 * SQLSTATE, whether Postgres or the file system reported it.
 */
export function toSentError(error: unknown): SentError {
  const { errno } = (error ?? {}) as { errno?: unknown };
  const known = typeof errno === "number" ? SYSTEM_ERRORS[errno] : undefined;
  if (!(error instanceof Error)) {
    const code = known ?? (typeof error === "string" ? systemCodeIn(error) : undefined);
    const message =
      typeof error === "string" ? error : `The file system answered ${known ?? `error ${String(errno)}`}.`;
    return { message, ...(code === undefined ? {} : { code: sqlStateOf(code) }) };
  }
  const own = Object.entries(error).filter(([name, value]) => !UNSENT.has(name) && typeof value !== "object");
  const fields: SentError = { ...Object.fromEntries(own), message: error.message };
  const code = fields.code === undefined ? (known ?? systemCodeIn(error.message)) : String(fields.code);
  return code === undefined ? fields : { ...fields, code: sqlStateOf(code) };
}

/** Returns the error that a thread has sent. */
export function fromSentError({ message, ...fields }: SentError): Error {
  return Object.assign(new Error(message), fields);
}

/**
 * Returns the code of the system error that a line of Postgres's log ends with; undefined when it
 * names none.
 */
function systemCodeIn(text: string): string | undefined {
  return SYSTEM_TEXTS.find(([pattern]) => pattern.test(text))?.[1];
}

const sqlStateOf = (code: string) => (FULL.has(code) ? DISK_FULL : code);
