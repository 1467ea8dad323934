/**
 * Returns whether an error is temporary: the service did not answer in time, or it asks the client
 * to wait. The HTTP status decides, because the error may be of the class of another copy of the
 * client. An error without a status is the network's, unless the client itself refuses the call.
 */
export function isOutage(error: unknown): boolean {
  const { status, code } = (error ?? {}) as { status?: unknown; code?: unknown };
  if (typeof status !== "number") return !(typeof code === "string" && code.startsWith("invalid_"));
  return status === 408 || status === 429 || status >= 500;
}

/** Returns the message of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
