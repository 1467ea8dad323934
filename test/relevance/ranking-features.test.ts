import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentDay } from "../../src/ingest/document-day.ts";
import { ageReferenceDate, decayFactor } from "../../src/relevance/ranking/decay.ts";
import { mergeNeighbours } from "../../src/relevance/ranking/join-hits.ts";
import { diversify, jaccard, wordSet } from "../../src/relevance/ranking/refine.ts";
import { processorTime } from "../support/processor-time.ts";

describe("temporal decay", () => {
  const changed = new Date("2026-03-01T12:00:00Z");
  test.each([
    ["memory/2026-01-02.md", "2026-01-02T00:00:00.000Z"],
    ["work/memory/2026-01-02-standup.md", "2026-01-02T00:00:00.000Z"],
    ["notes/2026-01-02.md", "2026-01-02T00:00:00.000Z"],
    ["journals/2026_01_02.md", "2026-01-02T00:00:00.000Z"],
    ["2026/01/02/walk.md", "2026-01-02T00:00:00.000Z"],
    ["memory/2026-02-31.md", undefined],
    ["memory/people.md", undefined],
    ["MEMORY.md", undefined],
    ["team/MEMORY.md", undefined],
    ["notes/MEMORY.md.bak", changed.toISOString()],
  ])("%s ages from %s", (path, day) =>
    expect(ageReferenceDate(path, changed, documentDay(path, ""))?.toISOString()).toBe(day),
  );

  test("halves after a half-life, never grows with age, stays in 0..1", () => {
    const now = new Date("2026-06-01T00:00:00Z");
    const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
    expect(decayFactor(ago(30), now, 30)).toBeCloseTo(0.5);
    expect(decayFactor(undefined, now, 30)).toBe(1);
    fc.assert(
      fc.property(
        fc.integer({ min: -1000, max: 40_000 }),
        fc.nat(1000),
        fc.double({ min: 0.01, max: 36_500, noNaN: true }),
        (age, more, half) => {
          const [younger, older] = [decayFactor(ago(age), now, half), decayFactor(ago(age + more), now, half)];
          expect(older).toBeLessThanOrEqual(younger);
          expect(older).toBeGreaterThanOrEqual(0);
          expect(younger).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

const hits = fc
  .array(fc.record({ score: fc.double({ min: 0, max: 1, noNaN: true }), text: fc.string({ maxLength: 20 }) }), {
    maxLength: 20,
  })
  .map((list) => list.map((hit, id) => ({ ...hit, id })).sort((a, b) => b.score - a.score || a.id - b.id));

describe("maximal marginal relevance", () => {
  test("prefers what adds something, in any script", () => {
    const order = (texts: string[]) =>
      diversify(
        texts.map((text, i) => ({ score: 0.9 - i / 100, text, i })),
        0.5,
      ).map((hit) => hit.i);
    expect(
      order(["the deploy failed on friday", "the deploy failed on friday again", "tea is in the kitchen"]),
    ).toEqual([0, 2, 1]);
    expect(order(["会議は金曜日です", "会議は金曜日でした", "猫が好きだ"])).toEqual([0, 2, 1]);
  });

  test("keeps every hit once and the best first; with λ = 1 the order", () => {
    fc.assert(
      fc.property(hits, fc.double({ min: 0, max: 1, noNaN: true }), (list, lambda) => {
        const ordered = diversify(list, lambda);
        expect(ordered.map((hit) => hit.id).sort((a, b) => a - b)).toEqual(
          list.map((hit) => hit.id).sort((a, b) => a - b),
        );
        if (lambda > 0) expect(ordered[0]?.score).toBe(list[0]?.score);
        expect(diversify(list, 1)).toEqual(list);
      }),
    );
  });

  test("Jaccard is symmetric, 1 only for equal sets, never NaN", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const [a, b] = [wordSet(one), wordSet(other)];
        expect(jaccard(a, b)).toBe(jaccard(b, a));
        expect(jaccard(a, b) === 1).toBe(a.size > 0 && [...a].sort().join() === [...b].sort().join());
      }),
    );
  });
});

describe("neighbours", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`);
  const piece = (startLine: number, endLine: number, path = "a.md", score = 0) => ({
    path,
    startLine,
    endLine,
    score,
    text: lines.slice(startLine - 1, endLine).join("\n"),
  });

  test("that touch or overlap become one at the better one's place", () => {
    const merged = mergeNeighbours(
      [piece(5, 8, "a.md", 0.9), piece(1, 3, "b.md", 0.8), piece(7, 12, "a.md", 0.7), piece(13, 14, "a.md", 0.6)],
      9999,
    );
    expect(merged).toEqual([{ ...piece(5, 14), score: 0.9 }, piece(1, 3, "b.md", 0.8)]);
  });

  test("that were cut from one long line become what it was, in any order", () => {
    const words = Array.from({ length: 120 }, (_, i) => `word${i}`);
    const cut = (from: number, to: number) => ({ ...piece(1, 1), text: words.slice(from, to).join(" ") });
    const pieces = [cut(40, 80), cut(0, 50), cut(70, 120)];
    for (const order of [pieces, pieces.toReversed()])
      expect(mergeNeighbours(order, 9999)).toEqual([{ ...piece(1, 1), text: words.join(" ") }]);
    expect(mergeNeighbours([cut(0, 50), cut(70, 120)], 9999)).toHaveLength(2);
  });

  test("of a hostile text take no time", () => {
    const one = { ...piece(1, 1), text: `${"a".repeat(3000)}b` };
    const other = { ...piece(1, 1), text: `${"a".repeat(3000)}c` };
    const spent = processorTime();
    expect(mergeNeighbours([one, other], 9999)).toHaveLength(2);
    expect(spent()).toBeLessThan(500);
    // As many pieces as a search for a hundred hits has, each equal to the others up to its last
    // letter.
    const many = Array.from({ length: 200 }, (_, i) => ({
      ...piece(1, 1),
      text: `${"a".repeat(2900 - i)}${String.fromCodePoint(0x4e00 + i)}`,
    }));
    const spentOnAll = processorTime();
    expect(mergeNeighbours(many, 6000)).toHaveLength(200);
    expect(spentOnAll()).toBeLessThan(3000);
  });

  test("that were cut within a line without an overlap, or would be too long, stay apart", () => {
    const cut = [
      { ...piece(1, 2), text: "line 1\nli" },
      { ...piece(2, 3), text: "ne 2\nline 3" },
    ];
    expect(mergeNeighbours(cut, 9999)).toEqual(cut);
    expect(mergeNeighbours([piece(1, 5), piece(6, 9)], 20)).toHaveLength(2);
    expect(mergeNeighbours([piece(1, 5), piece(7, 9)], 9999)).toHaveLength(2);
  });

  test("any set of pieces covers the same lines afterwards, and none touch any more", () => {
    const range = fc.tuple(fc.integer({ min: 1, max: 35 }), fc.nat(5)).map(([from, more]) => piece(from, from + more));
    fc.assert(
      fc.property(fc.array(range, { maxLength: 10 }), (pieces) => {
        const merged = mergeNeighbours(pieces, 99_999);
        const covered = (all: readonly { startLine: number; endLine: number }[]) =>
          [...new Set(all.flatMap(({ startLine, endLine }) => lines.slice(startLine - 1, endLine)))].sort();
        expect(covered(merged)).toEqual(covered(pieces));
        for (const one of merged) expect(one.text).toBe(lines.slice(one.startLine - 1, one.endLine).join("\n"));
        const ends = merged.toSorted((a, b) => a.startLine - b.startLine);
        for (const [i, one] of ends.slice(1).entries())
          expect(one.startLine).toBeGreaterThan((ends[i]?.endLine ?? 0) + 1);
      }),
    );
  });
});
