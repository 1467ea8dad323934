/**
 * Returns whether an error is temporary: the service did not answer in time, or it asks the client
 * to wait. The HTTP status decides, because the error may be of the class of another copy of the
 * client.
 */
export function isOutage(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status !== "number" || status === 408 || status === 429 || status >= 500;
}

/** Returns the message of an error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
