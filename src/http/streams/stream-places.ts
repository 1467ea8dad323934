import { createCounts } from "../../base/counts.ts";
import { AppError } from "../../base/errors.ts";
import { once } from "../../base/once.ts";
import type { Caller } from "../../service/core/core-deps.ts";

/**
 * The most streams of one key, or of all callers without a key: enough for a page that is open in a
 * few tabs.
 */
const MAX_OF_KEY = 10;

/**
 * Takes a place for a caller's event stream.
 *
 * @returns a function that gives the place back, once
 * @throws AppError `rate_limited`
 */
export type TakeStreamPlace = (caller: Caller) => () => void;

/**
 * Counts the event streams of a process, of every kind: per key, per tenant and in all. A tenant
 * needs its own limit because it may have thousands of keys.
 */
export function createStreamPlaces({ tenant, process }: { tenant: number; process: number }): TakeStreamPlace {
  const open = createCounts();
  return ({ tenantId, actor }) => {
    const places = [
      { name: `key ${tenantId} ${actor}`, most: MAX_OF_KEY, who: "A key may have" },
      { name: `tenant ${tenantId}`, most: tenant, who: "A tenant may have" },
      { name: "process", most: process, who: "This server serves" },
    ];
    const full = places.find(({ name, most }) => open.of(name) >= most);
    if (full)
      throw new AppError(
        "rate_limited",
        `${full.who} ${full.most} event streams at a time; close one, or ask for the status now and then.`,
        { details: { limit: full.most } },
      );
    for (const { name } of places) open.add(name, 1);
    return once(() => {
      for (const { name } of places) open.add(name, -1);
    });
  };
}
