import type { SqlExecutor } from "../../database.ts";
import type { KeywordHit } from "../keyword/bm25.ts";
import { resolveTerms } from "../keyword/keyword-terms.ts";
import { withinRows } from "../keyword/term-budget.ts";
import {
  type KeywordAnswer,
  type KeywordSearchInput,
  keywordCandidates,
  languagesOf,
  scoreChunks,
  withShortened,
} from "./keyword-search.ts";
import { countInSample, type SharedProfile } from "./shared-profile.ts";

/**
 * Runs the keyword arm on an index that is shared in part. The rarity of words is measured in the
 * shared part; the rest of the index affects neither hits nor scores.
 *
 * @param input its filter selects the shared part
 */
export async function sharedCandidates(
  sql: SqlExecutor,
  input: KeywordSearchInput,
  profile: SharedProfile,
): Promise<KeywordAnswer> {
  const asked = { ...languagesOf(input), uncounted: true };
  const { terms: resolved } = await resolveTerms(sql, input, asked, input.query.concepts);
  const terms = (await countInSample(sql, input, profile, resolved)).sort((a, b) => a.df - b.df);
  if (terms.length === 0) return { hits: [], counted: undefined };
  const { chunks, averageLength, sample } = profile;
  const stats = { chunks, averageLength };
  // These chunks are read one by one instead of from posting lists, whose length depends on the
  // whole index.
  const few = sample.length === chunks ? sample : input.filter?.chunkIds;
  if (!few) {
    const found = await keywordCandidates(sql, { ...input, counted: { terms, stats } });
    return { ...found, hits: roundScores(found.hits) };
  }
  const { schema, generationId } = input;
  const kept = await withinRows(sql, terms, { schema, generationId, atMost: few.length });
  const counted = { terms: kept, stats };
  return withShortened(terms, kept, { hits: await scoreChunks(sql, { ...input, chunkIds: few }, counted), counted });
}

/**
 * Rounds scores to the digits in which posting lists and keyword vectors agree. The number of
 * unshared chunks decides which of the two a chunk is scored by.
 */
export function roundScores(hits: readonly KeywordHit[]): KeywordHit[] {
  return hits.map((hit) => ({ ...hit, score: Number(hit.score.toPrecision(10)) }));
}
