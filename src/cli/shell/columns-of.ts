/** Characters that take two columns of a terminal: Chinese, Japanese, Korean, and most emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Marks that are drawn over the character before them. */
const MARK = /^\p{M}/u;
const ASCII = /^[\u0020-\u007e]*$/;

/** Returns the number of a terminal's columns that a text takes. */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/**
 * Returns the length of the longest beginning of a text that fits into some columns; at least one
 * character.
 */
export function lengthWithin(text: string, columns: number): number {
  let [length, taken] = [0, 0];
  for (const character of text) {
    taken += columnsOfCharacter(character);
    if (taken > columns && length > 0) break;
    length += character.length;
  }
  return length;
}

function columnsOfCharacter(character: string): number {
  if (MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
