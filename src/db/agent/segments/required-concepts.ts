import { frequencyIn, type Gain, gainAt, LOOKUP, lengthOf, mostOf, mostOfAll } from "./add-concepts.ts";

/**
 * Returns the numbers of the chunks that have every required concept. A concept is required if no
 * chunk without it can score above `least`. Returns undefined if no concept is required, or if
 * looking the chunks up takes longer than reading all lists.
 */
export function withRequired(concepts: readonly (readonly Gain[])[], least: number): number[] | undefined {
  const total = mostOfAll(concepts);
  if (total <= least) return [];
  const [rarest, ...others] = concepts.filter((gains) => total - mostOf(gains) <= least);
  if (!rarest || lengthOf(rarest) * LOOKUP > lengthOf(concepts.flat())) return undefined;
  const numbers = new Set<number>();
  // Loops by index, because an iterator takes ten times as long.
  for (const { list } of rarest) for (let i = 0; i < list.length; i++) numbers.add((list[i] ?? 0) >>> 8);
  const has = (gains: readonly Gain[], number: number) => gains.some(({ list }) => frequencyIn(list, number) > 0);
  return [...numbers].filter((number) => others.every((gains) => has(gains, number)));
}

/**
 * Returns the chunks that score above `least`, with their scores. Each chunk is looked up in one
 * concept after the other while it can still get above `least`.
 */
export function scoresAbove(
  least: number,
  concepts: readonly (readonly Gain[])[],
  norms: Float64Array,
  numbers: readonly number[],
): { number: number; score: number }[] {
  const scored: { number: number; score: number }[] = [];
  const total = mostOfAll(concepts);
  for (const number of numbers) {
    let score = 0;
    let remaining = total;
    for (const gains of concepts) {
      if (score + remaining <= least) break;
      score += gainAt(gains, norms, number);
      remaining -= mostOf(gains);
    }
    if (score > least) scored.push({ number, score });
  }
  return scored;
}
