import { AppError } from "../base/errors.ts";
import { once } from "../base/once.ts";
import { countOf } from "../base/text/count-of.ts";

/** About the time that an archive of middle size takes. */
const RETRY_AFTER_SECONDS = 30;

/**
 * Counts this process's open streams of one kind. Each stream holds memory and a share of the
 * database. A tenant may have one at a time, so that one tenant cannot take all places.
 *
 * @returns takes a place for a tenant and returns the function that frees it, once; throws AppError
 *   `rate_limited` when no place is free
 */
export function streamLimit(most: number, what: string): (tenantId: string) => () => void {
  const open = new Set<string>();
  const refusal = (message: string) =>
    new AppError("rate_limited", message, { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
  return (tenantId) => {
    if (open.has(tenantId))
      throw refusal(`A tenant has one ${what} at a time on a server; begin this one when the other is done.`);
    if (open.size >= most) throw refusal(`This server runs at most ${countOf(most, what)} at a time; try again later.`);
    open.add(tenantId);
    return once(() => open.delete(tenantId));
  };
}
