/**
 * For each length of a beginning of the text, the longest shorter beginning that it ends with: what makes looking for a text
 * linear (Knuth, Morris and Pratt, 1977). Without, a text of equal letters takes the product of both lengths.
 */
export function failureTable(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  let matched = 0;
  for (let at = 1; at < text.length; at++)
    borders[at + 1] = matched = nextMatchLength(text, borders, matched, text.charCodeAt(at));
  return borders;
}

/**
 * How many letters of the beginning of `text` stand at the end of what has been read, after one more of its letters.
 *
 * @param matched how many it were before
 */
export function nextMatchLength(text: string, borders: Int32Array, matched: number, code: number): number {
  let known = matched;
  while (known > 0 && (known === text.length || text.charCodeAt(known) !== code)) known = borders[known] ?? 0;
  return text.charCodeAt(known) === code ? known + 1 : known;
}
