import { isObject } from "../../base/objects.ts";
import { readTime } from "../../service/sessions/message-schemas.ts";

/** An object of an export, whose fields may have any type. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a text that has a character other than white space; undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** Returns the objects of a list; none if the value is no list. */
export function objectsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the texts of a list; none if the value is no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/**
 * Returns since when and until when a fact holds or held, by the first readable time of `begin`.
 * Undefined if it ends before it begins, which the server refuses.
 */
export function validity(begin: readonly unknown[], end: unknown): Validity | undefined {
  const now = new Date().toISOString();
  const validFrom = begin.map(readTime).find((time) => time !== undefined);
  const until = readTime(end);
  if (until !== undefined && until <= (validFrom ?? now)) return undefined;
  return {
    ...(validFrom !== undefined && { validFrom }),
    ...(until !== undefined && (until <= now ? { validTo: until } : { expiresAt: until })),
  };
}

interface Validity {
  validFrom?: string;
  /** The end of a fact that still holds. */
  expiresAt?: string;
  /** The end of a fact that holds no longer. */
  validTo?: string;
}

/** The reason for which a fact without a `validity` is skipped. */
export const ENDS_TOO_EARLY = "it expires before it begins to hold";
