import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, estimateTokens, planRequests } from "../../src/embeddings/model-input.ts";
import { readDuration, readRetryAfter } from "../../src/embeddings/provider-errors.ts";

const anyText = fc.string({ unit: "binary", maxLength: 200 });

test("a cut text is a beginning within the limit, as long as can be, with no pair split", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, limit) => {
      const cut = cutText(text, limit);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.isWellFormed()).toBe(text.isWellFormed());
      expect(estimateTokens(cut)).toBeLessThanOrEqual(limit);
      const next = [...text.slice(cut.length)][0];
      if (next !== undefined) expect(estimateTokens(cut + next)).toBeGreaterThan(limit);
    }),
  );
});

test("a cut that would fall inside a pair leaves all of it out", () => {
  expect(cutText("я😀😀", 1)).toBe("я");
  expect(cutText("яя😀😀", 2)).toBe("яя😀");
});

test("requests cover every text once, in order, within the limits unless it is one text", () => {
  const limits = fc.record({
    maxTexts: fc.integer({ min: 1, max: 9 }),
    maxTokens: fc.integer({ min: 1, max: 100 }),
    maxBytes: fc.integer({ min: 1, max: 300 }),
  });
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 40 }), limits, (texts, { maxTexts, maxTokens, maxBytes }) => {
      const runs = planRequests(texts, { maxTexts, maxTokens, maxBytes });
      expect(runs.flatMap(([from, to]) => texts.slice(from, to))).toEqual(texts);
      for (const [from, to] of runs) {
        const run = texts.slice(from, to);
        expect(run.length).toBeGreaterThan(0);
        expect(run.length).toBeLessThanOrEqual(maxTexts);
        if (run.length === 1) continue;
        expect(run.reduce((sum, text) => sum + estimateTokens(text), 0)).toBeLessThanOrEqual(maxTokens);
        expect(Buffer.byteLength(run.map((text) => JSON.stringify(text)).join(""))).toBeLessThanOrEqual(maxBytes);
      }
    }),
  );
});

test.each([
  [{ "retry-after": "12" }, 12_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "40", "retry-after": "12" }, 40],
  [{ "retry-after": "Thu, 01 Jan 1970 00:01:30 GMT" }, 60_000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:01 GMT" }, 0],
  [{ "retry-after": "99999999999" }, 86_400_000],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
] as [Record<string, string>, number | undefined][])("%o means %o ms", (headers, ms) => {
  expect(readRetryAfter(new Headers(headers), 30_000)).toBe(ms);
});

test.each([
  ["22s", 22_000],
  ["8.94s", 8940],
  ["-1s", undefined],
  ["22", undefined],
  [22, undefined],
])("the duration %o means %o ms", (value, ms) => {
  expect(readDuration(value)).toBe(ms);
});
