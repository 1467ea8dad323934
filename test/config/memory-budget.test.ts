import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { keywordCacheFor, memoryBytes, prepareThreadsFor } from "../../src/config/memory-budget.ts";

test("the cache of posting lists follows the memory, within bounds", () => {
  expect([0.5e9, 2e9, 8e9, 24e9].map(keywordCacheFor)).toEqual([64, 64, 250, 512]);
});

test("the threads that cut texts follow processors and memory, within bounds", () => {
  const threads = (processors: number, gigabytes: number) => prepareThreadsFor(processors, gigabytes * 1e9);
  expect([threads(1, 64), threads(2, 64), threads(4, 64), threads(8, 64), threads(64, 64)]).toEqual([2, 2, 2, 4, 8]);
  expect([threads(16, 0.5), threads(16, 6), threads(16, 8)]).toEqual([2, 3, 4]);
});

test("a process may use no more memory than the machine has", () => {
  expect(memoryBytes()).toBeGreaterThan(0);
  expect(memoryBytes()).toBeLessThanOrEqual(totalmem());
});
