import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitLine } from "../../src/ingest/build-units.ts";
import { textWeight } from "../../src/ingest/estimate-tokens.ts";

const pieces = (line: string, max: number) => splitLine(line, max).map(({ start, end }) => line.slice(start, end));

describe("splitLine", () => {
  it("cuts after sentences", () => {
    expect(pieces("One two three. Four five? Six seven eight nine.", 28)).toEqual([
      "One two three. Four five? ",
      "Six seven eight nine.",
    ]);
  });

  it("cuts Chinese after its full stop", () => {
    expect(pieces("今天天气很好。我们去公园散步吧", 48)).toEqual(["今天天气很好。", "我们去公园散步吧"]);
  });

  it("cuts between words, else after punctuation, else anywhere", () => {
    expect(pieces("alpha beta gamma", 12)).toEqual(["alpha beta ", "gamma"]);
    expect(pieces('{"a":1,"b":2,"c":3}', 10)).toEqual(['{"a":1,', '"b":2,', '"c":3}']);
    expect(pieces("aaaaaaaaaa", 4)).toEqual(["aaaa", "aaaa", "aa"]);
  });

  it("keeps characters of several code points together", () => {
    const family = "👩‍👩‍👧‍👦";
    expect(pieces(family.repeat(3), textWeight(family) + 5)).toEqual([family, family, family]);
    expect(pieces("e\u0301".repeat(4), 5)).toEqual(["e\u0301e\u0301", "e\u0301e\u0301"]);
  });

  it("partitions any line into pieces within the limit, without halving a surrogate pair", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.array(fc.constantFrom("a", " ", ". ", "。", "漢", "😀", "\u0301", "👩‍👧", ",", "word ", "  "), {
        maxLength: 200,
      }),
    );
    fc.assert(
      fc.property(line, fc.integer({ min: 4, max: 80 }), (input, max) => {
        const text = (typeof input === "string" ? input : input.join("")).toWellFormed();
        const result = splitLine(text, max);
        expect(result.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
        for (const piece of result) {
          const part = text.slice(piece.start, piece.end);
          expect(part).not.toBe("");
          expect(part.isWellFormed()).toBe(true);
          expect(piece.weight).toBe(textWeight(part));
          expect(piece.weight).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 500 },
    );
  });
});
