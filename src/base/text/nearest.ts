import { closestMatch } from "leven";

/** Longer texts are no names that somebody mistyped, and comparing them takes long. */
const MOST_CHARS = 100;
/** As many letters may be wrong, and of a short name no more than two in five. */
const MOST_WRONG = 3;
const SHARE_WRONG = 0.4;

/** The name that was most likely meant; undefined when none is near. @param names at most some thousand */
export function nearest(text: string, names: readonly string[]): string | undefined {
  if (text.length > MOST_CHARS) return undefined;
  const maxDistance = Math.min(MOST_WRONG, Math.floor(text.length * SHARE_WRONG));
  return maxDistance === 0 ? undefined : closestMatch(text, names, { maxDistance });
}

/** A question behind a sentence about a name that is not there; nothing when no name is near. */
export function didYouMean(text: string, names: readonly string[]): string {
  const name = nearest(text, names);
  return name === undefined ? "" : ` Did you mean ${name}?`;
}
