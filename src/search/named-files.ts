/** More than this many path-like words in one query are not looked up. */
const MAX_NAMES = 8;

/**
 * The words of a query that could be a file's path or name: the whole query, and every word with a dot or slash inside,
 * without the quotes, brackets and punctuation around it. A query of one word may be a note's name without its ending.
 * `filesNamed` decides which of them exist.
 */
export function namedFiles(query: string): string[] {
  const whole = query.trim();
  const words = whole.split(/\s+/).map((word) => word.replace(/^[`'"(<[{«「]+|[`'")>\]}»」,;:!?.]+$/gu, ""));
  const names = words.filter((word) => /[^./][./][^./]/.test(word));
  const note = /^[^\s/.][^\s.]*$/.test(whole) ? [`${whole}.md`] : [];
  return [...new Set([...(whole.length <= 250 ? [whole, ...note] : []), ...names])].filter(Boolean).slice(0, MAX_NAMES);
}
