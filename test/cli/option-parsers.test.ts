import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { amount, pastMoment } from "../../src/cli/shell/option-parsers.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-29T13:00:00Z"), toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ["2026-11-28", "2026-11-28T23:59:59.999Z"],
  ["2026-11-29", "2026-11-29T13:00:00.000Z"],
  ["2026-12-24", "2026-12-24T23:59:59.999Z"],
  ["2026-11-28T10:00:00+01:00", "2026-11-28T09:00:00.000Z"],
])("a moment of the past: %s is %s", (text, at) => {
  expect(pastMoment(text)).toBe(at);
});

test.each([
  ["0", 0],
  ["6000", 6000],
  ["10GB", 10_000_000_000],
  ["1.5 MB", 1_500_000],
  ["500kB", 500_000],
  ["10GiB", 10 * 2 ** 30],
  ["512 B", 512],
])("an amount: %s is %d", (text, value) => {
  expect(amount(text)).toBe(value);
});

test.each(["", "-1", "1.5", "1.5B", "10 gigabytes", "0x10", "1e9", "99999999TB"])("no amount: %s", (text) => {
  expect(() => amount(text)).toThrow("10GiB");
});
