import fc from "fast-check";
import { expect, test } from "vitest";
import { sliceTexts } from "../../src/onnx/encoder.ts";

test("every text is in exactly one slice, and no slice of several is over the limits", () => {
  const texts = fc.array(fc.nat(400).map((length) => "x".repeat(length)));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.nat(1500), (batch, maxTexts, maxChars) => {
      const slices = sliceTexts(batch, { maxTexts, maxChars });
      expect(slices.flat().sort((a, b) => a - b)).toEqual([...batch.keys()]);
      for (const slice of slices) {
        const longest = Math.max(...slice.map((position) => batch[position]?.length ?? 0));
        expect(slice.length).toBeLessThanOrEqual(maxTexts);
        if (slice.length > 1) expect(slice.length * longest).toBeLessThanOrEqual(maxChars);
      }
    }),
  );
});

test("short texts go together and a long one alone", () => {
  const slices = sliceTexts(["b".repeat(2000), "a", "cc", "d".repeat(2000)], { maxTexts: 8, maxChars: 1200 });
  expect(slices).toEqual([[1, 2], [0], [3]]);
});
