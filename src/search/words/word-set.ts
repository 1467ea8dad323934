import { documentGrams, splitUnspaced } from "./unspaced-token.ts";

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text without regard to case, and of unspaced scripts the pairs of neighbouring characters. */
export function wordSet(text: string): Set<string> {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(WORD) ?? []) {
    const split = splitUnspaced(word);
    for (const rest of split?.rest ?? [word]) words.add(rest);
    for (const run of split?.runs ?? []) for (const gram of documentGrams(run)) if (gram.length > 1) words.add(gram);
  }
  return words;
}

/** Jaccard similarity, |a ∩ b| / |a ∪ b|: 0..1; of two empty sets 0. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}
