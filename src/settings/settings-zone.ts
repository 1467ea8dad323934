import { serverZone } from "../base/civil-day.ts";
import type { MemorySettings } from "./settings-schema.ts";

/** Returns the time zone of an agent's days: that of its settings, else that of the server. */
export function settingsZone(settings: Pick<MemorySettings, "timezone"> | undefined): string {
  return settings?.timezone ?? serverZone();
}
