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
  const swapped = names.find((name) => isSwapped(text, name));
  if (swapped !== undefined) return swapped;
  const maxDistance = Math.min(MOST_WRONG, Math.floor(text.length * SHARE_WRONG));
  return maxDistance === 0 ? undefined : closestMatch(text, names, { maxDistance });
}

/**
 * Returns whether two neighbouring letters are all that differs, as in `prot` and `port`. By the number
 * of letters that are wrong, such a pair would be too far apart in a short name.
 */
function isSwapped(text: string, name: string): boolean {
  if (text === name || text.length !== name.length) return false;
  let at = 0;
  while (text[at] === name[at]) at++;
  return text[at] === name[at + 1] && text[at + 1] === name[at] && text.slice(at + 2) === name.slice(at + 2);
}

/**
 * Returns a question to put behind a sentence about an unknown name; empty when no name is near.
 */
export function didYouMean(text: string, names: readonly string[]): string {
  const name = nearest(text, names);
  return name === undefined ? "" : ` Did you mean ${name}?`;
}
