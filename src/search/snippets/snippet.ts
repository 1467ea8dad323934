import { excerpt } from "./excerpt.ts";

/** The contract's limit for a snippet, its source line included. */
export const MAX_SNIPPET_CHARS = 700;

/**
 * The part of a chunk to show: all of it when it fits, else the window of whole lines (or words) in which the most
 * distinct query words occur, the earliest on a tie, with `…` at each end where something is left out.
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
  // Lower-casing can change the length of a text (İ); positions would not be those of the original.
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

/** At most this many occurrences of a word are looked at: a chunk of one repeated word must not cost a second. */
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

/** The start of the line, or failing that of the word, in which `at` stands, at most a fifth of the window before it. */
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
