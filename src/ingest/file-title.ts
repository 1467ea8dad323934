/** Files of prose say what they are about in their text; their names are often dates or numbers, which only blur it. */
const PROSE = /(?:^|\/)[^/.]*$|\.(?:md|mdx|markdown|txt|text|rst|adoc|org|html?)$/i;
/** A word that may mean something. */
const WORD = /\p{L}{3}/u;
const MAX_CHARS = 100;

/**
 * What the chunks of a file stand under when it has no title of its own: of source code and data the path, which says in which
 * part of a system it is. Measured on `test/data/sets/code`, vector arm: nDCG@10 0.878 with the path, 0.804 without; of chat
 * messages named by number 0.707 with it, 0.757 without.
 */
export function titleOf(path: string): string {
  if (PROSE.test(path) || !WORD.test(path)) return "";
  const parts = path.split("/");
  // The end says most; a heading would be cut at its end.
  while (parts.length > 1 && parts.join("/").length > MAX_CHARS) parts.shift();
  return parts.join("/");
}
