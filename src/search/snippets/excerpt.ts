const ELLIPSIS = "…";
/** How far from where a text is to be cut the end of a word is looked for; a longer word is cut at a character. */
const REACH = 60;
/** Scripts that are written without spaces: a cut between two of their characters is as good as any. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303f\uff00-\uffef]/u;
const SPACE = /\s/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * The part of a text that begins at about `from`: at words, with `…` at each end where something is left out.
 *
 * @returns at most `limit` UTF-16 units, never part of a character; all of the text when it fits
 */
export function excerpt(text: string, from: number, limit: number): string {
  if (text.length <= limit) return text;
  // Near the end of the text as much of what is before as there is room for.
  const wanted = Math.max(0, Math.min(from, text.length - (limit - 1)));
  const start = wordStart(text, wanted);
  const before = text.slice(0, start).trim() === "" ? "" : ELLIPSIS;
  const room = limit - before.length;
  if (text.length - start <= room) return before + text.slice(start);
  return before + beginning(text.slice(start), room);
}

/** The beginning of a text up to a word's end, with `…` when something is left out, in at most `limit` UTF-16 units. */
export function beginning(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, wordEnd(text, Math.max(0, limit - ELLIPSIS.length))).trimEnd();
  // What is left out may be white space alone.
  return text.slice(kept.length).trim() === "" ? kept : kept + ELLIPSIS;
}

/** The last place at or before `end` where a word ends, or failing that a character. */
export function wordEnd(text: string, end: number): number {
  for (let at = end; at > Math.max(0, end - REACH); at--) if (isBorder(text, at)) return at;
  return characterStart(text, end);
}

/** The first place at or after `start` where a word begins, or failing that the character in which it is. */
function wordStart(text: string, start: number): number {
  for (let at = start; at < Math.min(text.length, start + REACH); at++) {
    if (isBorder(text, at) && !SPACE.test(text.charAt(at))) return at;
  }
  return characterStart(text, start);
}

function isBorder(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length || SPACE.test(text.charAt(at)) || SPACE.test(text.charAt(at - 1))) return true;
  const after = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const unspaced = UNSPACED.test(after) || UNSPACED.test(text.charAt(at - 1));
  return unspaced && characterStart(text, at) === at;
}

/** The start of the character that `at` stands in; of one that is very long, a place that halves no surrogate pair. */
function characterStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return at;
  const from = Math.max(0, at - 32);
  const start = from + (graphemes.segment(text.slice(from, at + 16)).containing(at - from)?.index ?? 0);
  if (start > from || from === 0) return start;
  return isLow(text, at) && isHigh(text, at - 1) ? at - 1 : at;
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function isHigh(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}
