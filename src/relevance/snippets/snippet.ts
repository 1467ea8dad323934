import type { PageRange } from "./pages.ts";

/** The contract's limit for a snippet, including its source line. */
export const MAX_SNIPPET_CHARS = 700;

/**
 * Returns the part of a chunk to show: all of it when it fits, else the window of whole lines (or
 * words) in which the most distinct query words occur, the earliest on a tie. `…` stands at each
 * end where something is left out.
 *
 * @param words lower-case words of the query.
 * @returns at most `limit` UTF-16 units, never half a surrogate pair.
 */
export function snippet(text: string, words: readonly string[], limit: number = MAX_SNIPPET_CHARS): string {
  if (text.length <= limit) return text;
  return excerpt(text, bestStart(text, words, limit), limit);
}

function bestStart(text: string, words: readonly string[], limit: number): number {
  const lower = text.toLowerCase();
  // Lower-casing can change the length of a text (İ). Its positions would not match the original.
  if (lower.length !== text.length || words.length === 0) return 0;
  const hits = words
    .flatMap((word) => occurrences(lower, word).map((at) => ({ at, word })))
    .sort((a, b) => a.at - b.at);
  let best = { start: 0, distinct: 0 };
  for (const [index, first] of hits.entries()) {
    const inside = new Set<string>();
    for (let i = index; i < hits.length; i++) {
      const hit = hits[i];
      if (!hit || hit.at + hit.word.length > first.at + limit * 0.8) break;
      inside.add(hit.word);
    }
    if (inside.size > best.distinct) best = { start: first.at, distinct: inside.size };
  }
  return best.distinct === 0 ? 0 : lineStart(text, best.start, limit);
}

/**
 * The most occurrences of a word that are looked at: a chunk of one repeated word must not cost a
 * second.
 */
const MAX_OCCURRENCES = 50;

function occurrences(text: string, word: string): number[] {
  const found: number[] = [];
  if (word === "") return found;
  for (
    let at = text.indexOf(word);
    at !== -1 && found.length < MAX_OCCURRENCES;
    at = text.indexOf(word, at + word.length)
  )
    found.push(at);
  return found;
}

/**
 * Returns the start of the line in which `at` stands. If that is more than a fifth of the window
 * before `at`, returns the start of the first word within that fifth.
 */
function lineStart(text: string, at: number, limit: number): number {
  const earliest = Math.max(0, at - Math.floor(limit / 5));
  const newline = text.lastIndexOf("\n", at - 1);
  if (newline >= earliest || newline === -1)
    return newline + 1 >= earliest ? newline + 1 : wordStart(text, earliest, at);
  return wordStart(text, earliest, at);
}

function wordStart(text: string, earliest: number, at: number): number {
  const space = text.indexOf(" ", earliest);
  return space !== -1 && space < at ? space + 1 : at;
}

const ELLIPSIS = "…";
/**
 * How far from a cut the end of a word is searched. A longer word is cut between two characters.
 */
const REACH = 60;
/** Scripts that are written without spaces. Their text may be cut between any two characters. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3000-\u303f\uff00-\uffef]/u;
const SPACE = /\s/u;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Returns the part of a text that begins at about `from`. It is cut at words, with `…` at each end
 * where something is left out.
 *
 * @returns at most `limit` UTF-16 units, never part of a character; all of the text when it fits
 */
function excerpt(text: string, from: number, limit: number): string {
  if (text.length <= limit) return text;
  // Near the end of the text, the part begins earlier, so that it uses all the room.
  const wanted = Math.max(0, Math.min(from, text.length - (limit - 1)));
  const start = nextWordStart(text, wanted);
  const before = text.slice(0, start).trim() === "" ? "" : ELLIPSIS;
  const room = limit - before.length;
  if (text.length - start <= room) return before + text.slice(start);
  return before + beginning(text.slice(start), room);
}

/**
 * Returns the beginning of a text up to a word's end, in at most `limit` UTF-16 units, with `…`
 * when something is left out.
 */
function beginning(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, wordEnd(text, Math.max(0, limit - ELLIPSIS.length))).trimEnd();
  // Left-out white space alone needs no ellipsis.
  return text.slice(kept.length).trim() === "" ? kept : kept + ELLIPSIS;
}

/**
 * Returns the last place at or before `end` where a word ends, or, if none is near, where a
 * character ends.
 */
export function wordEnd(text: string, end: number): number {
  for (let at = end; at > Math.max(0, end - REACH); at--) if (isBorder(text, at)) return at;
  return characterStart(text, end);
}

/**
 * Returns the first place at or after `start` where a word begins, or, if none is near, the start
 * of the character that `start` stands in.
 */
function nextWordStart(text: string, start: number): number {
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

/**
 * Returns the start of the character that `at` stands in. For a very long character it returns a
 * place that splits no surrogate pair.
 */
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

/**
 * Returns the place of a hit: `path#L4` or `path#L4-L9`; for a document with pages `path#L4-L9,
 * page 2` or `…, pages 2-3`.
 */
export function citation(
  path: string,
  startLine: number,
  endLine: number,
  { page, endPage }: Partial<PageRange> = {},
): string {
  const place = startLine === endLine ? `${path}#L${startLine}` : `${path}#L${startLine}-L${endLine}`;
  if (page === undefined) return place;
  return endPage === undefined ? `${place}, page ${page}` : `${place}, pages ${page}-${endPage}`;
}
