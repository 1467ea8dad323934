import { DAY_MS } from "../base/clock.ts";
import type { MemorySettings } from "./settings-schema.ts";

/** Returns whether an agent's sessions are indexed and searched. */
export function searchesSessions(settings: Pick<MemorySettings, "sources">): boolean {
  return settings.sources.includes("sessions");
}

/** Returns the instant before which messages are not kept; undefined: they are kept for ever. */
export function retentionCutoff(settings: Pick<MemorySettings, "sync">, now: Date): Date | undefined {
  const { retentionDays } = settings.sync.sessions;
  return retentionDays === undefined ? undefined : new Date(now.getTime() - retentionDays * DAY_MS);
}

/**
 * Returns the times before which facts are deleted, by rule; an absent rule keeps all facts. A fact
 * of a class that does not decay is never too old.
 */
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
