import { addDays, type CivilDay, type DayRange } from "../../base/civil-day.ts";
import { isOfPeriod, type Period } from "../words/periods.ts";

/** The days that a text belongs to, in the question's time zone, if the question names a period. */
export interface DaysOfText {
  /** All days from the first to the last. */
  readonly days?: DayRange | undefined;
  /** The days of a conversation's messages, in ascending order, if some of `days` may have none. */
  readonly saidDays?: readonly CivilDay[] | undefined;
}

/**
 * Returns the days of a text as ranges without gaps: nobody spoke on the days between two messages of a
 * conversation.
 */
export function rangesOfText({ days, saidDays }: DaysOfText): DayRange[] {
  if (!days) return [];
  return saidDays?.map((day) => ({ from: day, to: addDays(day, 1) })) ?? [days];
}

/** Returns whether one of the days of a text is of a period. */
export function isTextOf(text: DaysOfText, period: Period): boolean {
  return rangesOfText(text).some((days) => isOfPeriod(days, period));
}
