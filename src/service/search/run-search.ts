import { searchesSessions } from "../../agents/retention.ts";
import type { MemorySettings } from "../../agents/settings-schema.ts";
import { SOURCE_NUMBER } from "../../db/agent/chunks/chunks.ts";
import { TUNED_VECTOR_SCAN } from "../../db/agent/chunks/vector-index.ts";
import { isCounted } from "../../db/agent/keyword/keyword-terms.ts";
import { isFiltered } from "../../db/agent/ranking/search-filter.ts";
import { speakersAmong } from "../../db/agent/sessions/speakers.ts";
import { type AgentReads, PLANNED_ONCE, withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { type Generation, readSearchedGeneration, type SourcesThere } from "../../db/agent/space/generations.ts";
import { SQLSTATE, sqlState } from "../../db/pg-error.ts";
import type { SearchMode } from "../../search/ranking/fuse.ts";
import { possibleNames } from "../../search/words/query-names.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { embeddersWithDeadline } from "../embedding/embedder-for.ts";
import { findNamed, type RankedSearch, type RankRequest, rankCandidates, refineHits } from "./rank-hits.ts";
import { type ArmResults, queryVectorOf, searchArms } from "./search-arms.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { SearchInput } from "./search-schemas.ts";

const MAX_CANDIDATES = 200;

/** A search of an agent whose index is known, before its arms are asked. */
export type PlannedSearch = Omit<RankRequest, "mode">;

/** What a search asks for, with the agent's settings where it says nothing. */
export function planSearch(
  agent: KnownAgent,
  generation: Generation,
  { sources, speakers, now }: { sources: readonly number[]; speakers: readonly string[]; now: Date },
  input: SearchInput,
): PlannedSearch {
  const { maxResults: usual, minScore } = agent.settings.query;
  const { after, before, paths, scope } = input;
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

/** How many candidates an arm may give. */
export function candidateLimit(maxResults: number, { hybrid }: MemorySettings["query"]): number {
  return Math.min(MAX_CANDIDATES, maxResults * hybrid.candidateMultiplier);
}

/**
 * Both arms at once, then their candidates in one order, in one transaction; before it the query's vector, after it perhaps a
 * reranker. When texts that occur many times leave too few distinct hits, once more with as many candidates as an arm may give;
 * when facts of other people or times take places among the candidates, once more without them.
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

/** Whether facts that the search may not find were among the candidates: in the places of others. */
function isHidden({ details }: RankedSearch, { filter }: PlannedSearch): boolean {
  return !filter.facts && !filter.believed && [...details.values()].some((row) => !row.holds);
}

/**
 * How a search is set up. The statements of a large index are the same for every search, and planned once. With a filter, or in a
 * small index, which is counted as it is searched, the best plan depends on the values.
 */
function setupOf({ generation, filter }: PlannedSearch): string | undefined {
  const statements = [
    ...(generation.vectorIndex ? [TUNED_VECTOR_SCAN] : []),
    ...(isCounted(generation.statsChunkCount) && !isFiltered(filter) ? [PLANNED_ONCE] : []),
  ];
  return statements.length > 0 ? statements.join("; ") : undefined;
}

/**
 * The sources that a search looks into: those of the settings, and of these only what the search names. What the agent has nothing
 * of is left out, as joining it would cost without finding anything.
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

/** What a search begins with, read in one transaction. */
interface SearchedGeneration {
  /** The one that searches use; undefined before the first write. */
  generation: Generation | undefined;
  available: SourcesThere;
  /** Words of the query that are names of those who speak in sessions. */
  speakers: string[];
}

/** The generation that searches use, what there is to search, and who of the query speaks there. */
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
 * Runs what somebody waits for: it waits for an embedder only so long, and begins again when the index was replaced by a new
 * one between two of its transactions.
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
