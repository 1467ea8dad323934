import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bootstrap, comparePaired, mean, quantile, seededRandom } from "../../src/relevance/measures/statistics.ts";

const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });
const FEW = { numRuns: 30 };

describe("bootstrap", () => {
  test("the interval holds the mean, lies within the values, and repeats", () => {
    fc.assert(
      fc.property(values, (sample) => {
        const { mean: middle, low, high } = bootstrap(sample);
        expect(low).toBeLessThanOrEqual(middle + 1e-12);
        expect(high).toBeGreaterThanOrEqual(middle - 1e-12);
        expect(low).toBeGreaterThanOrEqual(Math.min(...sample) - 1e-12);
        expect(high).toBeLessThanOrEqual(Math.max(...sample) + 1e-12);
        expect(bootstrap(sample)).toEqual({ mean: middle, low, high });
      }),
      FEW,
    );
  });

  test("it is that of the normal theory where that holds: 1.96 standard errors to each side", () => {
    const random = seededRandom(7);
    const sample = Array.from({ length: 400 }, random);
    const middle = mean(sample);
    const deviation = Math.sqrt(mean(sample.map((value) => (value - middle) ** 2)));
    const { low, high } = bootstrap(sample);
    const error = (1.96 * deviation) / Math.sqrt(400);
    expect(low).toBeCloseTo(middle - error, 2);
    expect(high).toBeCloseTo(middle + error, 2);
  });

  test("nothing but one value has no width", () => {
    expect(bootstrap([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
  });
});

describe("quantile", () => {
  test("as R's default: interpolated between neighbours", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.95)).toBeCloseTo(4.8);
    expect(quantile([9], 0.99)).toBe(9);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe("comparePaired", () => {
  test("equal runs: no difference, all ties, p of 1", () => {
    expect(comparePaired([0.1, 0.9], [0.1, 0.9])).toEqual({
      mean: 0,
      low: 0,
      high: 0,
      p: 1,
      wins: 0,
      losses: 0,
      ties: 2,
    });
  });

  test("eight gains of one size: p is near the exact 2/2^8", () => {
    const before = new Array<number>(8).fill(0.2);
    const {
      mean: middle,
      p,
      wins,
      losses,
      ties,
    } = comparePaired(
      before,
      before.map((value) => value + 0.5),
    );
    expect(middle).toBeCloseTo(0.5);
    expect(Math.abs(p - 2 / 2 ** 8)).toBeLessThan(0.003);
    expect([wins, losses, ties]).toEqual([8, 0, 0]);
  });

  test("the other way round it is the negative, with the same p", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 1000 }), (before, seed) => {
        const random = seededRandom(seed);
        const after = before.map(() => random());
        const [there, back] = [comparePaired(before, after), comparePaired(after, before)];
        expect(back.mean).toBeCloseTo(-there.mean, 12);
        expect([back.wins, back.losses, back.ties]).toEqual([there.losses, there.wins, there.ties]);
        expect(back.p).toBeCloseTo(there.p, 1);
        expect(there.p).toBeGreaterThan(0);
        expect(there.p).toBeLessThanOrEqual(1);
      }),
      FEW,
    );
  });
});
