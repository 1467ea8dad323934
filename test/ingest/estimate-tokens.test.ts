import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens, textWeight } from "../../src/ingest/estimate-tokens.ts";

describe("estimateTokens", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["four", 1],
    ["fives", 2],
    ["a".repeat(400), 100],
    ["漢字", 2],
    ["ひらがな", 4],
    ["カタカナ", 4],
    ["한국어", 3],
    ["😀😀", 2],
    ["\u{20000}", 1],
    ["привет", 3],
    ["naïve café", 3],
  ])("%j is about %i", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it("adds up over any split and never shrinks", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(textWeight(a + b)).toBe(textWeight(a) + textWeight(b));
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
      }),
    );
  });
});
