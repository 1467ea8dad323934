import { fold } from "./fold.ts";

/** The languages whose names of months are read in the names of files. */
const LANGUAGES = "en de fr es it pt nl sv da nb fi pl cs sk hu tr ro id ca hr ru uk bg el".split(" ");

let months: ReadonlyMap<string, number> | undefined;

/**
 * Returns the numbers of months, 1 to 12, by their folded names in many languages, whole and short.
 * They come from the Unicode locale data of the runtime. They are made at the first call, which
 * takes some tens of milliseconds.
 */
export function monthsByName(): ReadonlyMap<string, number> {
  if (months) return months;
  const names = new Map<string, number>();
  // The first language that has a name keeps it.
  for (const language of LANGUAGES)
    for (const width of ["long", "short"] as const)
      for (const beside of [{}, { day: "numeric" as const }]) {
        const format = new Intl.DateTimeFormat(language, {
          month: width,
          timeZone: "UTC",
          calendar: "gregory",
          ...beside,
        });
        for (let month = 1; month <= 12; month++) {
          const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
          const name = fold(parts.find(({ type }) => type === "month")?.value ?? "").replace(/[.]$/, "");
          if (/^\p{L}[\p{L}\p{M}]+$/u.test(name) && !names.has(name)) names.set(name, month);
        }
      }
  names.set("sept", 9);
  months = names;
  return names;
}
