import type { ActivitySummary } from "recollect/client";
import { DAY_MS } from "./day-ms.ts";

export interface CallsOfDay {
  day: string;
  times: number;
  empty: number;
  failed: number;
  /** undefined: no call of the day was measured. */
  p50Ms: number | undefined;
  p95Ms: number | undefined;
}

/**
 * Adds up searches and recalls by day. Days without a call are there too. The latencies of a day
 * are the latencies of its commonest kind of call.
 */
export function callsByDay({ from, to, buckets }: Pick<ActivitySummary, "from" | "to" | "buckets">): CallsOfDay[] {
  const days: CallsOfDay[] = [];
  for (let at = Date.parse(from.slice(0, 10)); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const calls = buckets.filter((one) => one.at.startsWith(day) && (one.kind === "search" || one.kind === "recall"));
    const sum = (name: "times" | "empty" | "failed") => calls.reduce((total, one) => total + one[name], 0);
    const busiest = calls.filter(({ latency }) => latency).sort((a, b) => b.times - a.times)[0]?.latency;
    days.push({
      day,
      times: sum("times"),
      empty: sum("empty"),
      failed: sum("failed"),
      p50Ms: busiest?.p50Ms,
      p95Ms: busiest?.p95Ms,
    });
  }
  return days;
}

/** Returns the sums of all days, and the greatest p95 and the latest p50 that was measured. */
export function callsInAll(days: readonly CallsOfDay[]) {
  const sum = (name: "times" | "empty" | "failed") => days.reduce((total, one) => total + one[name], 0);
  const slow = days.flatMap(({ p95Ms }) => p95Ms ?? []);
  return {
    times: sum("times"),
    empty: sum("empty"),
    failed: sum("failed"),
    p50Ms: days.findLast(({ p50Ms }) => p50Ms !== undefined)?.p50Ms,
    p95Ms: slow.length === 0 ? undefined : Math.max(...slow),
  };
}
