import { describe, expect, it } from "vitest";
import { measureCapture, readTurns } from "./measure.ts";

describe("captureFacts on conversations", () => {
  it("finds the facts in the turns that its rules were made for, each contradiction, and no trap", () => {
    const measured = measureCapture(readTurns("turns"));
    expect(measured).toMatchObject({ turns: 39, traps: 20, contradictions: 6 });
    expect(measured).toMatchObject({ missed: [], invented: [], otherCategory: [], otherKey: [], superseding: 6 });
  });

  it("finds what the rules on relations, changes and remembering were made for, and no trap", () => {
    const measured = measureCapture(readTurns("relations"));
    expect(measured).toMatchObject({ turns: 80, traps: 36, contradictions: 3 });
    expect(measured).toMatchObject({ missed: [], invented: [], otherCategory: [], otherKey: [], superseding: 3 });
  });

  // The author of the first rules wrote these turns: the first set before the rules, the second
  // before their last changes, the third when the rules on relations were done.
  it.each(["held-out", "second", "third"])("is no worse on turns that it was not made for: %s", (name) => {
    const measured = measureCapture(readTurns(name));
    expect(measured.precision, measured.invented.join("\n")).toBeGreaterThanOrEqual(0.95);
    expect(measured.recall, measured.missed.join("\n")).toBeGreaterThanOrEqual(0.85);
    expect(measured.otherCategory).toEqual([]);
    expect(measured.superseding / measured.contradictions).toBeGreaterThanOrEqual(0.7);
  });
});
