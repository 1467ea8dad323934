import { z } from "zod";

export const MAX_QUERY_CHARS = 8_192;
export const MAX_RESULTS = 100;

const place = z.object({ rank: z.int(), score: z.number() });
/** Why a hit is where it is. */
export const explanation = z.object({
  keyword: place.optional(),
  vector: place.optional(),
  textScore: z.number().optional(),
  vectorScore: z.number().optional(),
  fusedScore: z.number(),
  decay: z.number(),
  importance: z.number().optional(),
  named: z.boolean(),
  rerankScore: z.number().optional(),
  rankedAt: z.int(),
  joined: z.boolean(),
});
const lines = { path: z.string(), startLine: z.int(), endLine: z.int() };
const armEntry = z.object({ ...lines, score: z.number() });
/** What a search did. */
export const searchDebug = z.object({
  fusion: z.object({ mode: z.string(), rule: z.string(), vectorWeight: z.number(), textWeight: z.number() }),
  minScore: z.number(),
  limit: z.int(),
  arms: z.object({ keyword: z.array(armEntry), vector: z.array(armEntry) }),
  leftOut: z.array(
    z.union([
      z.object({ ...lines, stage: z.literal("floor"), score: z.number() }),
      z.object({ ...lines, stage: z.literal("duplicate"), of: z.string() }),
    ]),
  ),
});
