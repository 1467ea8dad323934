import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "../../src/ingest/cut-text.ts";
import { processorTime } from "../support/processor-time.ts";

const settings = { chars: 800, overlap: 100 };

describe("cutText", () => {
  it("leaves a short text whole and a blank one out", () => {
    expect(cutText("# Tools\n\nUse pnpm.\n", settings)).toEqual([
      { text: "# Tools\n\nUse pnpm.", startLine: 1, endLine: 3 },
    ]);
    expect(cutText(" \n\n", settings)).toEqual([]);
    expect(cutText("", settings)).toEqual([]);
  });

  it("ends pieces at a paragraph when one is near, and repeats a part", () => {
    const paragraph = `${"A rule of this workspace. ".repeat(12).trim()}\n\n`;
    const pieces = cutText(paragraph.repeat(6), settings);
    expect(pieces.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 3],
      [3, 7],
      [7, 11],
    ]);
    expect(pieces.slice(0, -1).every(({ text }) => text.endsWith("workspace."))).toBe(true);
  });

  it("has every word in a piece, in order, and no piece too long", () => {
    const text = fc.array(fc.constantFrom("w ", "\n", "\n\n", "Long. ", "😀", "run"), {
      maxLength: 200,
    });
    const sizes = fc.record({ chars: fc.integer({ min: 20, max: 200 }), overlap: fc.integer({ min: 0, max: 10 }) });
    fc.assert(
      fc.property(text, sizes, (parts, { chars, overlap }) => {
        // Parts are numbered, so that a lost part is noticed.
        const run = (n: number) => String.fromCodePoint(...Array.from({ length: 90 }, (_, i) => 0x4e00 + 90 * n + i));
        const source = parts.map((part, n) => (part === "run" ? run(n) : `${n};${part}`)).join("");
        const lines = source.split("\n");
        const pieces = cutText(source, { chars, overlap });
        for (const { text, startLine, endLine } of pieces) {
          expect(lines.slice(startLine - 1, endLine).join("\n")).toContain(text);
          expect(text.length).toBeLessThanOrEqual(chars + 1);
          expect(text.isWellFormed()).toBe(true);
        }
        let from = 0;
        for (const { text } of pieces) {
          const at = source.indexOf(text, Math.max(0, from - overlap - 2));
          expect(source.slice(from, at).trim()).toBe("");
          from = Math.max(from, at + text.length);
        }
        expect(source.slice(from).trim()).toBe("");
      }),
    );
  });

  it("is linear in a megabyte of anything", () => {
    for (const unit of ["x", " ", "\n", "a b\n", "😀"]) {
      const spent = processorTime();
      cutText(unit.repeat(1_000_000 / unit.length), settings);
      expect(spent()).toBeLessThan(2000);
    }
  });
});
