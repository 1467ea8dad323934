/** The most words that are joined in one text. */
const MAX_JOINED = 500;
/** A number with a sign between its thousands: 12,500.00, 1.234.567, 3 000 000, 1,25,000. */
const GROUPED_NUMBER =
  /(?<![\p{L}\p{N}.,])\p{Nd}{1,3}(?:[,.'’ \u00a0\u202f]\p{Nd}{2,3}){0,6}[,.'’ \u00a0\u202f]\p{Nd}{3}(?=(?:[.,]\p{Nd}{1,2})?(?![\p{L}\p{N}]))/gu;
/** Groups of digits and capitals, as in phone numbers, IBANs and serial numbers. */
const CODE =
  /(?<![\p{L}\p{N}])[+(]{0,2}[\p{Lu}\p{Nd}]{1,7}(?:\)?[ \u00a0./:-]\(?[\p{Lu}\p{Nd}]{1,7}){1,11}(?![\p{L}\p{N}])/gu;
/** A date is no code. */
const DATE = /^(?:19|20)\d\d[-./]\d{1,2}[-./]\d{1,2}(?!\d)/;
/** The least digits of a code. */
const LEAST_DIGITS = 7;
/** A code whose groups are joined by hyphens or colons may have fewer digits, if it has as many characters as this. */
const LEAST_CHARS = 8;
/** The most beginnings that are left out of a code: a country, an area. */
const MAX_LEFT_OUT = 3;
/** A word that is broken at the end of a line. */
const BROKEN = /(?<![\p{L}\p{N}])(\p{L}[\p{L}\p{M}]{1,40})[-\u2010\u2011]\r?\n[ \t]{0,20}(\p{Ll}[\p{L}\p{M}]{1,40})/gu;

/**
 * Returns further spellings of a text's words: grouped numbers and codes without the signs between
 * their groups, also without the first groups ("+43 660 123 45 67" is "6601234567", too), and words
 * that are broken at the end of a line, whole. Takes time linear in the text.
 */
export function joinedWords(text: string): string[] {
  const joined = new Set<string>();
  for (const word of found(text)) {
    joined.add(word);
    if (joined.size === MAX_JOINED) break;
  }
  return [...joined];
}

function* found(text: string): Generator<string> {
  // Most sentences have no digits and no second line; the patterns below take half of an analysis.
  if (/\p{Nd}/u.test(text)) {
    for (const [number] of text.matchAll(GROUPED_NUMBER)) yield number.replace(/\P{Nd}/gu, "");
    for (const [code] of text.matchAll(CODE)) yield* codesIn(code);
  }
  if (text.includes("\n")) for (const [, start = "", end = ""] of text.matchAll(BROKEN)) yield start + end;
}

function codesIn(text: string): string[] {
  if (DATE.test(text)) return [];
  const groups = text.match(/[\p{Lu}\p{Nd}]+/gu) ?? [];
  const hasSpaces = /[ \u00a0]/.test(text);
  return Array.from({ length: Math.min(groups.length - 1, MAX_LEFT_OUT + 1) }, (_, from) => groups.slice(from)).flatMap(
    (some) => {
      const code = some.join("");
      const digits = code.replace(/\P{Nd}/gu, "").length;
      const [, ...others] = some;
      // Words in capitals before a number are no code.
      if (hasSpaces && others.some((group) => !/\p{Nd}/u.test(group)) && digits < 2 * LEAST_DIGITS) return [];
      const isCode = digits >= LEAST_DIGITS || (!hasSpaces && digits >= 4 && code.length >= LEAST_CHARS);
      return isCode ? [code, ...(code.startsWith("0") ? [code.replace(/^0+/, "")] : [])] : [];
    },
  );
}
