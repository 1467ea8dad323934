import { spanOf } from "../../base/civil-day.ts";
import { vectorScan } from "../../db/agent/candidates/vector-scan.ts";
import { isFiltered } from "../../db/agent/chunks/search-filter.ts";
import { isCounted } from "../../db/agent/keyword/keyword-terms.ts";
import { type AgentReads, GENERIC_PLAN, withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import {
  type Generation,
  readSearchedGeneration,
  type SourcesThere,
  searchedLanguages,
} from "../../db/agent/schema/generations.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { speakersAmong } from "../../db/agent/sessions/speakers.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import type { SearchMode } from "../../relevance/ranking/fuse.ts";
import type { AskedTerm } from "../../relevance/ranking/newest-first.ts";
import { asksForSeveral } from "../../relevance/ranking/spread-over-documents.ts";
import { possibleNames } from "../../relevance/words/query-names.ts";
import { periodsOfQuestion } from "../../relevance/words/question-periods.ts";
import { languageCodeOf } from "../../relevance/words/question-words.ts";
import { writtenDaysOf } from "../../relevance/words/written-days.ts";
import { searchesSessions } from "../../settings/retention.ts";
import { withFusion } from "../../settings/settings.ts";
import type { MemorySettings } from "../../settings/settings-schema.ts";
import { settingsZone } from "../../settings/settings-zone.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { timeLimit } from "../core/time-limit.ts";
import { embeddersWithDeadline } from "../embedding/embedder-for.ts";
import { joinMemories, nothingFoundIn, type SearchedMemory } from "./join-memories.ts";
import { findNamed, type RankedSearch, type RankRequest, rankCandidates, refineHits } from "./rank-candidates.ts";
import {
  type ArmResults,
  MAX_NAMING,
  type QueryVector,
  queryVectorOf,
  type SearchVectors,
  searchArms,
} from "./search-arms.ts";
import type { SearchDeps } from "./search-deps.ts";
import { isLate, type Lateness, warningOf } from "./search-limits.ts";
import type { SearchInput } from "./search-schemas.ts";
import { weighedTerms } from "./sought-in.ts";
import { unreadableMemory } from "./unreadable-memory.ts";

/** The most candidates of an arm in any search. */
const MAX_CANDIDATES = 200;

/** A search of a known generation, before the arms run. */
export type PlannedSearch = Omit<RankRequest, "mode">;

/** Plans a search: completes its input with the agent's settings. */
export function planSearch(
  known: KnownAgent,
  generation: Generation,
  { sources, speakers, now }: { sources: readonly number[]; speakers: readonly string[]; now: Date },
  input: SearchInput,
): PlannedSearch {
  const { after, before, paths, scope, fusion, asOf, timezone } = input;
  const agent = fusion ? { ...known, settings: withFusion(known.settings, fusion) } : known;
  const { maxResults: usual, minScore } = agent.settings.query;
  const maxResults = input.maxResults ?? usual;
  const visibleFacts = { at: asOf ?? now, isPresent: asOf === undefined, visibleTo: scope };
  const past = asOf && { standing: asOf, believed: visibleFacts };
  const searched = asOf && sources.includes(SOURCE_NUMBER.facts) ? [...sources, SOURCE_NUMBER.pastFacts] : sources;
  const zone = timezone ?? settingsZone(agent.settings);
  const isDated = after !== undefined || before !== undefined;
  const days = isDated ? [spanOf({ from: after, to: before }, zone)] : undefined;
  return {
    now,
    zone,
    isFiltered: isDated || paths !== undefined || scope !== undefined,
    showsNearest: true,
    agent: asOf ? withoutNamedFiles(agent) : agent,
    generation,
    sources: searched,
    maxResults,
    query: input.query,
    visibleFacts,
    speakers: sources.includes(SOURCE_NUMBER.sessions) ? speakers : [],
    filter: { days, paths: paths?.map((path) => path.normalize("NFC")), ...past },
    // A long document that speaks of one thing again and again would take all places of a few candidates.
    limit: asksForSeveral(input.query) ? MAX_CANDIDATES : candidateLimit(maxResults, agent.settings.query),
    minScore: input.minScore ?? minScore,
  };
}

/** Switches named files off. A file that the query names may not have existed at that time. */
function withoutNamedFiles(agent: KnownAgent): KnownAgent {
  const { settings } = agent;
  return { ...agent, settings: { ...settings, query: { ...settings.query, namedFiles: false } } };
}

/**
 * Returns the most candidates that an arm may give in the first round of a search. A repeated
 * search uses `MAX_CANDIDATES`.
 */
export function candidateLimit(maxResults: number, { hybrid }: MemorySettings["query"]): number {
  return Math.min(MAX_CANDIDATES, maxResults * hybrid.candidateMultiplier);
}

/** The hits of a search, and how they were found. */
interface FoundHits {
  /** The request of the first memory. `arms` has the results of its arms. */
  request: RankRequest;
  arms: ArmResults;
  /** The memories that were read. */
  memories: readonly SearchedMemory[];
  ranked: RankedSearch;
}

/**
 * Runs both arms concurrently and ranks their candidates. Each memory is read in a transaction of
 * its own under its own role; all candidates are ranked as one list. The query is embedded before
 * the transaction, and a reranker may be called after it. If duplicates leave too few hits, the
 * search is repeated once with `MAX_CANDIDATES` for each arm.
 *
 * @param shared the memories of other agents; one that cannot be read is left out
 */
export async function runSearch(
  deps: SearchDeps,
  caller: Caller,
  plan: PlannedSearch,
  shared: readonly PlannedSearch[] = [],
): Promise<FoundHits> {
  const dates = await periodsOf(plan);
  const dated = <T extends PlannedSearch>(one: T) => ({ ...one, ...dates });
  return runDated(deps, caller, dated(plan), shared.map(dated));
}

/** A question mark of any script. A message without one tells of a day rather than asking for it. */
const QUESTION_MARK = /[?？؟՞]/u;

/** Reads the periods that a question names. */
async function periodsOf(
  plan: PlannedSearch,
): Promise<Pick<PlannedSearch, "periods" | "periodNames" | "isListing" | "written" | "rest">> {
  const { query, now, zone, isMessage, filter, speakers, generation } = plan;
  if (isMessage && !QUESTION_MARK.test(query)) return { periods: [], isListing: false };
  const read = await periodsOfQuestion(query, { now, zone }, speakers);
  const { periods, names, isGeneric, rest } = read;
  const indexed = searchedLanguages(generation).flatMap((one) => languageCodeOf(one) ?? []);
  const written = await writtenDaysOf(periods, names, [...new Set([...indexed, ...read.languages])]);
  const isListing = isGeneric && (periods.length > 0 || filter.days !== undefined);
  return { periods, periodNames: names, isListing, written, rest };
}

async function runDated(
  deps: SearchDeps,
  caller: Caller,
  plan: PlannedSearch,
  shared: readonly PlannedSearch[],
): Promise<FoundHits> {
  const vectors: SearchVectors = new Map();
  const isAlone = shared.length === 0 && plan.reader === undefined;
  // The floor can only be applied when all memories have been read.
  const search = (one: PlannedSearch) => searchOne(deps, caller, isAlone ? one : { ...one, minScore: 0 }, vectors);
  const [first, ...others] = await Promise.all([
    search(plan),
    ...shared.map((one) => search(one).catch((error: unknown) => unlessUnreadable(one, error))),
  ]);
  const memories = [first, ...others.flatMap((one) => one ?? [])];
  const asked = { ...first.request, minScore: plan.minScore };
  const candidates = isAlone ? first.found : joinMemories(deps, asked, memories);
  const ranked = await refineHits(deps, asked, candidates, askedTerms(first));
  if (ranked.crowded && memories.some(isCut) && plan.limit < MAX_CANDIDATES) {
    const wider = <T extends PlannedSearch>(one: T) => ({ ...one, limit: MAX_CANDIDATES });
    return runDated(deps, caller, wider(plan), shared.map(wider));
  }
  return { request: asked, memories, arms: first.arms, ranked };
}

/**
 * Returns an empty result with a warning for a shared memory that cannot be read any more;
 * undefined if it is gone.
 *
 * @throws every other error
 */
function unlessUnreadable(plan: PlannedSearch, error: unknown): SearchedMemory | undefined {
  const warning = unreadableMemory(error, plan.agent.agentId);
  return warning === undefined ? undefined : nothingFoundIn({ ...plan, mode: "keyword" }, [warning]);
}

/**
 * Searches one memory. If some candidates are facts or conversations of other scopes, or facts of other
 * times, they may have taken the places of allowed candidates, and the statistics include texts that the scope does
 * not see. The memory is then searched again without these texts.
 */
async function searchOne(
  deps: SearchDeps,
  caller: Caller,
  plan: PlannedSearch,
  vectors: SearchVectors,
): Promise<SearchedMemory> {
  const asked = await queryVectorOf(deps, caller, plan, vectors);
  const searched = await readWithinLimit(deps, plan, asked);
  if (isHidden(searched) && (isCut(searched) || plan.visibleFacts.visibleTo !== undefined))
    return searchOne(deps, caller, { ...plan, filter: { ...plan.filter, believed: plan.visibleFacts } }, vectors);
  return withoutHidden(searched);
}

/**
 * Removes candidates that the search may not show from the lists of both arms too, because
 * `explain` and why-not show these lists.
 */
function withoutHidden(searched: SearchedMemory): SearchedMemory {
  const { arms, found } = searched;
  const shows = ({ chunkId }: { chunkId: string }) => found.details.get(chunkId)?.holds !== false;
  return { ...searched, arms: { ...arms, keyword: arms.keyword.filter(shows), similar: arms.similar.filter(shows) } };
}

/**
 * Reads one memory. When an arm meets the time limit of a statement, the other arm answers alone,
 * with a warning. Nothing is found if the second arm meets the limit too, or if a statement that
 * both arms need meets it.
 */
async function readWithinLimit(deps: SearchDeps, plan: PlannedSearch, asked: QueryVector): Promise<SearchedMemory> {
  const late: Lateness = {};
  const { enabled } = plan.agent.settings.query.hybrid;
  const isByMeaning = plan.withoutKeyword || !enabled;
  const mode: SearchMode = asked.queryVector === undefined ? "keyword" : isByMeaning ? "vector" : "hybrid";
  const request: RankRequest = { ...plan, mode, late };
  try {
    return await readMemory(deps, request, asked);
  } catch (error) {
    if (!isLate(error)) throw error;
    const { part } = late;
    deps.metrics.degradedSearches.inc();
    deps.logger.warn({ agentId: plan.agent.agentId, part, mode }, "a search met its time limit");
    const warnings = [...asked.warnings, warningOf(part)];
    if (part === "keyword" && mode === "hybrid")
      return readWithinLimit(deps, { ...plan, withoutKeyword: true }, { ...asked, warnings });
    if (part === "vector" && !plan.withoutKeyword)
      return readWithinLimit(deps, plan, { queryVector: undefined, warnings });
    return nothingFoundIn(request, warnings);
  }
}

async function readMemory(deps: SearchDeps, request: RankRequest, asked: QueryVector): Promise<SearchedMemory> {
  const read = async (tx: AgentReads) => {
    for (let unchecked = true; ; unchecked = false) {
      const attempt = { ...request, unchecked };
      const [arms, named] = await Promise.all([searchArms(deps, tx, attempt, asked), findNamed(tx, request)]);
      const found = await rankCandidates(deps, tx, attempt, arms, named);
      if (found) return { request, arms, found };
    }
  };
  const setup = [timeLimit(deps.searchTimeoutMs), ...setupOf(request)];
  return withAgentReads(deps.db, request.agent, read, setup);
}

/**
 * Returns the question's terms with their weights in the searching agent's memory, without names of
 * speakers.
 */
function askedTerms(memory: SearchedMemory): AskedTerm[] {
  const names = new Set(memory.request.speakers?.map((name) => name.toLowerCase()));
  return weighedTerms(memory).filter(({ lexeme }) => !names.has(lexeme));
}

/**
 * Returns whether an arm, or the search for texts that write the days, gave as many candidates as it
 * may, so that there can be more. Facts have candidates of their own beside those of the vector arm.
 */
function isCut({ arms, request: { limit } }: SearchedMemory): boolean {
  const { keyword, similar, naming = [] } = arms;
  return keyword.length >= limit || similar.length >= limit || naming.length >= MAX_NAMING;
}

/** Returns whether candidates include facts or conversations that the search may not show. */
function isHidden({ found: { details }, request: { filter } }: SearchedMemory): boolean {
  return !filter.facts && !filter.believed && [...details.values()].some((row) => !row.holds);
}

/**
 * Returns the session settings of a search. On a large index the statements are the same for every
 * search and are planned once. With a filter, or on a small index (whose terms are counted during
 * the search), the best plan depends on the values.
 */
function setupOf({ generation, filter, limit }: PlannedSearch): string[] {
  return [
    ...(generation.vectorIndex ? vectorScan(generation.vectorScan, limit) : []),
    ...(isCounted(generation.statsChunkCount) && !isFiltered(filter) ? [GENERIC_PLAN] : []),
  ];
}

/**
 * Returns the sources of a search: those in the settings, or only the one that the search names.
 * Empty sources are left out, as joining their tables would cost time and find nothing.
 */
export function sourcesOf(
  corpus: SearchInput["corpus"],
  settings: MemorySettings,
  { hasSessions, hasFacts }: SourcesThere,
): { sources: number[]; warning?: string } {
  if (corpus && corpus !== "all" && !settings.sources.includes(corpus))
    return { sources: [], warning: `The agent's setting 'sources' leaves out ${corpus}, which was not searched.` };
  const asked = corpus && corpus !== "all" ? [corpus] : settings.sources;
  const isThere = { memory: true, sessions: hasSessions, facts: hasFacts };
  return { sources: asked.filter((source) => isThere[source]).map((source) => SOURCE_NUMBER[source]) };
}

const NOTHING: SourcesThere = { unindexed: false, hasSessions: false, hasFacts: false };

/** The state that a search reads first, in one transaction. */
interface SearchedGeneration {
  /** The generation to search; undefined before the first write. */
  generation: Generation | undefined;
  available: SourcesThere;
  /** The words of the query that are names of speakers in sessions. */
  speakers: string[];
}

/**
 * Reads the generation to search, the sources that have content, and the speakers that the query
 * names. Only speakers in sessions that the search's scope may see count.
 */
export async function searchedGeneration(
  deps: SearchDeps,
  agent: KnownAgent,
  { query, scope }: Pick<SearchInput, "query" | "scope">,
): Promise<SearchedGeneration> {
  const words = searchesSessions(agent.settings) ? possibleNames(query) : [];
  const read = (tx: AgentReads) =>
    Promise.all([speakersAmong(tx, agent.schema, words, scope), readSearchedGeneration(tx, agent.schema)]);
  const [speakers, row] = await withAgentReads(deps.db, agent, read, [GENERIC_PLAN]);
  return { generation: row, available: row ?? NOTHING, speakers };
}

/**
 * Runs a search with a deadline for creating the embedder. The search starts again if the index was
 * replaced between two of its transactions.
 */
export async function searchWithDeadline<D extends SearchDeps, T>(
  deps: D,
  search: (deps: D) => Promise<T>,
): Promise<T> {
  const bounded = { ...deps, embedders: embeddersWithDeadline(deps.embedders, deps.queryEmbedTimeoutMs) };
  try {
    return await search(bounded);
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.undefinedTable) throw error;
    return search(bounded);
  }
}
