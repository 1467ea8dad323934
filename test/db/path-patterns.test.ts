import { describe, expect, test } from "vitest";
import {
  arePatterns,
  likeFolder,
  likePatterns,
  mostPathBytes,
  stepsOf,
} from "../../src/db/agent/chunks/path-patterns.ts";

describe("patterns of paths", () => {
  test("a run of wildcards is one, and equal patterns are compared once", () => {
    expect(likePatterns(["**/a***.md", "*/a*.md", "notes/", "100%_\\"])).toEqual([
      "%/a%.md",
      "notes/%",
      "100\\%\\_\\\\",
    ]);
    expect(likeFolder("a*b%")).toBe("a*b\\%/%");
  });

  test("a pattern has at most eight wildcards", () => {
    expect(arePatterns(["**/a/**/b/**/*.md", "*a*b*c*d*e*f*g*"])).toBe(true);
    expect(arePatterns(["notes/", `*${"a*".repeat(8)}b`])).toBe(false);
    expect(arePatterns([`${"*".repeat(400)}.md`])).toBe(true);
  });

  test("counts how often a byte of a path is compared: of a literal that overlaps itself as often as it does", () => {
    expect(stepsOf(["notes/", "notes/a.md"])).toBe(2);
    expect(stepsOf(["*.md"])).toBe(2);
    expect(stepsOf(["*.md", "*.md"])).toBe(2);
    expect(stepsOf([`*${"a".repeat(200)}b`])).toBe(201);
    expect(stepsOf(["*2020*", "*abcabcabd*"])).toBe(3 + 4);
    expect(stepsOf([`${"a".repeat(200)}*`])).toBe(1);
    // The steps do not grow with the number of wildcards: each literal continues where the previous
    // one ended.
    expect(stepsOf(["*a*b*c*d*e*f*g*"])).toBe(2);
  });

  test("ordinary patterns are compared with any number of paths, others with a bounded number of bytes", () => {
    expect(mostPathBytes(["memory/", "*.md", "notes/*/todo.md"])).toBeUndefined();
    const twenty = Array.from({ length: 20 }, (_, n) => `*-part${n}-*`);
    // Enough for sixty thousand paths of fifty bytes.
    expect(mostPathBytes(twenty)).toBeGreaterThan(3_000_000);
    expect(mostPathBytes([`*${"a".repeat(1000)}b`])).toBeLessThan(400_000);
  });
});
