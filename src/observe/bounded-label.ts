/** What stands for all values beyond the limit. */
export const OTHER = "other";

/**
 * Keeps a label's values to a number, since each is a series that Prometheus keeps for ever: the first ones have their own, later
 * ones share one.
 */
export function boundedLabel(limit: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= limit) return OTHER;
    known.add(value);
    return value;
  };
}
