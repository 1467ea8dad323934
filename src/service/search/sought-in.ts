import type { Sought } from "../../relevance/snippets/answering-snippet.ts";
import { type CountedTerm, createWordFinder, soughtWords } from "../../relevance/words/sought-words.ts";
import { countedTerms } from "./counted-terms.ts";
import type { SearchedMemory } from "./join-memories.ts";

/**
 * Returns the words that a question looks for, with their rarity in the index. If several memories
 * were searched, the counts of the first one that has the words hold for all.
 */
export function soughtIn(question: string, memories: readonly SearchedMemory[]): Sought {
  const memory = memories.find(({ arms }) => arms.counted);
  const words = soughtWords(question, memory ? weighedTerms(memory) : []);
  return { words, find: createWordFinder(words) };
}

/** Returns the question's terms with their weights in a memory's index; none if it has none. */
export function weighedTerms({ arms: { counted } }: SearchedMemory): CountedTerm[] {
  return countedTerms(counted);
}
