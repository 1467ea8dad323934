/** More than this many path-like words in one query are not looked up. */
const MAX_NAMES = 8;
/** What has more words and no dot or slash is taken for a question. */
const MAX_WORDS = 5;

/**
 * The words of a query that could be a file's path or name: the whole query, and every word with a dot or slash inside,
 * without the quotes, brackets and punctuation around it. The whole is one if it is short or has a dot or slash inside. A
 * query of one word may be a note's name without its ending. `filesNamed` decides which of them exist.
 */
export function namedFiles(query: string): string[] {
  const whole = query.trim();
  const words = whole.split(/\s+/).map((word) => word.replace(/^[`'"(<[{«「]+|[`'")>\]}»」,;:!?.]+$/gu, ""));
  const isPathLike = (text: string) => /[^./][./][^./]/.test(text);
  const names = words.filter(isPathLike);
  const note = /^[^\s/.][^\s.]*$/.test(whole) ? [`${whole}.md`] : [];
  const mayBeName = whole.length <= 250 && (words.length <= MAX_WORDS || isPathLike(whole));
  return [...new Set([...(mayBeName ? [whole, ...note] : []), ...names])].filter(Boolean).slice(0, MAX_NAMES);
}
