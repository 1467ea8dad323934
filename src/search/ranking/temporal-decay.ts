const MS_A_DAY = 86_400_000;
const DATED_NAME = /(?:^|\/)memory\/(\d{4}-\d{2}-\d{2})[^/]*$/;
const UNDATED = /(?:^|\/)(?:MEMORY\.md$|memory\/)/;

/**
 * The day from which a file ages: that of a name `memory/YYYY-MM-DD…`, else when it was changed. `MEMORY.md` and undated
 * files under `memory/` hold what is true for good and have none.
 */
export function ageReferenceDate(path: string, changedAt: Date): Date | undefined {
  const named = DATED_NAME.exec(path)?.[1];
  const day = named === undefined ? Number.NaN : Date.parse(`${named}T00:00:00Z`);
  // Date.parse takes 31 February for 3 March.
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(named ?? "")) return new Date(day);
  return UNDATED.test(path) ? undefined : changedAt;
}

/**
 * exp(−ln 2 · age / halfLife): 1 for today and for the future, 0.5 after one half-life.
 *
 * @param from undefined: it does not age
 */
export function decayFactor(from: Date | undefined, now: Date, halfLifeDays: number): number {
  if (from === undefined) return 1;
  const days = Math.max(0, now.getTime() - from.getTime()) / MS_A_DAY;
  return Math.exp((-Math.LN2 * days) / halfLifeDays);
}
