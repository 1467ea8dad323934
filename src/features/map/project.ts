/** Vectors that are projected onto a plane, one after the other. */
export interface Projection {
  /** Adds a vector. Takes about as long as `WIDTH` products of the vector with another. */
  add(vector: Float32Array): void;
  /** Returns the places of all vectors in the order in which they were added, from -1 to 1. */
  finish(): { xs: number[]; ys: number[] };
}

/**
 * The number of random directions. Distances between projected vectors differ from the true ones by
 * about one in the square root of it, and the plane is chosen among these directions.
 */
const WIDTH = 64;
/** The steps of the power iteration, and the share of the points that determine the scale. */
const STEPS = 60;
const WITHIN = 0.98;

/**
 * Makes a projection onto the two directions in which the vectors differ most: random directions
 * first, so that no vector is kept whole, and of these the principal components by power iteration.
 * The same vectors in the same order have the same places.
 */
export function createProjection(dimensions: number): Projection {
  const signs = randomSigns(WIDTH * dimensions);
  const rows: Float32Array[] = [];
  // The sums are kept while vectors come, so that the end takes a few milliseconds.
  const sums = { values: new Float64Array(WIDTH), products: new Float64Array(WIDTH * WIDTH) };
  return {
    add: (vector) => {
      const row = new Float32Array(WIDTH);
      for (let n = 0; n < WIDTH; n++) {
        let sum = 0;
        const start = n * dimensions;
        for (let i = 0; i < dimensions; i++) sum += (vector[i] ?? 0) * (signs[start + i] ?? 0);
        row[n] = sum;
      }
      sumUp(sums, row);
      rows.push(row);
    },
    finish: () => place(rows, sums),
  };
}

interface Sums {
  values: Float64Array;
  products: Float64Array;
}

function sumUp({ values, products }: Sums, row: Float32Array): void {
  for (let n = 0; n < WIDTH; n++) {
    const value = row[n] ?? 0;
    values[n] = (values[n] ?? 0) + value;
    for (let m = n; m < WIDTH; m++) products[n * WIDTH + m] = (products[n * WIDTH + m] ?? 0) + value * (row[m] ?? 0);
  }
}

/** Returns 1 and -1 by a generator with a fixed seed (xorshift). */
function randomSigns(count: number): Int8Array {
  const signs = new Int8Array(count);
  let state = 0x9e3779b9;
  for (let n = 0; n < count; n++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    signs[n] = (state & 1) === 0 ? 1 : -1;
  }
  return signs;
}

function place(rows: readonly Float32Array[], { values, products }: Sums): { xs: number[]; ys: number[] } {
  const count = Math.max(1, rows.length);
  const mean = values.map((sum) => sum / count);
  const covariance = new Float64Array(WIDTH * WIDTH);
  for (let n = 0; n < WIDTH; n++)
    for (let m = n; m < WIDTH; m++) {
      const one = (products[n * WIDTH + m] ?? 0) - count * (mean[n] ?? 0) * (mean[m] ?? 0);
      covariance[n * WIDTH + m] = one;
      covariance[m * WIDTH + n] = one;
    }
  const first = principal(covariance, undefined);
  const second = principal(covariance, first);
  return { xs: scaled(rows, mean, first), ys: scaled(rows, mean, second) };
}

/** Returns the direction of the greatest variance, at a right angle to another direction. */
function principal(covariance: Float64Array, other: Float64Array | undefined): Float64Array {
  let direction = new Float64Array(WIDTH).map((_, n) => (n % 3 === 0 ? 1 : 0.5) / (n + 1));
  for (let step = 0; step < STEPS; step++) {
    const next = new Float64Array(WIDTH);
    for (let n = 0; n < WIDTH; n++)
      for (let m = 0; m < WIDTH; m++) next[n] = (next[n] ?? 0) + (covariance[n * WIDTH + m] ?? 0) * (direction[m] ?? 0);
    if (other) {
      const along = dot(next, other);
      for (let n = 0; n < WIDTH; n++) next[n] = (next[n] ?? 0) - along * (other[n] ?? 0);
    }
    const length = Math.sqrt(dot(next, next));
    // All vectors are equal, or lie on a line. Rounding leaves a little of the sums.
    if (!(length > 1e-6)) return new Float64Array(WIDTH);
    direction = next.map((value) => value / length);
  }
  // A direction and its opposite are equally good; the larger component decides, so that a new map
  // is not the mirror image of the last one.
  const largest = direction.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  return largest < 0 ? direction.map((value) => -value) : direction;
}

function dot(one: Float64Array, other: Float64Array): number {
  return one.reduce((sum, value, n) => sum + value * (other[n] ?? 0), 0);
}

function scaled(rows: readonly Float32Array[], mean: Float64Array, direction: Float64Array): number[] {
  const values = rows.map((row) =>
    direction.reduce((sum, value, n) => sum + value * ((row[n] ?? 0) - (mean[n] ?? 0)), 0),
  );
  const sizes = values.map(Math.abs).sort((a, b) => a - b);
  const scale = sizes[Math.floor(WITHIN * (sizes.length - 1))] || sizes.at(-1) || 1;
  return values.map((value) => Math.round(Math.max(-1, Math.min(1, value / scale)) * 1e4) / 1e4);
}
