import { addDays, type CivilDay, dayIn, isTimeZone } from "../../base/civil-day.ts";
import { isObject } from "../../base/objects.ts";
import { type Days, dayPeriod } from "../../relevance/words/periods.ts";
import { periodsOfQuestion } from "../../relevance/words/question-periods.ts";
import type { Scope } from "../../settings/access.ts";
import { settingsZone } from "../../settings/settings-zone.ts";
import { findKnownMemory } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";
import type { PhraseDays } from "./read-as-meant.ts";

/** A number of days or weeks before now: 7d, -7d, now-7d, P2W. */
const DURATION = /^(?:now)?\s?-?\s?p?(\d{1,4})\s?([dw])$/i;
const NOW = /^now(?:\(\))?$/i;

/**
 * Reads phrases for a time, such as "yesterday" and "last week", where a tool asks for a day, in the time
 * zone that the input names, or else in the agent's.
 *
 * @throws AppError the errors of `findKnownMemory`: the agent is only looked up for its time zone
 */
export async function readPhrases(
  deps: Deps,
  caller: Caller,
  agent: { id: string; scope: Scope },
  input: unknown,
  phrases: readonly string[],
): Promise<PhraseDays> {
  const named = isObject(input) && typeof input.timezone === "string" ? input.timezone : undefined;
  const zone =
    named !== undefined && isTimeZone(named)
      ? named
      : settingsZone((await findKnownMemory(deps, caller, agent.scope, agent.id))?.settings);
  const now = deps.clock();
  const days = new Map<string, Days>();
  for (const phrase of phrases) {
    const one = await daysOf(phrase, now, zone);
    if (one) days.set(phrase, one);
  }
  return { zone, days };
}

/** Returns the days of a phrase; undefined if it says more than one period, or something else beside it. */
async function daysOf(phrase: string, now: Date, zone: string): Promise<Days | undefined> {
  const today: CivilDay = dayIn(zone, now);
  if (NOW.test(phrase.trim())) return dayPeriod(today).ranges[0];
  const [, count, unit] = DURATION.exec(phrase.trim()) ?? [];
  if (count !== undefined)
    return dayPeriod(addDays(today, -Number(count) * (unit?.toLowerCase() === "w" ? 7 : 1))).ranges[0];
  const { periods, isGeneric } = await periodsOfQuestion(phrase, { now, zone });
  const [period, another] = periods;
  return isGeneric && another === undefined ? period?.ranges[0] : undefined;
}
