import { AppError } from "../base/errors.ts";

/** The details of an error about an answer that arrived and is not one of an embedding API. */
const WRONG_ANSWER = { details: { answer: "wrong" } } as const;

/**
 * Returns a provider's vector at unit length. Some providers send other lengths, and Gemini's
 * vectors have unit length only at full size.
 *
 * @throws AppError `embedder_unavailable` when the value is not a vector of this many finite
 *   numbers, or has no direction; with `details.dimensions` when it has another length
 */
export function toUnitVector(values: unknown, dimensions: number): Float32Array {
  if (!Array.isArray(values))
    throw new AppError("embedder_unavailable", "The embedding provider sent no vector.", WRONG_ANSWER);
  if (values.length !== dimensions) throw otherLength(values.length, dimensions);
  // Plain loops: for 100 vectors of 1,536 dimensions, `every`, `hypot` and `from` blocked the event
  // loop for 22 ms, the loops for 0.6 ms.
  let largest = 0;
  for (let i = 0; i < dimensions; i++) {
    const value: unknown = values[i];
    // Without this check a Float32Array would read null as 0 and "1" as 1.
    largest = Math.max(largest, typeof value === "number" ? Math.abs(value) : Number.NaN);
  }
  if (!Number.isFinite(largest) || largest === 0) {
    throw new AppError(
      "embedder_unavailable",
      "The embedding provider sent a vector that has no direction.",
      WRONG_ANSWER,
    );
  }
  // Divides by the largest value first, so that no square overflows or underflows.
  let squares = 0;
  for (let i = 0; i < dimensions; i++) squares += (values[i] / largest) ** 2;
  const vector = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) vector[i] = values[i] / largest / Math.sqrt(squares);
  return vector;
}

function otherLength(dimensions: number, expected: number): AppError {
  return new AppError(
    "embedder_unavailable",
    `The embedding provider sends vectors of ${dimensions} dimensions instead of ${expected}; with the setting outputDimensionality ${dimensions}, a new index is built for them.`,
    { details: { dimensions, expected } },
  );
}

/**
 * Returns the AppError `embedder_unavailable` for an answer whose vectors cannot be matched to the
 * texts.
 */
export function wrongCount(texts: number, vectors: number): AppError {
  return new AppError(
    "embedder_unavailable",
    `The embedding provider answered ${texts} texts with ${vectors} vectors, not with one vector for each text.`,
    WRONG_ANSWER,
  );
}

/** Returns the AppError `embedder_unavailable` for an answer with status 200 that is text. */
export function noJson(text: string): AppError {
  const kind = /^\s*<(!doctype html|html|head|body)\b/i.test(text) ? "a page of HTML" : "text";
  return new AppError(
    "embedder_unavailable",
    `The embedding provider answered with ${kind} and not with valid JSON. The address leads to another server, a login page or a proxy: check remote.baseUrl.`,
    WRONG_ANSWER,
  );
}
