/** More than this many path-like words in one query are not looked up. */
const MAX_NAMES = 8;

/**
 * The words of a query that could be a file's path or name: the whole query, and every word with a dot or slash inside,
 * without the quotes, brackets and punctuation around it. `filesNamed` decides which of them exist.
 */
export function namedFiles(query: string): string[] {
  const whole = query.trim();
  const words = whole.split(/\s+/).map((word) => word.replace(/^[`'"(<[{«「]+|[`'")>\]}»」,;:!?.]+$/gu, ""));
  const names = words.filter((word) => /[^./][./][^./]/.test(word));
  return [...new Set([...(whole.length <= 255 ? [whole] : []), ...names])].filter(Boolean).slice(0, MAX_NAMES);
}
