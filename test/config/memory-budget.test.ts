import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { keywordCacheFor, memoryBytes } from "../../src/config/memory-budget.ts";

test("the cache of posting lists follows the memory, within bounds", () => {
  expect([0.5e9, 2e9, 8e9, 24e9].map(keywordCacheFor)).toEqual([64, 64, 250, 512]);
});

test("a process may use no more memory than the machine has", () => {
  expect(memoryBytes()).toBeGreaterThan(0);
  expect(memoryBytes()).toBeLessThanOrEqual(totalmem());
});
