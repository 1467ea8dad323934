import { termRarities } from "../../db/agent/candidates/keyword-search.ts";
import type { Sought } from "../../relevance/snippets/answering-snippet.ts";
import { createWordFinder, soughtWords } from "../../relevance/words/sought-words.ts";
import type { SearchedMemory } from "./join-memories.ts";

/**
 * Returns the words that a question looks for, with their rarity in the index. If several memories
 * were searched, the counts of the first one that has the words hold for all.
 */
export function soughtIn(question: string, memories: readonly SearchedMemory[]): Sought {
  const counted = memories.find(({ arms }) => arms.counted)?.arms.counted;
  const rarities = counted ? termRarities(counted) : [];
  const terms = (counted?.terms ?? []).map(({ lexeme, prefix, concept }, index) => ({
    lexeme,
    prefix,
    concept,
    idf: rarities[index]?.idf ?? 0,
  }));
  const words = soughtWords(question, terms);
  return { words, find: createWordFinder(words) };
}
