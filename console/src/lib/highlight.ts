/** A part of a text. `marked` says whether the part is a word of the query. */
export interface Part {
  text: string;
  marked: boolean;
}

/**
 * Splits a text at the words of a query, ignoring case. Words of one letter are not marked. Words
 * of two or three letters are not marked if the query has longer words.
 */
export function highlight(text: string, query: string): Part[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
  // Next to longer words, words of two or three letters are mostly articles and the like, which
  // occur everywhere.
  const longer = all.filter((word) => !/^[a-z]{2,3}$/.test(word));
  const words = longer.length > 0 ? longer : all;
  if (words.length === 0) return [{ text, marked: false }];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}_])(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\p{L}\\p{N}_])`,
    "giu",
  );
  return text
    .split(pattern)
    .map((part, at) => ({ text: part, marked: at % 2 === 1 }))
    .filter((part) => part.text !== "");
}
