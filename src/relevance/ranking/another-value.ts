import { fold } from "../../base/fold.ts";
import type { DatedHit } from "./dated-hit.ts";
import { asSaidBySelf } from "./said-by-self.ts";

/** A fact as far as its value is compared. */
type ValuedFact = Pick<DatedHit, "text" | "subject" | "scope" | "fact">;

/** Matches the keys of single things. A person has one employer, one dentist and one favourite team at a time. */
const ONE_VALUE = /^(?:user\.[^:@]+|entity:[^@]+|favourite:[^@]+)$/u;
/** The most characters of a fact that are compared. */
const MAX_CHARS = 200;
/** Matches the words before the first name or number, in the first group, and its first character in the second. */
const BEFORE_VALUE =
  /^([^\p{L}]*\p{L}[\p{L}\p{M}'’]*(?:[^\p{L}\p{M}\p{N}'’]+\p{Ll}[\p{L}\p{M}'’]*)+[^\p{L}\p{M}\p{N}'’]+)([\p{Lu}\p{N}])/u;
/** Matches a part of the time, in which another value may hold: "I work at Initech on Fridays". */
const PARTLY = /(?<!\p{L})(?:on \p{Lu}\p{L}*days?|at weekends|part-time|sometimes|also)(?!\p{L})/u;

/** Returns whether a fact without a key may stand beside a fact whose key allows one value. Such a fact ends no other fact when it is stored. */
export function mayContradict(newer: ValuedFact, older: ValuedFact): boolean {
  return newer.fact != null && newer.fact.key == null && ONE_VALUE.test(older.fact?.key ?? "");
}

/**
 * Returns whether a fact without a key contradicts an older fact. Both facts tell a thing of which a person has one, and
 * have equal words before the value: "I work at Hooli" and "I work at Globex". The older fact may have other words ("I
 * started at Globex") if a fact that it replaced has these words.
 */
export function saysAnotherValue(newer: ValuedFact, older: ValuedFact): boolean {
  if (!mayContradict(newer, older) || !older.fact) return false;
  const before = beforeValue(asSaidBySelf(newer).fact?.text ?? "");
  const { text, replaced, former = [] } = older.fact;
  const said = [asSaidBySelf(older).fact?.text ?? text, replaced ?? "", ...former];
  return before !== undefined && said.some((one) => beforeValue(one) === before);
}

/** Returns the words before the value and its kind; undefined if the text has no value, or holds for a part of the time. */
function beforeValue(text: string): string | undefined {
  const [, words, first = ""] = BEFORE_VALUE.exec(text.slice(0, MAX_CHARS)) ?? [];
  if (words === undefined || PARTLY.test(text)) return undefined;
  // "Paul works at" becomes "I works at".
  const said = fold(words.trim()).replaceAll(/(?<=[^\s\p{N}]{2})s(?!\p{L})/gu, "");
  return `${said} ${/\p{N}/u.test(first) ? "number" : "name"}`;
}
