import { locale } from "../texts/language.ts";

const UNITS = [
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Returns a time span in its largest unit: `84 ms`, `1.2 sec`, `3 min`. */
export function duration(ms: number): string {
  const [unit, length] = UNITS.find(([, least]) => ms >= least) ?? (["millisecond", 1] as const);
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: ms < 10_000 ? 1 : 0 } as const;
  return new Intl.NumberFormat(locale, format).format(ms / length);
}
