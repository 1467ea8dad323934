/** The words that may stand between the parts of a list: "a Golf and a Vespa", "at Acme and at Globex". */
const BEFORE = "(?:(?:a|an|the|my|our|at|for|in|to) )?";
/** The kind of a part that has a name: "a cat called Milo", "a rabbit Flop". */
const KIND = String.raw`(?:(?:a|an|the|my|our|another|one) (?:\p{Ll}[\p{L}-]* ){1,3}?(?:(?:called|named|by the name of) )?)`;
/** A part of a list is followed by the end, by another part or by its purpose, and by no verb. */
const AFTER = String.raw`(?=\s*(?:[.,;!(]|$)| (?:and|or|for|in|on|as|with|\d)(?!\p{L}))`;
/** Other parts of a list: names beside a name, and single words at the end beside a word. */
const NAME = String.raw`(?:${KIND}|${BEFORE})\p{Lu}[\p{L}\p{N}'’.-]*${AFTER}`;
const OTHER = String.raw`(?:${KIND}|${BEFORE})(?:\p{Lu}[\p{L}\p{N}'’.-]*${AFTER}|[\p{L}'’-]+(?: [\p{L}'’-]+){0,2}(?: \d+ ?\p{L}+)?(?=\s*(?:[.,;!]|$)))`;
/** The purpose of a part: "for billing" in "Postgres for billing". */
const PURPOSE = String.raw`(?: (?:for|in|on|as|with) (?:the )?[\p{L}-]+)?`;
/** The conjunction before the last part. In "Storgata 5, Oslo", the comma makes no list. */
const JOIN = ",? (?:and|or|&) ";

/**
 * Returns whether a text names a value as one part of a list: "metformin" in "I take lisinopril 10mg and metformin
 * 500mg". A statement that ends this value must not end the fact, which has the other values too.
 */
export function isOneOfSeveral(text: string, value: string): boolean {
  if (value.trim() === "") return false;
  // A list's names are known by their capital letters, and the value may have small ones.
  const said = value
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\p{L}/gu, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
  const other = /\p{Lu}/u.test(firstAs(text, value)) ? NAME : OTHER;
  const edge = (source: string) => `(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`;
  const amount = String.raw`(?: \d+ ?\p{L}+| \([^()]{1,40}\))?`;
  const first = new RegExp(`${edge(said)}${amount}${PURPOSE}(?:, ${other}){0,4}${JOIN}${other}`, "u");
  const later = new RegExp(`[\\p{L}\\p{N}]${JOIN}(?:${KIND}|${BEFORE})${edge(said)}${amount}${PURPOSE}${AFTER}`, "u");
  return later.test(text) || first.test(text.replace(/ and (?:I|we|he|she|it|they|then|now|so)(?![\p{L}])/giu, "; "));
}

/** Returns the first letter of a value as the text writes it. */
function firstAs(text: string, value: string): string {
  const at = text.toLowerCase().indexOf(value.trim().toLowerCase());
  return text.charAt(Math.max(0, at));
}
