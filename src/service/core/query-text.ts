import { z } from "zod";

export const MAX_QUERY_CHARS = 8_192;
export const MAX_RESULTS = 100;

/** A question, or words. */
export const queryText = z
  .string()
  .max(MAX_QUERY_CHARS)
  .refine((text) => text.trim() !== "", "must not be empty");
