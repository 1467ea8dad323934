import type { MemorySettings } from "./settings.ts";

const DAY_MS = 86_400_000;

/** From before when facts are let go of; an absent rule keeps them. A class that does not decay is never too old. */
export function factCutoffs(
  { retention, halfLives }: MemorySettings["facts"],
  now: Date,
): { expired: Date; superseded: Date | undefined; decayed: Record<string, Date> } {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const { expiredDays, supersededDays, afterHalfLives } = retention;
  const decayed = Object.entries(afterHalfLives === undefined ? {} : halfLives).map(([name, days]) => [
    name,
    before(days * (afterHalfLives ?? 0)),
  ]);
  return {
    expired: before(expiredDays),
    superseded: supersededDays === undefined ? undefined : before(supersededDays),
    decayed: Object.fromEntries(decayed),
  };
}
