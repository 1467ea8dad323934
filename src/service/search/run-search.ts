import { searchesSessions } from "../../agents/retention.ts";
import { withFusion } from "../../agents/settings.ts";
import type { MemorySettings } from "../../agents/settings-schema.ts";
import { isFiltered } from "../../db/agent/chunks/search-filter.ts";
import { isCounted } from "../../db/agent/keyword/keyword-terms.ts";
import { TUNED_VECTOR_SCAN } from "../../db/agent/search/vector-search.ts";
import { speakersAmong } from "../../db/agent/sessions/speakers.ts";
import { type AgentReads, GENERIC_PLAN, withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { type Generation, readSearchedGeneration, type SourcesThere } from "../../db/agent/space/generations.ts";
import { SOURCE_NUMBER } from "../../db/agent/space/source-number.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import type { SearchMode } from "../../search/ranking/fuse.ts";
import { possibleNames } from "../../search/words/query-names.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { embeddersWithDeadline } from "../embedding/embedder-for.ts";
import { findNamed, type RankedSearch, type RankRequest, rankCandidates, refineHits } from "./rank-candidates.ts";
import { type ArmResults, queryVectorOf, searchArms } from "./search-arms.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { SearchInput } from "./search-schemas.ts";

const MAX_CANDIDATES = 200;

/** A search of a known generation, before the arms run. */
export type PlannedSearch = Omit<RankRequest, "mode">;

/** The plan of a search: its input, completed with the agent's settings. */
export function planSearch(
  known: KnownAgent,
  generation: Generation,
  { sources, speakers, now }: { sources: readonly number[]; speakers: readonly string[]; now: Date },
  input: SearchInput,
): PlannedSearch {
  const { after, before, paths, scope, fusion } = input;
  const agent = fusion ? { ...known, settings: withFusion(known.settings, fusion) } : known;
  const { maxResults: usual, minScore } = agent.settings.query;
  const maxResults = input.maxResults ?? usual;
  return {
    ...{ agent, generation, sources, maxResults, query: input.query },
    visibleFacts: { at: now, visibleTo: scope },
    speakers: sources.includes(SOURCE_NUMBER.sessions) ? speakers : [],
    filter: { after, before, paths: paths?.map((path) => path.normalize("NFC")) },
    limit: candidateLimit(maxResults, agent.settings.query),
    minScore: input.minScore ?? minScore,
  };
}

/** The most candidates of an arm. */
export function candidateLimit(maxResults: number, { hybrid }: MemorySettings["query"]): number {
  return Math.min(MAX_CANDIDATES, maxResults * hybrid.candidateMultiplier);
}

/**
 * Runs both arms concurrently and ranks their candidates, in one transaction. The query is embedded before it, and a
 * reranker may be called after it. When duplicates leave too few hits, the search is repeated with the most candidates that
 * an arm may give. When facts of other scopes or times took places among the candidates, it is repeated without them.
 */
export async function runSearch(
  deps: SearchDeps,
  caller: Caller,
  plan: PlannedSearch,
): Promise<{ request: RankRequest; arms: ArmResults; ranked: RankedSearch }> {
  const { agent, limit } = plan;
  const asked = await queryVectorOf(deps, caller, plan);
  const { enabled } = agent.settings.query.hybrid;
  const mode: SearchMode = asked.queryVector === undefined ? "keyword" : enabled ? "hybrid" : "vector";
  const request = { ...plan, mode };
  const read = async (tx: AgentReads) => {
    for (let unchecked = true; ; unchecked = false) {
      const attempt = { ...request, unchecked };
      const [arms, named] = await Promise.all([searchArms(deps, tx, attempt, asked), findNamed(tx, request)]);
      const candidates = await rankCandidates(deps, tx, attempt, arms, named);
      if (candidates) return { arms, candidates };
    }
  };
  const { arms, candidates } = await withAgentReads(deps.db, agent, read, setupOf(plan));
  const ranked = await refineHits(deps, request, candidates);
  const isCut = arms.keyword.length === limit || arms.similar.length === limit;
  if (ranked.crowded && isCut && limit < MAX_CANDIDATES)
    return runSearch(deps, caller, { ...plan, limit: MAX_CANDIDATES });
  if (isCut && isHidden(ranked, plan))
    return runSearch(deps, caller, { ...plan, filter: { ...plan.filter, believed: plan.visibleFacts } });
  return { request, arms, ranked };
}

/** Whether facts that the search may not show took places among the candidates. */
function isHidden({ details }: RankedSearch, { filter }: PlannedSearch): boolean {
  return !filter.facts && !filter.believed && [...details.values()].some((row) => !row.holds);
}

/**
 * The session settings of a search. The statements of a large index are the same for every search and are planned once.
 * With a filter, or in a small index, which is counted during the search, the best plan depends on the values.
 */
function setupOf({ generation, filter }: PlannedSearch): string[] {
  return [
    ...(generation.vectorIndex ? TUNED_VECTOR_SCAN : []),
    ...(isCounted(generation.statsChunkCount) && !isFiltered(filter) ? [GENERIC_PLAN] : []),
  ];
}

/**
 * The sources of a search: those of the settings, limited to the one that the search names. Empty sources are left out, as
 * joining them would cost and find nothing.
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

/** What a search reads first, in one transaction. */
interface SearchedGeneration {
  /** The generation to search; undefined before the first write. */
  generation: Generation | undefined;
  available: SourcesThere;
  /** Words of the query that are names of speakers in sessions. */
  speakers: string[];
}

/** Reads the generation to search, the sources with content, and the speakers that the query names. */
export async function searchedGeneration(
  deps: SearchDeps,
  agent: KnownAgent,
  query: string,
): Promise<SearchedGeneration> {
  const words = searchesSessions(agent.settings) ? possibleNames(query) : [];
  const [speakers, row] = await withAgentReads(deps.db, agent, (tx) =>
    Promise.all([speakersAmong(tx, agent.schema, words), readSearchedGeneration(tx, agent.schema)]),
  );
  return { generation: row, available: row ?? NOTHING, speakers };
}

/**
 * Runs a search with a deadline for creating the embedder. It starts again when the index was replaced between two of its
 * transactions.
 */
export async function searchWithDeadline<T>(deps: SearchDeps, search: (deps: SearchDeps) => Promise<T>): Promise<T> {
  const bounded = { ...deps, embedders: embeddersWithDeadline(deps.embedders, deps.queryEmbedTimeoutMs) };
  try {
    return await search(bounded);
  } catch (error) {
    if (sqlState(error) !== SQLSTATE.undefinedTable) throw error;
    return search(bounded);
  }
}
