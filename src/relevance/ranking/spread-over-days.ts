import type { DayRange } from "../../base/civil-day.ts";

interface Dated {
  readonly path: string;
  readonly days?: DayRange | undefined;
}

/**
 * Orders hits so that each day's first hit comes before any day's second one, and within a day each
 * document's. So the first hits show a whole week, not one talkative day. Earlier days come first.
 */
export function spreadOverDays<T>(hits: readonly T[], detailsOf: (hit: T) => Dated | undefined): T[] {
  const ofDocument = new Map<string, number>();
  const placed = hits.map((hit) => {
    const { path = "", days } = detailsOf(hit) ?? {};
    const turn = nextTurn(ofDocument, path);
    return { hit, day: days?.from ?? "", turn };
  });
  const ofDay = new Map<string, number>();
  return placed
    .toSorted((a, b) => a.turn - b.turn)
    .map((one) => ({ ...one, turn: nextTurn(ofDay, one.day) }))
    .toSorted((a, b) => a.turn - b.turn || (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    .map(({ hit }) => hit);
}

function nextTurn(turns: Map<string, number>, name: string): number {
  const turn = turns.get(name) ?? 0;
  turns.set(name, turn + 1);
  return turn;
}
