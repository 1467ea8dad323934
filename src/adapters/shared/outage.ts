/**
 * Whether an error passes by itself: nobody answered in time, or the service asks for patience. Told by the status, as the error may
 * come from another copy of the client.
 */
export function isOutage(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status !== "number" || status === 408 || status === 429 || status >= 500;
}

/** What an error says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
