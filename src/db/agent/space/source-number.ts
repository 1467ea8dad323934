/**
 * Numbers of the sources in the column `source`. A fact that is over has a number of its own: searches of what holds now then
 * never meet it, however many versions of one fact there are, and only those for an earlier time look there.
 */
export const SOURCE_NUMBER = { memory: 1, sessions: 2, facts: 3, pastFacts: 4 } as const;

/** Whether any of these sources is one of facts. */
export function includesFacts(sources: readonly number[]): boolean {
  return sources.includes(SOURCE_NUMBER.facts) || sources.includes(SOURCE_NUMBER.pastFacts);
}
