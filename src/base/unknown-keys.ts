import type { z } from "zod";
import { didYouMean } from "./text/nearest.ts";

/** The most keys that a sentence lists. */
const MOST_LISTED = 12;

/**
 * Words the error of a key that a schema does not know: names the known keys, and the known key
 * that was probably meant. Pass it to `safeParse`. `plainProblem` words the other errors.
 */
export const namingKnownKeys: z.core.$ZodErrorMap = (issue) => {
  if (issue.code !== "unrecognized_keys") return undefined;
  const known = keysOf(issue.inst);
  const [first = ""] = issue.keys;
  const listed = known.length > MOST_LISTED ? `${known.slice(0, MOST_LISTED).join(", ")}, …` : known.join(", ");
  const named = `has no field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
  if (known.length === 0) return named;
  // The sentence around ends with a full stop itself.
  const meant = didYouMean(first, known);
  return `${named}; the fields are ${listed}${meant === "" ? "" : `.${meant}`}`;
};

function keysOf(schema: { readonly _zod: { readonly def: object } } | undefined): string[] {
  const { shape } = (schema?._zod.def ?? {}) as { shape?: object };
  return Object.keys(shape ?? {});
}
