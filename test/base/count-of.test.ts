import { expect, test } from "vitest";
import { countOf } from "../../src/base/text/count-of.ts";

test("one thing is in the singular, and large counts have separators", () => {
  expect([0, 1, 2, 1240].map((count) => countOf(count, "fact"))).toEqual([
    "0 facts",
    "1 fact",
    "2 facts",
    "1,240 facts",
  ]);
  expect([1, 2].map((count) => countOf(count, "query", "queries"))).toEqual(["1 query", "2 queries"]);
});
