import type { Piece } from "./merge-neighbours.ts";

/** Of a longer hit the rest says more than the fact. */
const MOST_TIMES = 2;
/** A longer text is not shown whole, and the fact perhaps not. */
const MOST_CHARS = 650;

/**
 * Leaves out what an earlier hit says already: a fact that stands in the text of one, and a text that is hardly more than an earlier
 * fact. A fact is captured from a conversation in the words of its message, so both are found by the same question.
 *
 * @param hits best first
 * @param isFact whether a hit is one
 */
export function dropRepeated<T extends Piece>(hits: readonly T[], isFact: (hit: T) => boolean): T[] {
  const shown: Said[] = [];
  return hits.filter((hit) => {
    const one = { words: wordsOf(hit.text), isFact: isFact(hit) };
    const isSaid = shown.some((earlier) => repeats(one, earlier));
    if (!isSaid && hit.text.length <= MOST_CHARS) shown.push(one);
    return !isSaid;
  });
}

interface Said {
  words: string;
  isFact: boolean;
}

function repeats(one: Said, earlier: Said): boolean {
  if (one.words === "" || one.isFact === earlier.isFact) return false;
  if (one.isFact) return earlier.words.includes(one.words);
  return one.words.length <= MOST_TIMES * earlier.words.length && one.words.includes(earlier.words);
}

/** Lower-case words with a space around each, so that what is part of a word is not found in it. */
function wordsOf(text: string): string {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length === 0 ? "" : ` ${words.join(" ")} `;
}
