/** A piece of a document, as it stands on its lines. */
export interface Piece {
  path: string;
  startLine: number;
  endLine: number;
  text: string;
}

/**
 * Joins hits that stand next to each other in one document: two chunks of one section are one answer, and the place that is
 * freed goes to another. The joined hit stands where the better of the two stood and keeps its other fields. Where chunks
 * overlap the lines are taken once; where a long line was cut between them they stay apart, because the cut cannot be seen.
 *
 * @param hits best first
 * @param maxChars a joined text is never longer
 */
export function mergeNeighbours<T extends Piece>(hits: readonly T[], maxChars: number): T[] {
  const merged: T[] = [];
  for (const hit of hits) {
    let whole = hit;
    let place = merged.length;
    for (let index = merged.length - 1; index >= 0; index--) {
      const other = merged[index];
      const joined = other && join(other, whole, maxChars);
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
function join(one: Piece, other: Piece, maxChars: number): Piece | undefined {
  if (one.path !== other.path) return undefined;
  const [first, second] = one.startLine <= other.startLine ? [one, other] : [other, one];
  const from = second.startLine - first.startLine;
  const [head, tail] = [first.text.split("\n"), second.text.split("\n")];
  if (from > head.length || !isWhole(first, head) || !isWhole(second, tail)) return undefined;
  const shared = Math.min(head.length - from, tail.length);
  for (let line = 0; line < shared; line++) if (head[from + line] !== tail[line]) return undefined;
  const text = [...head, ...tail.slice(shared)].join("\n");
  if (text.length > maxChars) return undefined;
  return { path: one.path, startLine: first.startLine, endLine: Math.max(first.endLine, second.endLine), text };
}

/** Whether the text is as many lines as it stands on. */
function isWhole({ startLine, endLine }: Piece, lines: readonly string[]): boolean {
  return lines.length === endLine - startLine + 1;
}
