import { AppError } from "../base/errors.ts";

/**
 * A provider's vector at unit length: some send others, and Gemini's are only of unit length at full size.
 *
 * @throws AppError `embedder_unavailable` when it is no vector of this many finite numbers, or has no direction
 */
export function toUnitVector(values: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(values) || values.length !== dimensions) {
    const got = Array.isArray(values) ? `of ${values.length}` : "without";
    throw new AppError(
      "embedder_unavailable",
      `The embedding provider sent a vector ${got} dimensions instead of ${dimensions}.`,
    );
  }
  // Loops: every, hypot and from held the event loop for 22 ms for 100 vectors of 1,536 dimensions, these for 0.6.
  let largest = 0;
  for (let i = 0; i < dimensions; i++) {
    const value: unknown = values[i];
    // Else a Float32Array would read null as 0 and "1" as 1.
    largest = Math.max(largest, typeof value === "number" ? Math.abs(value) : Number.NaN);
  }
  if (!Number.isFinite(largest) || largest === 0) {
    throw new AppError("embedder_unavailable", "The embedding provider sent a vector that has no direction.");
  }
  // Relative to the largest, so that no square is too large or too small for a number.
  let squares = 0;
  for (let i = 0; i < dimensions; i++) squares += (values[i] / largest) ** 2;
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) vector[i] = values[i] / largest / Math.sqrt(squares);
  return vector;
}

/** @throws AppError `embedder_unavailable`: texts and vectors cannot be told to belong together */
export function wrongCount(texts: number, vectors: number): AppError {
  return new AppError(
    "embedder_unavailable",
    `The embedding provider answered ${texts} texts with ${vectors} vectors that are not one for each.`,
  );
}
