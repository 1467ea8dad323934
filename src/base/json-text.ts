/**
 * The reason why bytes are not accepted as JSON: their encoding, their syntax, or a value that
 * Postgres or our objects cannot hold.
 */
export type JsonProblem = "encoding" | "syntax" | "nul" | "surrogate" | "proto";

export type JsonRead = { readonly text: string; readonly value: unknown } | { readonly problem: JsonProblem };

/**
 * Parses JSON that others have sent. It must be valid UTF-8, without NUL or half a surrogate pair
 * in a string, and without a key `__proto__`. Its depth and number of values must have been counted
 * before (json-structure.ts). `Response.json()` would replace bad UTF-8 silently, and the text that
 * is read back would differ from the text that was sent. A byte order mark at the start is not JSON
 * (RFC 8259 §8.1), and the counter in json-structure.ts does not know it.
 */
export function readJson(bytes: Uint8Array): JsonRead {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { problem: "encoding" };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "syntax" };
  }
  // Only an escape or the name `__proto__` can cause these problems: valid UTF-8 has no half pairs,
  // and JSON no bare NUL.
  const problem = text.includes("\\u") || text.includes("__proto__") ? problemOf(value) : undefined;
  return problem === undefined ? { text, value } : { problem };
}

/** Returns the value of a JSON text; undefined for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(whole: unknown): JsonProblem | undefined {
  const left = [whole];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === "string") {
      const problem = problemOfText(value);
      if (problem) return problem;
    }
    if (typeof value !== "object" || value === null) continue;
    const problem = Array.isArray(value) ? undefined : problemOfKeys(Object.keys(value));
    if (problem) return problem;
    for (const child of Object.values(value)) left.push(child);
  }
  return undefined;
}

function problemOfKeys(keys: readonly string[]): JsonProblem | undefined {
  for (const key of keys) {
    // A schema with free keys would drop this key silently.
    const problem = key === "__proto__" ? "proto" : problemOfText(key);
    if (problem) return problem;
  }
  return undefined;
}

function problemOfText(text: string): JsonProblem | undefined {
  if (text.includes("\u0000")) return "nul";
  return text.isWellFormed() ? undefined : "surrogate";
}
