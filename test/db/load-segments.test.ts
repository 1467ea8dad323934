import { expect, test } from "vitest";
import { inGroups } from "../../src/db/agent/segments/load-segments.ts";

const listsOf = (chunkCounts: readonly number[]) =>
  chunkCounts.map((chunkCount, number) => ({ number, segment: { chunkCount } }));
const sizes = (chunkCounts: readonly number[]) => inGroups(listsOf(chunkCounts)).map((group) => group.length);

test("posting lists of many chunks are read a few at a time, those of a small index at once", () => {
  expect(sizes([])).toEqual([]);
  expect(sizes(Array<number>(64).fill(10_000))).toEqual([64]);
  // Four bytes a chunk, and at most 16 MB at once.
  expect(sizes(Array<number>(10).fill(1_000_000))).toEqual([4, 4, 2]);
  expect(sizes([9_000_000, 1, 9_000_000])).toEqual([1, 1, 1]);
  const lists = listsOf([3_000_000, 2_000_000, 1_000_000, 4_000_000]);
  expect(inGroups(lists).flat()).toEqual(lists);
});
