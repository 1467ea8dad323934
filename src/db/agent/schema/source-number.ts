/**
 * The numbers of the sources in the column `source`. Facts that no longer hold have a number of
 * their own. Searches of the present therefore never meet them, however many versions of a fact
 * there are; only searches of an earlier time read them.
 */
export const SOURCE_NUMBER = { memory: 1, sessions: 2, facts: 3, pastFacts: 4 } as const;

/** Returns whether any of these sources is a source of facts. */
export function includesFacts(sources: readonly number[]): boolean {
  return sources.includes(SOURCE_NUMBER.facts) || sources.includes(SOURCE_NUMBER.pastFacts);
}
