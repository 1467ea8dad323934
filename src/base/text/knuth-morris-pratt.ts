/**
 * Returns the failure table of Knuth, Morris and Pratt (1977): for each prefix of the text, the
 * length of the longest shorter prefix that it ends with. The table makes a search linear; without
 * it a text of equal letters takes the product of both lengths.
 */
export function failureTable(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  let matched = 0;
  for (let at = 1; at < text.length; at++)
    borders[at + 1] = matched = nextMatchLength(text, borders, matched, text.charCodeAt(at));
  return borders;
}

/**
 * Returns the length of the longest prefix of `text` that the characters read so far end with,
 * after one more character.
 *
 * @param matched the length before this character
 */
export function nextMatchLength(text: string, borders: Int32Array, matched: number, code: number): number {
  let known = matched;
  while (known > 0 && (known === text.length || text.charCodeAt(known) !== code)) known = borders[known] ?? 0;
  return text.charCodeAt(known) === code ? known + 1 : known;
}
