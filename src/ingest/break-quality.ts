/**
 * How good it is to start a chunk at a line, 0 to 1. The packer multiplies this number with the
 * fill factor of the chunk (`fillFactor`). So the distances between the numbers matter, not only
 * their order: a second-level heading at 50 % fill beats a block boundary at 100 %, and a list item
 * at 100 % beats a block boundary at 75 %.
 */
export const QUALITY = {
  /** After a thematic break. */
  section: 0.88,
  /** The start of a block at the top level: paragraph, list, table, fence. */
  block: 0.68,
  /** A body row of a table, or a line after a blank line inside code. */
  row: 0.5,
  /**
   * A code line or paragraph line of a block that is too large to be kept whole, or a sentence of
   * an over-long line.
   */
  line: 0.42,
  /** A block announced by the paragraph before it ("For example:"). */
  announced: 0.35,
  word: 0.3,
  anywhere: 0.2,
  /** Between a table's head and body; next to a fence marker. */
  glued: 0.05,
  /** After a heading: worse than splitting the block under it. */
  afterHeading: 0.001,
} as const;

/**
 * The share of its quality that a boundary keeps inside a block that fits a chunk. Such a block is
 * split only if nothing else is possible.
 */
export const INSIDE_WHOLE = 0.05;

/**
 * A break below this quality splits text that should stay together. The packer first tries to do
 * without the overlap.
 */
export const POOR = 0.1;

/** Returns the quality of the start of a heading: 1 for the first level, 0.9 for the sixth. */
export function headingQuality(depth: number): number {
  return 1 - 0.02 * (depth - 1);
}

/**
 * Returns the quality of the start of a block nested in list items or quotes. `level` is
 * markdown-it's nesting level, 0 at the top.
 */
export function blockQuality(level: number): number {
  return level === 0 ? QUALITY.block : Math.max(0.45, 0.64 - 0.03 * level);
}

/**
 * Returns the factor for a chunk's fill; `fill` is the chunk's weight divided by the budget, 0 to
 * 1.
 */
export function fillFactor(fill: number): number {
  return 0.45 + 0.55 * fill;
}
