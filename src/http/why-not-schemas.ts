import { z } from "@hono/zod-openapi";

const place = z.object({ rank: z.int().optional(), score: z.number().optional() });
/** The stage of a search at which each chunk of a document was left out. */
export const missed = z.object({
  path: z.string(),
  found: z.boolean(),
  indexed: z.boolean(),
  chunks: z.array(
    z.object({
      startLine: z.int(),
      endLine: z.int(),
      stage: z.enum(["shown", "joined", "limit", "duplicate", "floor", "candidates", "excluded"]),
      reason: z.string(),
      keyword: place.optional(),
      vector: place.optional(),
    }),
  ),
  warning: z
    .string()
    .optional()
    .openapi({ description: "The warnings of the search, such as that a part of it took too long" }),
});
