import { closestMatch } from "leven";

/**
 * The longest text that is compared. Longer texts are not mistyped names, and comparing them takes
 * long.
 */
const MOST_CHARS = 100;
/** The most letters that may be wrong; in a short name at most two letters in five. */
const MOST_WRONG = 3;
const SHARE_WRONG = 0.4;

/**
 * Returns the name that was most likely meant; undefined when no name is near.
 *
 * @param names at most some thousand
 */
export function nearest(text: string, names: readonly string[]): string | undefined {
  if (text.length > MOST_CHARS) return undefined;
  const maxDistance = Math.min(MOST_WRONG, Math.floor(text.length * SHARE_WRONG));
  return maxDistance === 0 ? undefined : closestMatch(text, names, { maxDistance });
}

/**
 * Returns a question to put behind a sentence about an unknown name; empty when no name is near.
 */
export function didYouMean(text: string, names: readonly string[]): string {
  const name = nearest(text, names);
  return name === undefined ? "" : ` Did you mean ${name}?`;
}
