/** The ways to search that an evaluation can compare. */
export const RUN_NAMES = ["keyword", "vector", "hybrid"] as const;
export type RunName = (typeof RUN_NAMES)[number];
