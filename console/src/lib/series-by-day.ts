import { DAY_MS } from "./day-ms.ts";

/** The colours of series, in their order; the last one is that of the rest. */
const TONES = ["file", "fact", "chat", "shared", "accent", "quiet"] as const;

export interface DaySeries {
  days: string[];
  series: { name: string; tone: (typeof TONES)[number]; values: number[] }[];
}

interface Measure<Row> {
  name: (row: Row) => string;
  value: (row: Row) => number;
}

/**
 * Returns the sums of values by name and day, for the last `days` days up to today. The largest
 * names have a series of their own, and the others share the last one.
 */
export function seriesByDay<Row extends { day: string }>(
  rows: readonly Row[],
  days: number,
  { name, value }: Measure<Row>,
  now = Date.now(),
): DaySeries {
  const all = Array.from({ length: days }, (_, at) =>
    new Date(now - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const at = new Map(all.map((day, index) => [day, index]));
  const sums = new Map<string, { total: number; values: number[] }>();
  for (const row of rows) {
    const index = at.get(row.day);
    if (index === undefined) continue;
    const sum = sums.get(name(row)) ?? { total: 0, values: all.map(() => 0) };
    sum.total += value(row);
    sum.values[index] = (sum.values[index] ?? 0) + value(row);
    sums.set(name(row), sum);
  }
  const largest = [...sums].sort(([, a], [, b]) => b.total - a.total);
  const own = largest.slice(0, largest.length > TONES.length ? TONES.length - 1 : TONES.length);
  const rest = largest.slice(own.length);
  const series = own.map(([text, { values }], index) => ({
    name: text,
    tone: TONES[index] ?? ("quiet" as const),
    values,
  }));
  if (rest.length === 0) return { days: all, series };
  const others = all.map((_, index) => rest.reduce((sum, [, { values }]) => sum + (values[index] ?? 0), 0));
  return { days: all, series: [...series, { name: "…", tone: "quiet", values: others }] };
}
