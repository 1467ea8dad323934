import { expect, test } from "vitest";
import { didYouMean, nearest } from "../../src/base/text/nearest.ts";

test.each([
  ["suport", "support"],
  ["main", "main"],
  ["mian", "main"],
  ["naim", undefined],
  ["query.maxResult", "query.maxResults"],
  ["x", undefined],
  ["somethingelse", undefined],
  [`support${"x".repeat(200)}`, undefined],
])("what %j may have meant is %j", (text, expected) => {
  expect(nearest(text, ["support", "main", "query.maxResults"])).toBe(expected);
});

test("says so in a question, or nothing", () => {
  expect(didYouMean("suport", ["support"])).toBe(" Did you mean support?");
  expect(didYouMean("suport", [])).toBe("");
});
