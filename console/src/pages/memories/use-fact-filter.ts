import { useMemo } from "react";
import type { FactFilter } from "recollect/client";
import { DAY_MS } from "../../lib/day-ms.ts";
import { startOfDay } from "../../lib/format.ts";
import type { Search } from "../../router/address.ts";

/** How many days ago the oldest facts of a choice were learnt, by its value in the address. */
export const LEARNT_DAYS = { "1": 1, "7": 7, "30": 30, "365": 365 } as const;

export const SORTS = ["newest", "oldest", "importance", "said"] as const;

/** Returns the filter of the list of facts that an address names. */
export function useFactFilter(search: Search): FactFilter {
  return useMemo(() => factFilterOf(search), [search]);
}

function factFilterOf(search: Search): FactFilter {
  const { user, about, q, category, topic, from, source, learnt, importance, past, asof, sort } = search;
  const days = LEARNT_DAYS[learnt as keyof typeof LEARNT_DAYS];
  // The time is rounded to the hour, so that the request stays the same between two renderings.
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const given: Record<string, unknown> = {
    user,
    subject: about,
    q: q?.trim(),
    category,
    key: topic,
    sourceKind: from,
    source,
    storedSince: days === undefined ? undefined : new Date(hour - days * DAY_MS).toISOString(),
    minImportance: importance === undefined ? undefined : Number(importance),
    all: past === "true" || undefined,
    asOf: asof === undefined ? undefined : startOfDay(asof),
    sort: SORTS.find((one) => one === sort),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ""));
}

/** The values in the address that narrow the list. */
export const NARROWING = [
  "user",
  "about",
  "q",
  "category",
  "topic",
  "from",
  "source",
  "learnt",
  "importance",
  "past",
  "asof",
] as const;
