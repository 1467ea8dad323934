import type { MemorySettings } from "./settings.ts";

const DAY_MS = 86_400_000;

/** Whether an agent's sessions are indexed and searched. */
export function searchesSessions(settings: Pick<MemorySettings, "sources">): boolean {
  return settings.sources.includes("sessions");
}

/** Messages from before this instant are not kept; undefined: they are kept for ever. */
export function retentionCutoff(settings: Pick<MemorySettings, "sync">, now: Date): Date | undefined {
  const { retentionDays } = settings.sync.sessions;
  return retentionDays === undefined ? undefined : new Date(now.getTime() - retentionDays * DAY_MS);
}
