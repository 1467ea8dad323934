/** Counts by name. */
export interface Counts {
  /** Returns the count of a name; 0 for a name that was never counted. */
  of(name: string): number;
  add(name: string, more: number): void;
}

/**
 * Creates counts. It keeps no name whose count is zero, so that names that come and go take no
 * memory.
 */
export function createCounts(): Counts {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add: (name, more) => {
      const sum = of(name) + more;
      if (sum === 0) counts.delete(name);
      else counts.set(name, sum);
    },
  };
}
