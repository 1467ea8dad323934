export interface DayValue {
  day: string;
  value: number;
}

const DAY_MS = 86_400_000;
/** The minimum number of days in a chart. With fewer days a chart looks empty. */
const FEWEST_DAYS = 14;
const MOST_DAYS = 400;

/**
 * Returns the sum of each day, ascending, with 0 for days without a value. Covers at least the last
 * two weeks and at most the last 400 days, up to today.
 */
export function byDay(values: readonly DayValue[], today = new Date().toISOString().slice(0, 10)): DayValue[] {
  if (values.length === 0) return [];
  const sums = new Map<string, number>();
  for (const { day, value } of values) sums.set(day, (sums.get(day) ?? 0) + value);
  const first = [...sums.keys()].reduce((least, day) => (day < least ? day : least), today);
  const end = Date.parse(today);
  const days = Math.min(MOST_DAYS, Math.max(FEWEST_DAYS, Math.round((end - Date.parse(first)) / DAY_MS) + 1));
  return Array.from({ length: days }, (_, at) => {
    const day = new Date(end - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { day, value: sums.get(day) ?? 0 };
  });
}
