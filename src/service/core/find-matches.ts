import { failureTable, nextMatchLength } from "../../base/knuth-morris-pratt.ts";

/**
 * Where a text occurs in another, overlapping ones too, in order. Linear: `indexOf` takes ten seconds for `ab`, `aaa…` of
 * 100,000 characters in `aaa…` of 400,000.
 */
export function* findMatches(content: string, text: string): Generator<number> {
  if (text === "") return;
  const borders = failureTable(text);
  let matched = 0;
  for (let at = 0; at < content.length; at++) {
    matched = nextMatchLength(text, borders, matched, content.charCodeAt(at));
    if (matched === text.length) yield at + 1 - matched;
  }
}
