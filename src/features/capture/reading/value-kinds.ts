import { patternOf } from "./pattern.ts";

/** The kinds of values. Another value of one kind takes the place of the first. */
export type Kind = "day" | "number" | "name" | "word";

const DAYS = patternOf(
  String.raw`\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|noon|midnight|tomorrow)\b(?:,? (?:the )?\d{1,4}(?:st|nd|rd|th)?)?|\d{1,2}(?:st|nd|rd|th)? (?:of )?(?=january|february|march|april|may|june|july|august|september|october|november|december)|\b\d{1,2}(?:st|nd|rd|th)\b|\d{1,2}[:.]\d\d|\d{1,4}[./-]\d{1,2}(?:[./-]\d{2,4})?|\d ?[ap]m\b`,
  "giu",
);

/** Returns the kinds of the values in a text. */
export function kindsOf(text: string): ReadonlySet<Kind> {
  const kinds = new Set<Kind>();
  const dated = text.replace(DAYS, " ");
  if (dated !== text) kinds.add("day");
  const rest = dated.replace(CODE, " ");
  if (rest !== dated) kinds.add("word");
  if (/\d/u.test(rest) || NUMBER_WORD.test(rest)) kinds.add("number");
  if (/(?:^|\s)\p{Lu}[\p{L}\p{N}]+/u.test(rest)) kinds.add("name");
  if (kinds.size === 0) kinds.add("word");
  return kinds;
}

/** Matches small letters with digits behind them: a password or an identifier, and no number. */
const CODE = /(?<=^|\s)\p{Ll}[\p{Ll}_-]*\d[\p{L}\p{N}_-]*/gu;
const NUMBER_WORD = patternOf(
  String.raw`\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred)\b`,
);
