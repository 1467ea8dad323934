import { expect, test } from "vitest";
import { momentOfClock } from "../../src/base/civil-day.ts";

test.each([
  ["2026-01-10T12:00", "Europe/Berlin", "2026-01-10T11:00"],
  ["2026-07-10T12:00", "Europe/Berlin", "2026-07-10T10:00"],
  ["2026-04-10T03:00", "Asia/Tokyo", "2026-04-09T18:00"],
  ["2026-03-08T01:30", "America/New_York", "2026-03-08T06:30"],
  ["2026-03-08T03:30", "America/New_York", "2026-03-08T07:30"],
  // The clocks skip these times, and the offset of before counts.
  ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:30"],
  ["2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30"],
])("clocks show %s in %s at %sZ", (shown, zone, moment) => {
  expect(momentOfClock(new Date(`${shown}Z`), zone).toISOString()).toBe(`${moment}:00.000Z`);
});
