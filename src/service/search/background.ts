import { termRarities } from "../../db/agent/candidates/keyword-search.ts";
import { cosinesOfSample, countInSample, type SharedProfile } from "../../db/agent/candidates/shared-profile.ts";
import {
  type CosineBackground,
  cosineBackground,
  MAX_SCANNED,
  meanCosine,
} from "../../db/agent/candidates/vector-search.ts";
import type { CountedTerms } from "../../db/agent/keyword/keyword-terms.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { type VectorTable, vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { readsScript } from "../../embeddings/model-input.ts";
import { type Background, matchedIdf } from "../../relevance/ranking/evidence.ts";
import type { Candidate } from "../../relevance/ranking/fuse.ts";
import { sensitivityOf } from "../../relevance/ranking/sensitivity.ts";
import { scriptOf } from "../../relevance/words/text-language.ts";
import { type ArmResults, type SearchPlan, sampleOf } from "./search-arms.ts";

/** Cosines of questions with chunks vary a fifth less than cosines of chunks with each other. */
const QUESTION_DEVIATION = 0.8;
/** The fewest chunks that show which scores occur by chance. */
const LEAST_CHUNKS = 8;

/** The statistics of an index that bear on one question. */
export interface Measured {
  chunks: number;
  /** The question's terms with their counts; undefined if the index has none of them. */
  counted: CountedTerms | undefined;
  /**
   * The distribution of the question's cosines with the index's texts; undefined if the vector arm
   * did not run.
   */
  cosines: (CosineBackground & { sensitivity: number }) | undefined;
}

/**
 * Measures the whole index, whatever sources and paths are searched, because a hit's score must not
 * depend on these either. If a scope sees only some texts of a memory, these texts are measured: for each
 * user "What is my phone number?" has one answer, although forty other users have told their numbers.
 */
export async function measureIndex(
  tx: AgentReads,
  { agent, generation, query, shared }: SearchPlan,
  { queryVector, counted, background: seen, visible }: ArmResults,
): Promise<Measured> {
  // Statistics of the whole index would reveal something about the unshared part to the reader.
  if (shared) return measurePart(tx, { agent, generation, query, part: shared }, { queryVector, counted });
  if (visible) {
    const sample = [...sampleOf(visible, MAX_MEASURED)];
    const part = { chunks: visible.length, sample, deviation: generation.cosineDeviation ?? undefined };
    const index = { schema: agent.schema, generationId: generation.id };
    const inPart = counted && {
      terms: await countInSample(tx, index, part, counted.terms),
      stats: { ...counted.stats, chunks: visible.length },
    };
    return measurePart(tx, { agent, generation, query, part }, { queryVector, counted: inPart });
  }
  const { dimensions, cosineDeviation, cosineCount, hasCentre, separation } = generation;
  const counting = counted?.stats.chunks ?? generation.statsChunkCount ?? 0;
  const cosinesWith = async (vector: Uint8Array, table: VectorTable): Promise<CosineBackground> => {
    if (seen) return seen;
    // Up to `MAX_SCANNED` chunks, the sample has all or most of them in their current state.
    const isKnown = counting > MAX_SCANNED && hasCentre && cosineDeviation !== null;
    if (!isKnown) return cosineBackground(tx, table, vector, counting);
    const count = cosineCount ?? 0;
    return { count, chunks: count, mean: await meanCosine(tx, table, vector), deviation: cosineDeviation };
  };
  const sampled =
    queryVector === undefined || dimensions === null
      ? undefined
      : await cosinesWith(queryVector, vectorTable(agent.schema, generation, dimensions));
  const chunks = Math.max(counting, sampled?.chunks ?? 0);
  if (!sampled) return { chunks, counted, cosines: undefined };
  const deviation = deviationFor(sampled, cosineDeviation ?? undefined);
  const sensitivity = sensitivityOf(separation ?? {}, scriptOf(query), (script) => readsScript(generation, script));
  return { chunks, counted, cosines: { ...sampled, deviation, sensitivity } };
}

/**
 * Returns the deviation of a question's cosines by chance: from the measurement of the index, or
 * from the sample alone if the index has not been measured. Where texts are nearly the same, their
 * cosines with each other hardly vary, but a question's cosines with them do, so the sample's
 * spread is the lower bound.
 */
function deviationFor({ deviation, spread = 0 }: CosineBackground, ofIndex: number | undefined): number {
  return ofIndex === undefined ? deviation : Math.max(QUESTION_DEVIATION * ofIndex, spread);
}

/** The most chunks of a scope whose words and cosines are measured. */
const MAX_MEASURED = 500;

/** Measures a part of the texts of an index: the shared texts, or the texts that a scope may see. */
async function measurePart(
  tx: AgentReads,
  {
    agent,
    generation,
    query,
    part,
  }: Pick<SearchPlan, "agent" | "generation" | "query"> & {
    part: Pick<SharedProfile, "chunks" | "sample" | "deviation">;
  },
  { queryVector, counted }: Pick<Measured, "counted"> & Pick<ArmResults, "queryVector">,
): Promise<Measured> {
  const { dimensions } = generation;
  const { chunks, deviation: measured } = part;
  if (queryVector === undefined || dimensions === null) return { chunks, counted, cosines: undefined };
  const sampled = await cosinesOfSample(tx, vectorTable(agent.schema, generation, dimensions), part, queryVector);
  const deviation = deviationFor(sampled, measured);
  const sensitivity = sensitivityOf(generation.separation ?? {}, scriptOf(query), (script) =>
    readsScript(generation, script),
  );
  return { chunks, counted, cosines: { ...sampled, deviation, sensitivity } };
}

/**
 * Returns the scores that occur by chance in an index; undefined if the index has too few different
 * texts for a hit to stand out.
 */
export function backgroundOf({ chunks, counted, cosines }: Measured): Background | undefined {
  // Copies of a few texts show no more about chance than these texts alone.
  const isOfCopies = cosines !== undefined && cosines.count < LEAST_CHUNKS && cosines.chunks >= LEAST_CHUNKS;
  if (chunks < LEAST_CHUNKS || isOfCopies) return undefined;
  const asked = counted ? askedFor(counted) : { wanted: 0, overlapping: 0 };
  return { chunks, ...asked, cosines: cosines && cosines.count >= LEAST_CHUNKS ? cosines : undefined };
}

/**
 * Returns the idf of all terms of a query, the share of parts in it, and the idf of the rarest term
 * that the index has. In a text without spaces, some pairs of characters cross word borders and occur
 * nowhere, so a missing pair says nothing. (If missing pairs counted by half, Korean notes would lose
 * 0.04 nDCG@10.)
 */
function askedFor(counted: CountedTerms): Pick<Background, "wanted" | "overlapping" | "rarest"> {
  const rarities = termRarities(counted);
  const idfOf = (isAsked: (term: CountedTerms["terms"][number]) => boolean) =>
    matchedIdf(rarities, counted.terms.map(isAsked));
  const wanted = idfOf(({ isPart, df }) => !isPart || df > 0);
  const parts = idfOf(({ isPart, df }) => isPart && df > 0);
  const rarest = Math.max(0, ...rarities.filter((_, n) => (counted.terms[n]?.df ?? 0) > 0).map((term) => term.idf));
  return { wanted, overlapping: wanted > 0 ? parts / wanted : 0, rarest };
}

/**
 * Returns the statistics of each of several indexes as if they were one index: a word is as rare as
 * in all of them together, and cosines by one model vary as they do in all of its texts. Without
 * this, the best of a few notes would score like the best of a library.
 *
 * @param all the indexes, each with a name of the model of its vectors
 */
export function asOneIndex(all: readonly (Measured & { model: string })[]): Measured[] {
  const chunks = sum(all.map((one) => one.chunks));
  const found = new Map<string, number>();
  for (const { counted } of all)
    for (const term of counted?.terms ?? []) found.set(nameOf(term), (found.get(nameOf(term)) ?? 0) + term.df);
  const cosines = new Map(
    [...Map.groupBy(all, (one) => one.model)].map(([model, same]) => [
      model,
      cosinesOfAll(same.flatMap((one) => one.cosines ?? [])),
    ]),
  );
  return all.map(({ counted, model }) => ({
    chunks,
    counted: counted && {
      terms: counted.terms.map((term) => ({ ...term, df: found.get(nameOf(term)) ?? term.df })),
      stats: { ...counted.stats, chunks },
    },
    cosines: cosines.get(model),
  }));
}

function nameOf({ lexeme, prefix }: CountedTerms["terms"][number]): string {
  return `${prefix ? "^" : "="}${lexeme}`;
}

/** Returns the mean and the deviation of several groups together, and their average sensitivity. */
function cosinesOfAll(all: readonly NonNullable<Measured["cosines"]>[]): Measured["cosines"] {
  const count = sum(all.map((one) => one.count));
  if (count === 0) return undefined;
  const average = (of: (one: NonNullable<Measured["cosines"]>) => number) =>
    sum(all.map((one) => one.count * of(one))) / count;
  const mean = average((one) => one.mean);
  const deviation = Math.sqrt(average((one) => one.deviation ** 2 + (one.mean - mean) ** 2));
  const chunks = sum(all.map((one) => one.chunks));
  return { count, chunks, mean, deviation, sensitivity: average((one) => one.sensitivity) };
}

/**
 * Returns the candidate with its keyword scores converted to other counts of the same terms. BM25
 * is a sum over the terms of idf times frequency, so the score is scaled by the change of the sum
 * of idf, which is nearly exact.
 */
export function rescored(
  candidate: Candidate,
  own: CountedTerms | undefined,
  counted: CountedTerms | undefined,
): Candidate {
  const { bm25, found } = candidate;
  if (bm25 === undefined || !found || !own || !counted) return candidate;
  const before = matchedIdf(termRarities(own), found);
  const matched = matchedIdf(termRarities(counted), found);
  return { ...candidate, matched, bm25: before > 0 ? (bm25 * matched) / before : bm25 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
