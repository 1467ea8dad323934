import type { FusionSettings } from "../../src/relevance/ranking/fuse.ts";
import type { RankingRequest } from "../../src/relevance/ranking/rank.ts";

export const RANKED_AT = new Date("2026-06-01T00:00:00Z");

/** Returns a request to rank hits without a decay by age. */
export function rankingRequest(minScore: RankingRequest["minScore"], fusion: FusionSettings["fusion"]): RankingRequest {
  return {
    mode: "hybrid",
    minScore,
    settings: {
      fusion,
      vectorWeight: 0.7,
      textWeight: 0.3,
      rrfK: 60,
      temporalDecay: { enabled: false, halfLifeDays: 30 },
    },
    deduplicate: true,
    named: [],
    now: RANKED_AT,
  };
}
