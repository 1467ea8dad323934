/** Positions of texts that go through a model together. */
export type Slice = readonly number[];

/**
 * Cuts a batch into slices of texts of like length, shortest first: every position is in exactly one slice, a slice has at
 * most `maxTexts` texts, and its texts padded to the longest have at most `maxChars` characters unless it is one text.
 */
export function sliceTexts(texts: readonly string[], limits: { maxTexts: number; maxChars: number }): Slice[] {
  const length = (position: number) => texts[position]?.length ?? 0;
  const byLength = [...texts.keys()].sort((a, b) => length(a) - length(b));
  const slices: number[][] = [];
  let slice: number[] = [];
  for (const position of byLength) {
    const full = slice.length === limits.maxTexts || (slice.length + 1) * length(position) > limits.maxChars;
    if (slice.length === 0 || full) {
      slice = [];
      slices.push(slice);
    }
    slice.push(position);
  }
  return slices;
}
