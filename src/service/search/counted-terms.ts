import { termRarities } from "../../db/agent/candidates/keyword-search.ts";
import type { SearchedTerms } from "../../db/agent/segments/segments.ts";
import type { CountedTerm } from "../../relevance/words/sought-words.ts";

/** Returns counted terms with their weights; none if nothing was counted. */
export function countedTerms(counted: SearchedTerms | undefined): CountedTerm[] {
  if (!counted) return [];
  const rarities = termRarities(counted);
  return counted.terms.map(({ lexeme, prefix, concept }, index) => ({
    lexeme,
    prefix,
    concept,
    idf: rarities[index]?.idf ?? 0,
  }));
}
