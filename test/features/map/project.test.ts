import { expect, test } from "vitest";
import { createProjection } from "../../../src/features/map/project.ts";

const DIMENSIONS = 300;

/** Returns a vector near the axis of its group, the same for the same number. */
function vector(group: number, n: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, i) => (i % 3 === group ? 1 : 0) + Math.sin(n * 31 + i * 7) / 5);
}

function projected(vectors: readonly Float32Array[]) {
  const projection = createProjection(DIMENSIONS);
  for (const one of vectors) projection.add(one);
  return projection.finish();
}

test("vectors of one group are nearer to each other than to those of other groups, and the places are repeatable", () => {
  const vectors = Array.from({ length: 90 }, (_, n) => vector(n % 3, n));
  const { xs, ys } = projected(vectors);
  expect(projected(vectors)).toEqual({ xs, ys });
  const centre = (group: number) => {
    const of = (values: number[]) =>
      values.filter((_, n) => n % 3 === group).reduce((sum, value) => sum + value, 0) / 30;
    return [of(xs), of(ys)] as const;
  };
  const centres = [0, 1, 2].map(centre);
  const distance = (n: number, [x, y]: readonly [number, number]) => Math.hypot((xs[n] ?? 0) - x, (ys[n] ?? 0) - y);
  for (const n of vectors.keys()) {
    const nearest = centres
      .map((one) => distance(n, one))
      .reduce((best, one, i, all) => (one < (all[best] ?? 0) ? i : best), 0);
    expect(nearest).toBe(n % 3);
  }
  expect(Math.max(...xs, ...ys)).toBeLessThanOrEqual(1);
  expect(Math.min(...xs, ...ys)).toBeGreaterThanOrEqual(-1);
});

test.each([
  ["none", []],
  ["one", [vector(0, 1)]],
  ["equal ones", [vector(0, 1), vector(0, 1), vector(0, 1)]],
  ["zeroes", [new Float32Array(DIMENSIONS), new Float32Array(DIMENSIONS)]],
  ["ones on a line", [0, 1, 2, 3].map((n) => new Float32Array(DIMENSIONS).fill(n))],
])("places of %s are numbers", (_, vectors) => {
  const { xs, ys } = projected(vectors);
  expect(xs).toHaveLength(vectors.length);
  expect([...xs, ...ys].every(Number.isFinite)).toBe(true);
});
