import { addDays, type CivilDay, isInRange } from "../../base/civil-day.ts";
import { rangesOfText } from "../../relevance/ranking/days-of-text.ts";
import { spreadOverDays } from "../../relevance/ranking/spread-over-days.ts";
import { isOfPeriod } from "../../relevance/words/periods.ts";
import { MAX_RESULTS } from "../core/scalar-schemas.ts";
import type { AskedDays } from "./hit-excerpt.ts";
import type { RankedSearch, ShownHit } from "./rank-candidates.ts";

/** The most days that a sentence names; of more it says how many they are. */
const MAX_NAMED = 7;

/** Returns the first hits; of a list by days, hits of as many days as possible, in the same order. */
export function firstHits(hits: readonly ShownHit[], most: number, { ranking, details }: RankedSearch): ShownHit[] {
  if (!ranking.isList) return hits.slice(0, most);
  const first = new Set(spreadOverDays(hits, ({ hit }) => details.get(hit.chunkId)).slice(0, most));
  return hits.filter((one) => first.has(one));
}

/**
 * Returns a sentence if an answer shows only some texts of the days that the question asks for. A
 * reader could otherwise take the list for complete.
 *
 * @param shown the hits that the answer shows
 */
export function restOfList(
  { ranking, details, shown: found, isListCut }: RankedSearch,
  { periods = [], filter }: Pick<AskedDays, "periods" | "filter">,
  shown: readonly ShownHit[] = found,
): string | undefined {
  if (!ranking.isList || shown.length === 0 || (!isListCut && shown.length === found.length)) return undefined;
  const isShown = (chunkId: string) => {
    const row = details.get(chunkId);
    return shown.some(
      ({ hit }) =>
        hit.chunkId === chunkId ||
        (row !== undefined && row.path === hit.path && row.startLine >= hit.startLine && row.endLine <= hit.endLine),
    );
  };
  const isAsked = (day: CivilDay) =>
    (periods.length === 0 || periods.some((period) => isOfPeriod({ from: day, to: addDays(day, 1) }, period))) &&
    (filter.days ?? [{}]).some((span) => isInRange(day, span));
  const daysOf = (isWanted: (chunkId: string) => boolean) =>
    ranking.ranked.flatMap(({ chunkId }) => (isWanted(chunkId) ? rangesOfText(details.get(chunkId) ?? {}) : []));
  const seen = daysOf(isShown);
  const rest = daysOf((chunkId) => !isShown(chunkId)).flatMap(({ from }) => from ?? []);
  const unseen = rest.filter((day) => isAsked(day) && !seen.some((range) => isInRange(day, range)));
  return `These are not all texts of the days that are asked for${noneOf([...new Set(unseen)].toSorted())}.`;
}

function noneOf(days: readonly CivilDay[]): string {
  if (days.length === 0) return "";
  return days.length > MAX_NAMED ? `; ${days.length} of the days have none here` : `; none is of ${days.join(", ")}`;
}

/** Returns the sentence with a way to see the other texts, for an answer to `maxResults`. */
export function adviceOnRest(rest: string | undefined, maxResults: number): string | undefined {
  if (rest === undefined) return undefined;
  const more = maxResults < MAX_RESULTS ? `set a higher maxResults (at most ${MAX_RESULTS}), or ` : "";
  return `${rest} To see the others, ${more}ask about fewer days.`;
}
