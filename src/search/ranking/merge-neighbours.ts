import { failureTable, nextMatchLength } from "../../base/knuth-morris-pratt.ts";

/** A piece of a document, as it stands on its lines. */
export interface Piece {
  path: string;
  startLine: number;
  endLine: number;
  text: string;
  /** Of a conversation: the messages around it, with which it has grown as far as it may (`growHits`). */
  around?: readonly unknown[] | undefined;
}

/**
 * Joins hits that stand next to each other in one document: two chunks of one section are one answer, and the place that is
 * freed goes to another. The joined hit stands where the better of the two stood and keeps its other fields. Where chunks
 * overlap the lines are taken once; where a long line was cut between them, what the end of one and the beginning of the other
 * share. Without an overlap the cut cannot be seen, and they stay apart.
 *
 * @param hits best first
 * @param maxChars a joined text is never longer
 */
export function mergeNeighbours<T extends Piece>(hits: readonly T[], maxChars: number): T[] {
  const merged: T[] = [];
  const comparisons = { left: MAX_COMPARISONS };
  for (const hit of hits) {
    let whole = hit;
    let place = merged.length;
    for (let index = merged.length - 1; index >= 0; index--) {
      const other = merged[index];
      const joined = other && join(other, whole, maxChars, comparisons);
      if (!joined || !other) continue;
      // What it was joined with may now touch a third one before it.
      whole = { ...other, ...joined };
      merged.splice(index, 1);
      place = index;
      index = merged.length;
    }
    merged.splice(place, 0, whole);
  }
  return merged;
}

/** The two as one piece; undefined when they do not touch, or not in whole lines. */
function join(one: Piece, other: Piece, maxChars: number, comparisons: { left: number }): Piece | undefined {
  if (one.path !== other.path || one.around) return undefined;
  const [first, second] = one.startLine <= other.startLine ? [one, other] : [other, one];
  const from = second.startLine - first.startLine;
  const [head, tail] = [first.text.split("\n"), second.text.split("\n")];
  if (from > head.length || !isWhole(first, head) || !isWhole(second, tail)) return undefined;
  const text = joinLines(head, tail, from) ?? joinCutLine(first, second, comparisons);
  if (text === undefined || text.length > maxChars) return undefined;
  return { path: one.path, startLine: first.startLine, endLine: Math.max(first.endLine, second.endLine), text };
}

/** The lines of both, those that they share once; undefined when these are not the same. */
function joinLines(head: readonly string[], tail: readonly string[], from: number): string | undefined {
  const shared = Math.min(head.length - from, tail.length);
  for (let line = 0; line < shared; line++) if (head[from + line] !== tail[line]) return undefined;
  return [...head, ...tail.slice(shared)].join("\n");
}

/** Fewer equal characters may be chance; more are not looked for, as a hostile text can make that slow. */
const OVERLAP = { least: 24, most: 2000 };
/** Each takes a tenth of a millisecond at most, and a text can be such that every hit has to be compared with every other. */
const MAX_COMPARISONS = 400;

/** Two pieces that were cut from one line with an overlap, in their order: the line begins in the first. */
function joinCutLine(first: Piece, second: Piece, comparisons: { left: number }): string | undefined {
  if (second.startLine > first.endLine) return undefined;
  const whole = overlap(first.text, second.text, comparisons);
  // Pieces of one line stand on the same line, so that their order is known from their texts alone.
  return whole ?? (first.startLine === second.startLine ? overlap(second.text, first.text, comparisons) : undefined);
}

/**
 * Both as one, when the one ends as the other begins. Linear: each hit is compared with each, and a
 * search for one place after the other took two seconds for twelve hits of a line of equal letters.
 */
function overlap(head: string, tail: string, comparisons: { left: number }): string | undefined {
  const [end, start] = [head.slice(-OVERLAP.most), tail.slice(0, OVERLAP.most)];
  if (start.length < OVERLAP.least || !end.includes(start.slice(0, OVERLAP.least))) return undefined;
  if (comparisons.left-- <= 0) return undefined;
  const borders = failureTable(start);
  let shared = 0;
  for (let at = 0; at < end.length; at++) shared = nextMatchLength(start, borders, shared, end.charCodeAt(at));
  return shared < OVERLAP.least ? undefined : head + tail.slice(shared);
}

/** Whether the text is as many lines as it stands on. */
function isWhole({ startLine, endLine }: Piece, lines: readonly string[]): boolean {
  return lines.length === endLine - startLine + 1;
}
