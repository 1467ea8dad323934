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
  // Checked before it becomes a Float32Array, which reads null as 0 and "1" as 1.
  const length = values.every((value) => typeof value === "number") ? Math.hypot(...values) : Number.NaN;
  if (!Number.isFinite(length) || length === 0) {
    throw new AppError("embedder_unavailable", "The embedding provider sent a vector that has no direction.");
  }
  return Float32Array.from(values, (value: number) => value / length);
}

/** @throws AppError `embedder_unavailable`: texts and vectors cannot be told to belong together */
export function wrongCount(texts: number, vectors: number): AppError {
  return new AppError(
    "embedder_unavailable",
    `The embedding provider answered ${texts} texts with ${vectors} vectors that are not one for each.`,
  );
}
