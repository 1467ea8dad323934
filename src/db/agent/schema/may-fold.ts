/**
 * Returns a condition that holds for each text whose folded form is the given one, and for texts
 * with blanks or with characters outside ASCII, which the caller must compare.
 */
export function mayFoldSql(text: string, folded: string): string {
  return `(lower(${text} COLLATE "C") = ${folded} OR ${text} COLLATE "C" ~ '[^!-~]')`;
}
