import { spanOf } from "../../base/civil-day.ts";
import { AppError, faultOf, unlessReadOnly } from "../../base/errors.ts";
import { type KeywordAnswer, keywordCandidates } from "../../db/agent/candidates/keyword-search.ts";
import { sharedCandidates } from "../../db/agent/candidates/shared-candidates.ts";
import type { SharedProfile } from "../../db/agent/candidates/shared-profile.ts";
import {
  type CosineBackground,
  MAX_SCANNED,
  nearestWithBackground,
  vectorCandidates,
} from "../../db/agent/candidates/vector-search.ts";
import { isComparable, isFiltered, narrowed, type SearchFilter } from "../../db/agent/chunks/search-filter.ts";
import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import type { KeywordHit } from "../../db/agent/keyword/bm25.ts";
import { isCounted } from "../../db/agent/keyword/keyword-terms.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { vectorTable } from "../../db/agent/schema/generation-tables.ts";
import { type Generation, searchedLanguages } from "../../db/agent/schema/generations.ts";
import { includesFacts, SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import type { SearchedTerms } from "../../db/agent/segments/segments.ts";
import { type Embedder, runsInProcess } from "../../embeddings/embedder.ts";
import { analyzeQuery } from "../../relevance/words/analyze.ts";
import type { Period } from "../../relevance/words/periods.ts";
import { withoutSpeakers } from "../../relevance/words/query-names.ts";
import type { WrittenDays } from "../../relevance/words/written-days.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { embedQuery, hydeVector } from "../embedding/embed-query.ts";
import { embedderFor, embeddingProblem, whyWithoutVectors } from "../embedding/embedder-for.ts";
import { requestFallback } from "../embedding/fallback.ts";
import { notReady, whyNoEmbedder } from "../embedding/missing-embedder.ts";
import { inPhase } from "../embedding/search-phase.ts";
import type { SearchDeps } from "./search-deps.ts";
import { type Lateness, noticing, PATHS_TOO_LONG, shorteningOf } from "./search-limits.ts";

/** The search of one memory, as both arms get it. */
export interface SearchPlan {
  agent: KnownAgent;
  /**
   * The agent that searches, if `agent` shares its memory with it; undefined: `agent` itself
   * searches.
   */
  reader?: KnownAgent | undefined;
  /**
   * The profile of the shared part, if the memory is a shared one. Hits are found and scored by
   * this part alone.
   */
  shared?: SharedProfile | undefined;
  generation: Generation;
  query: string;
  /** The words of the query that are names of speakers in sessions. */
  speakers?: readonly string[] | undefined;
  /** Whether the query is a user's message for a recall, not a question. */
  isMessage?: boolean;
  /** Whether the message is a question about the asker's own life, whose words weigh as in a search. */
  isOwnQuestion?: boolean;
  /** The numbers of the sources to search. */
  sources: readonly number[];
  filter: SearchFilter;
  /** When and in which time zone the question is asked. */
  now: Date;
  zone: string;
  /** The periods that the question names; undefined until they are read. */
  periods?: readonly Period[] | undefined;
  /** The words of the question that name these days for any reader. */
  periodNames?: readonly string[] | undefined;
  /** The days of these periods as texts write them; undefined if the periods are long. */
  written?: WrittenDays | undefined;
  /** The words of the question beside its periods, without those such as "happened". */
  rest?: string | undefined;
  /** Whether the question asks for nothing but a period, or for the texts of a filter by date. */
  isListing?: boolean | undefined;
  /**
   * The facts that may be found, if facts are searched. Its `visibleTo` holds for conversations
   * too.
   */
  visibleFacts: FactFilter;
  /** The most candidates that an arm may give. */
  limit: number;
  /** Whether the keyword arm may return deleted chunks. */
  unchecked?: boolean;
  /** Whether the keyword arm is left out. */
  withoutKeyword?: boolean;
  /** Records which part of the search meets the time limit. */
  late?: Lateness;
}

export interface ArmResults {
  /** The hits of the keyword arm, best first. */
  keyword: readonly KeywordHit[];
  /**
   * The statistics of the query's terms in this index; undefined if the keyword arm found nothing
   * or did not run.
   */
  counted: SearchedTerms | undefined;
  similar: readonly { chunkId: string; similarity: number }[];
  /** Further chunks to rank: those of a period that the question names, or that pass a filter. */
  listed: readonly string[];
  /** Chunks that may write the days of the period. They are ranked if their texts do. */
  naming?: readonly string[];
  /** Whether the question names a period, and no text of the memory is of it. */
  isPeriodEmpty?: boolean;
  /** The distribution of cosines in the whole index, if the vector arm has scanned all of it. */
  background?: CosineBackground | undefined;
  /** The query's vector; undefined if the vector arm did not run. */
  queryVector: Uint8Array | undefined;
  /**
   * The ids of all chunks that the search's scope may see, if they are few and the memory has chunks that it may
   * not see. The rarity of words and the distribution of cosines are then measured in the visible chunks alone.
   */
  visible?: readonly string[] | undefined;
  warnings: readonly string[];
}

/**
 * The query vectors of one search, by model and text. Memories with the same model share a vector.
 */
export type SearchVectors = Map<string, Promise<QueryVector>>;

/** The query for the vector arm. */
export interface QueryVector {
  /** The query's vector; undefined if the vector arm does not run. */
  queryVector: Uint8Array | undefined;
  warnings: readonly string[];
}

/**
 * Returns the vector of a query, or a warning if there is no usable embedder or the provider is
 * down. Call it before the transaction begins, as a provider may take long.
 */
export async function queryVectorOf(
  deps: SearchDeps,
  caller: Caller,
  { agent, reader = agent, generation, query: asked, speakers = [] }: SearchPlan,
  vectors: SearchVectors,
): Promise<QueryVector> {
  const without = (...warnings: string[]) => {
    if (warnings.length > 0) deps.metrics.degradedSearches.inc();
    return { queryVector: undefined, warnings };
  };
  if (generation.dimensions === null) {
    const problem = await whyWithoutVectors(deps, agent);
    return problem === undefined ? without() : without(`Keyword search only. ${problem}`);
  }
  // If the provider cannot be reached, the search goes on by keyword, as when it stops answering.
  const embedder = await embedderFor(deps, generation, agent).catch(asUnavailable);
  if (embedder instanceof AppError) return without(notReady(generation, embedder));
  if (!embedder) {
    const why = await whyNoEmbedder(deps, generation, agent);
    const problem = await embeddingProblem(deps, agent);
    return without(why, ...(problem === undefined || why.includes(problem) ? [] : [problem]));
  }
  const query = withoutSpeakers(asked, speakers, searchedLanguages(generation)[0] === "english");
  const key = JSON.stringify([embedder.provider, embedder.model, embedder.providerKey, query]);
  const asking = vectors.get(key) ?? vectorOf(deps, caller, { agent: reader, embedder, query });
  vectors.set(key, asking);
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith("embedder_")) throw error;
    deps.logger.warn(
      { ...faultOf(error), provider: embedder.provider },
      "query embedding failed; answering by keyword",
    );
    // A reader of a shared memory must not trigger index builds in it.
    if (reader === agent) await unlessReadOnly(requestFallback(deps, agent));
    const who = runsInProcess(embedder)
      ? `The embedding model ${embedder.model} gives no answer`
      : `The embedding provider ${embedder.provider} cannot be used now`;
    return without(`${who}; keyword search only. ${error.message}`);
  }
}

/**
 * Embeds the query for the agent that asks, with its usage, cache and settings, even if another
 * agent's memory is searched.
 */
async function vectorOf(
  deps: SearchDeps,
  caller: Caller,
  { agent, embedder, query }: { agent: KnownAgent; embedder: Embedder; query: string },
): Promise<QueryVector> {
  const remembers = agent.settings.cache.enabled;
  const queryVector = await embedQuery(deps, { caller, agentId: agent.agentId, embedder, remembers }, query);
  if (!agent.settings.query.hyde.enabled) return { queryVector, warnings: [] };
  const hyde = await hydeVector(deps, { agent, embedder, query, queryVector });
  return { queryVector: hyde.vector, warnings: hyde.warning ? [hyde.warning] : [] };
}

/**
 * Runs both arms concurrently. If hybrid search is off, only the vector arm runs; without a query
 * vector, only the keyword arm. Neither arm runs if the filter would take too long.
 */
export async function searchArms(
  deps: SearchDeps,
  tx: AgentReads,
  asked: SearchPlan,
  { queryVector, warnings }: QueryVector,
): Promise<ArmResults> {
  const filter = await noticing(asked.late, "filter", narrow(tx, asked));
  if (!filter) return nothingBy(queryVector, [...warnings, PATHS_TOO_LONG]);
  const plan = { ...asked, filter };
  const arms = await withPeriod(deps, tx, plan, await runArms(deps, tx, plan, { queryVector, warnings }));
  return { ...arms, visible: await visibleTo(tx, asked, filter) };
}

/**
 * Returns the chunks of all sources that a scope may see, if it leaves out others and these chunks are few. Scores
 * are measured in them, and must not depend on the sources that are searched.
 */
async function visibleTo(
  tx: AgentReads,
  { agent, generation, sources, filter: asked, shared }: SearchPlan,
  { chunkIds }: SearchFilter,
): Promise<readonly string[] | undefined> {
  // A shared part has its own measurements, which reveal nothing about the rest of the index.
  if (shared || !chunkIds || !isOfScopeAlone(asked)) return undefined;
  if (SOURCES.every((source) => sources.includes(source))) return chunkIds;
  const index = { schema: agent.schema, generationId: generation.id, chunkCount: generation.statsChunkCount ?? 0 };
  return (await narrowed(tx, index, asked, SOURCES)).chunkIds;
}

/** Returns whether a filter leaves out what a scope may not see, and nothing else. */
function isOfScopeAlone({ believed, prefix: _, ...filter }: SearchFilter): boolean {
  return believed?.visibleTo !== undefined && !isFiltered(filter);
}

/** All sources but past facts, which only a search as of a time reads. */
const SOURCES = [SOURCE_NUMBER.memory, SOURCE_NUMBER.sessions, SOURCE_NUMBER.facts];

/** Returns the result of arms that found nothing. */
export function nothingBy(queryVector: Uint8Array | undefined, warnings: readonly string[]): ArmResults {
  return { keyword: [], counted: undefined, similar: [], listed: [], queryVector, warnings };
}

async function runArms(
  deps: SearchDeps,
  tx: AgentReads,
  plan: SearchPlan,
  { queryVector, warnings }: QueryVector,
): Promise<ArmResults> {
  const { late } = plan;
  const byMeaning = (vector: Uint8Array) => noticing(late, "vector", searchByMeaning(deps, tx, plan, vector));
  const isAlone = plan.withoutKeyword || !plan.agent.settings.query.hybrid.enabled;
  if (queryVector !== undefined && isAlone)
    return { ...nothingBy(queryVector, warnings), ...(await byMeaning(queryVector)) };
  // The keyword arm begins with a short statement and computes while Postgres searches the vectors.
  const [found, nearest] = await Promise.all([
    noticing(late, "keyword", keywordArm(deps, tx, plan)),
    queryVector === undefined ? { similar: [] } : byMeaning(queryVector),
  ]);
  const { hits: keyword, counted } = found;
  return { keyword, counted, listed: [], ...nearest, queryVector, warnings: [...warnings, ...shorteningOf(found)] };
}

/** The most chunks of a period that are all ranked. Of more, both arms choose. */
const MAX_LISTED = 200;
/** The most ranges of days that a period is looked up by. */
const MAX_SPANS = 48;

/**
 * Adds the chunks of the periods that the question names to those that the arms found: all of them
 * if they are few, or else those that both arms find within the periods. If the arms found nothing
 * that passes a filter, adds what passes it.
 */
async function withPeriod(deps: SearchDeps, tx: AgentReads, plan: SearchPlan, arms: ArmResults): Promise<ArmResults> {
  const { filter, periods = [], zone, isListing = false } = plan;
  const isEmpty = arms.keyword.length === 0 && arms.similar.length === 0;
  const passing = isListing || isEmpty ? sampleOf(filter.chunkIds ?? []) : [];
  if (periods.length === 0) return passing.length > 0 ? { ...arms, listed: passing } : arms;
  const period = periods.flatMap(({ ranges }) => ranges.map((range) => spanOf(range, zone))).slice(0, MAX_SPANS);
  const { chunkIds: _, ...wide } = filter;
  const [within, naming] = await Promise.all([
    noticing(plan.late, "filter", narrow(tx, { ...plan, filter: { ...wide, period } })),
    namingChunks(deps, tx, plan),
  ]);
  const ids = within?.chunkIds;
  if (!within || ids?.length === 0)
    return { ...arms, listed: isEmpty ? passing : [], naming, isPeriodEmpty: within !== undefined };
  // A sample could leave out the person whose texts are listed.
  const isSampled = isListing && (plan.speakers ?? []).length === 0;
  if (ids && (isSampled || filter.facts || ids.length <= MAX_LISTED)) return { ...arms, listed: sampleOf(ids), naming };
  const fetched = await runArms(deps, tx, { ...plan, filter: within }, { queryVector: arms.queryVector, warnings: [] });
  return {
    ...arms,
    keyword: merged(arms.keyword, fetched.keyword).toSorted((a, b) => b.score - a.score),
    similar: merged(arms.similar, fetched.similar).toSorted((a, b) => b.similarity - a.similarity),
    counted: arms.counted ?? fetched.counted,
    naming,
  };
}

/** The most chunks that are read to see whether they write a day of the period. */
export const MAX_NAMING = 50;

/** Finds chunks that may write the days of the question's period, such as "30 November", by their words. */
async function namingChunks(deps: SearchDeps, tx: AgentReads, plan: SearchPlan): Promise<string[]> {
  if (!plan.written || plan.withoutKeyword || !plan.agent.settings.query.hybrid.enabled) return [];
  const asked = { ...plan, query: plan.written.query, limit: MAX_NAMING };
  const { hits } = await noticing(plan.late, "keyword", keywordArm(deps, tx, asked));
  return hits.map(({ chunkId }) => chunkId);
}

/** Returns at most `most` ids, at equal distances from each other in their order. */
export function sampleOf(ids: readonly string[], most = MAX_LISTED): readonly string[] {
  if (ids.length <= most) return ids;
  const ordered = ids.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return Array.from({ length: most }, (_, at) => ordered[Math.floor((at * ids.length) / most)] ?? "");
}

function merged<T extends { chunkId: string }>(some: readonly T[], more: readonly T[]): T[] {
  const known = new Set(some.map(({ chunkId }) => chunkId));
  return [...some, ...more.filter(({ chunkId }) => !known.has(chunkId))];
}

/**
 * Returns the filter, with the ids of the chunks that pass it if they are few; undefined if
 * comparing its paths would take too long.
 */
async function narrow(
  tx: AgentReads,
  { agent, generation, filter, sources, shared }: SearchPlan,
): Promise<SearchFilter | undefined> {
  if (!isFiltered(filter) || (filter.facts && !filter.period)) return filter;
  const { id: generationId, statsChunkCount } = generation;
  const size = shared ? { chunkCount: shared.chunks, least: MAX_COMPARED } : { chunkCount: statsChunkCount ?? 0 };
  const index = { schema: agent.schema, generationId, ...size };
  return (await isComparable(tx, index, filter)) ? narrowed(tx, index, filter, sources) : undefined;
}

/**
 * Up to this many chunks of shared folders are compared one by one. A scan of the whole vector
 * index finds fewer shared chunks if many unshared chunks are near the question. The hits would
 * then reveal something about the unshared chunks.
 */
const MAX_COMPARED = 20_000;

function keywordArm(deps: SearchDeps, tx: AgentReads, plan: SearchPlan): Promise<KeywordAnswer> {
  const { agent, generation, query, limit, sources, filter, shared, unchecked = false } = plan;
  const languages = searchedLanguages(generation);
  const index = { schema: agent.schema, generationId: generation.id, languages };
  const asked = {
    query: analyzeQuery(query, languages, plan.isMessage && !plan.isOwnQuestion),
    limit,
    sources,
    filter,
  };
  // A small index has no segments.
  const cache = isCounted(generation.statsChunkCount) ? { cache: deps.segmentCache } : {};
  return inPhase(deps, "keyword", async () => {
    // Ranking reads the details of every candidate, and notices there which candidates no longer
    // exist.
    const search = { ...index, ...asked, ...cache, unchecked };
    const found = await (shared ? sharedCandidates(tx, search, shared) : keywordCandidates(tx, search));
    deps.metrics.searchCandidates.observe({ arm: "keyword" }, found.hits.length);
    return found;
  });
}

/** Runs the vector arm, and beside it the arm of facts if there are few of them. */
async function searchByMeaning(
  deps: SearchDeps,
  tx: AgentReads,
  plan: SearchPlan,
  vector: Uint8Array,
): Promise<Pick<ArmResults, "similar" | "background">> {
  const [nearest, facts] = await Promise.all([vectorArm(deps, tx, plan, vector), factArm(tx, plan, vector)]);
  if (facts.length === 0) return nearest;
  const all = new Map([...nearest.similar, ...facts].map((one) => [one.chunkId, one]));
  const similar = [...all.values()].sort((a, b) => b.similarity - a.similarity);
  return { ...nearest, similar };
}

/** The most facts that a search of everything compares one by one. */
const FEW_FACTS = 1000;

/**
 * Returns the nearest of an agent's facts, if they are few. Passages of the same subject can take
 * all places of the vector arm, but a fact is stored to be found.
 */
function factArm(
  tx: AgentReads,
  { agent, generation, sources, filter, shared, reader, visibleFacts, limit }: SearchPlan,
  vector: Uint8Array,
): Promise<ArmResults["similar"]> {
  const isAmongOthers = sources.includes(SOURCE_NUMBER.facts) && sources.some((source) => !includesFacts([source]));
  const isNarrowed = isFiltered({ ...filter, believed: undefined }) || shared !== undefined || reader !== undefined;
  if (!isAmongOthers || isNarrowed || agent.facts === 0 || agent.facts > FEW_FACTS) return Promise.resolve([]);
  const table = vectorTable(agent.schema, generation, generation.dimensions ?? 0);
  const facts = { ...visibleFacts, few: true };
  return vectorCandidates(tx, table, { vector, limit, sources, filter: { facts } });
}

function vectorArm(
  deps: SearchDeps,
  tx: AgentReads,
  plan: SearchPlan,
  vector: Uint8Array,
): Promise<Pick<ArmResults, "similar" | "background">> {
  const { agent, generation, limit, sources, filter } = plan;
  const table = vectorTable(agent.schema, generation, generation.dimensions ?? 0);
  return inPhase(deps, "vector", async () => {
    const { hits, background } = isScanned(plan)
      ? await nearestWithBackground(tx, table, { vector, limit, sources })
      : { hits: await vectorCandidates(tx, table, { vector, limit, sources, filter }), background: undefined };
    deps.metrics.searchCandidates.observe({ arm: "vector" }, hits.length);
    return { similar: hits, background };
  });
}

/** Returns whether the vector arm compares every chunk: in a small index, without a filter. */
function isScanned({ generation, filter }: SearchPlan): boolean {
  const isSmall = !generation.vectorIndex && (generation.statsChunkCount ?? Number.POSITIVE_INFINITY) <= MAX_SCANNED;
  return isSmall && !isFiltered(filter);
}

function asUnavailable(error: unknown): AppError {
  if (error instanceof AppError && error.code === "embedder_unavailable") return error;
  throw error;
}
