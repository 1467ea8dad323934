import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { ALONE, CORE_PATH, ON_BOTH, PURE, SLOW, SLOW_PURE } from "../support/suites.ts";

/** Returns the patterns that a pattern with alternatives in braces stands for. */
function expand(pattern: string): string[] {
  const [whole, alternatives = ""] = /\{([^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return alternatives.split(",").flatMap((one) => expand(pattern.replace(whole, one)));
}

test("every part of the suites has tests, so that a renamed test is not left out", () => {
  const patterns = [PURE, SLOW_PURE, CORE_PATH, ON_BOTH, ALONE, ...Object.values(SLOW)].flat().flatMap(expand);
  expect(patterns.length).toBeGreaterThan(50);
  expect(patterns.filter((pattern) => globSync(pattern).length === 0)).toEqual([]);
});
