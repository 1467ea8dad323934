const [FIRST, LAST] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const DOWN: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Home: FIRST, End: LAST };
const ALONG: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Returns how far a key moves in a list, or undefined for a key that does not move. */
export function stepDown(key: string): number | undefined {
  return DOWN[key];
}

/** Returns how far a key moves along a line, or undefined for a key that does not move. */
export function stepAlong(key: string): number | undefined {
  return ALONG[key];
}
