/** A part of a text, and whether it is one of the words that were searched for. */
export interface Part {
  text: string;
  marked: boolean;
}

/** Cuts a text at the words of a query, whatever their case; words of one letter are left out, and short ones beside longer. */
export function highlight(text: string, query: string): Part[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
  // Beside longer words short ones are mostly articles and the like, which stand everywhere.
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
