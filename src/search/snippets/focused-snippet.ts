import { snippet } from "./snippet.ts";

const ELLIPSIS = "…";

/**
 * The part of a hit to show: the piece that was found, and as much around it as there is room for, in whole lines. Of a piece that
 * is too long itself, its best part. `…` stands where something is left out.
 *
 * @param text the whole hit
 * @param focus the piece of it that was found
 * @param words lower-case words of the query
 */
export function focusedSnippet(text: string, focus: string, words: readonly string[], limit: number): string {
  const at = text.length <= limit ? -1 : text.indexOf(focus);
  if (at === -1) return snippet(text, words, limit);
  if (focus.length > limit - 2 * ELLIPSIS.length) return snippet(focus, words, limit);
  const room = limit - 2 * ELLIPSIS.length;
  let [from, to] = [at, at + focus.length];
  for (let grew = true; grew; ) {
    grew = false;
    const end = text.indexOf("\n", to + 1);
    const after = to < text.length ? (end === -1 ? text.length : end) : to;
    if (after > to && after - from <= room) [to, grew] = [after, true];
    const before = from > 0 ? text.lastIndexOf("\n", from - 2) + 1 : 0;
    if (before < from && to - before <= room) [from, grew] = [before, true];
  }
  return (from > 0 ? ELLIPSIS : "") + text.slice(from, to) + (to < text.length ? ELLIPSIS : "");
}
