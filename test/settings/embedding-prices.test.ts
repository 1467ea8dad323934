import { expect, test } from "vitest";
import { parseConfigFile } from "../../src/settings/config-file.ts";
import { costOf, parsePrices } from "../../src/settings/embedding-prices.ts";
import { serviceDefaults } from "../../src/settings/service-defaults.ts";

const used = (provider: string, model: string, tokens: number, batch = false) => ({ provider, model, tokens, batch });

test.each([
  ["openai", "text-embedding-3-small", 1_000_000, false, 20_000_000],
  ["openai", "text-embedding-3-small", 1_000_000, true, 10_000_000],
  ["openai", "text-embedding-3-large", 1, true, 65],
  ["gemini", "models/gemini-embedding-001", 3, false, 450],
  ["gemini", "gemini-embedding-001", 2, true, 150],
  ["voyage", "voyage-4-large", 1_000_000, false, 120_000_000],
  ["mistral", "mistral-embed", 7, false, 700],
  ["builtin", "any", 5000, false, 0],
  ["local", "any", 5000, false, 0],
  ["ollama", "nomic-embed-text", 5000, false, 0],
  ["openai", "tomorrow's", 5000, false, undefined],
  ["openai-compatible", "text-embedding-3-small", 5000, false, undefined],
  ["constructor", "name", 5000, false, undefined],
] as const)("%s %s: %i tokens (batch: %s) cost %s billionths", (provider, model, tokens, batch, cost) => {
  expect(costOf({}, used(provider, model, tokens, batch))).toBe(cost);
});

test("the operator's prices go before the list's, a stronger file's before a weaker one's", () => {
  const file = (origin: string, prices: unknown) => ({ origin, file: parseConfigFile({ prices }) });
  const { prices } = serviceDefaults([
    file("user", { openai: { a: 1, b: { direct: 0.3, batch: 0.1 } } }),
    file("workspace", { openai: { a: 2, "text-embedding-3-small": 0.5 }, ollama: { m: 0.01 } }),
  ]);
  expect(costOf(prices, used("openai", "a", 1000))).toBe(2_000_000);
  expect(costOf(prices, used("openai", "b", 10, true))).toBe(1000);
  expect(costOf(prices, used("openai", "text-embedding-3-small", 2, true))).toBe(1000);
  expect(costOf(prices, used("openai", "text-embedding-3-large", 1))).toBe(130);
  expect(costOf(prices, used("ollama", "m", 100))).toBe(1000);
});

test("sums of money are whole numbers at any size", () => {
  const prices = parsePrices({ p: { m: 0.0123456789 } }, "prices");
  expect(costOf(prices, used("p", "m", 1))).toBe(12);
  expect(costOf(prices, used("p", "m", 41_000_000_000))).toBe(506_172_839_000);
});

test.each([
  [{ openai: { m: -1 } }, "prices.openai.m"],
  [{ openai: { m: "1" } }, "prices.openai.m"],
  [{ openai: { m: { direct: 1, bulk: 1 } } }, "prices.openai.m.bulk"],
  [{ openai: { m: { batch: 1 } } }, "prices.openai.m.direct"],
  [{ openai: 3 }, "prices.openai"],
  [[], "prices"],
])("%j is refused by name", (prices, path) => {
  expect(() => parseConfigFile({ prices })).toThrow(`${path}:`);
});
