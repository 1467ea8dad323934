import type { MemorySettings } from "../agents/settings.ts";
import { SOURCE_NUMBER } from "../db/agent/chunks.ts";
import type { Generation } from "../db/agent/generations.ts";
import type { SearchMode } from "../search/fuse.ts";
import type { Caller, Deps } from "./deps.ts";
import type { KnownAgent } from "./find-agent.ts";
import { type RankedSearch, type RankRequest, rankHits } from "./rank-hits.ts";
import { type ArmResults, searchArms } from "./search-arms.ts";
import type { SearchInput } from "./search-memory.ts";

const MAX_CANDIDATES = 200;

/** A search of an agent whose index is known, before its arms are asked. */
export type PlannedSearch = Omit<RankRequest, "mode">;

/** What a search asks for, with the agent's settings where it says nothing. */
export function planSearch(
  agent: KnownAgent,
  generation: Generation,
  sources: readonly number[],
  input: SearchInput,
): PlannedSearch {
  const { maxResults: usual, minScore } = agent.settings.query;
  const { after, before, paths } = input;
  const maxResults = input.maxResults ?? usual;
  return {
    ...{ agent, generation, sources, maxResults, query: input.query },
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
 * Both arms at once, then their candidates in one order. When texts that occur many times leave too few distinct hits, once
 * more with as many candidates as an arm may give.
 */
export async function runSearch(
  deps: Deps,
  caller: Caller,
  plan: PlannedSearch,
): Promise<{ request: RankRequest; arms: ArmResults; ranked: RankedSearch }> {
  const arms = await searchArms(deps, caller, plan);
  const { enabled } = plan.agent.settings.query.hybrid;
  const mode: SearchMode = arms.queryVector === undefined ? "keyword" : enabled ? "hybrid" : "vector";
  const request = { ...plan, mode };
  const ranked = await rankHits(deps, request, arms);
  const isCut = arms.keyword.length === plan.limit || arms.similar.length === plan.limit;
  if (ranked.crowded && isCut && plan.limit < MAX_CANDIDATES)
    return runSearch(deps, caller, { ...plan, limit: MAX_CANDIDATES });
  return { request, arms, ranked };
}

/** The sources that a search looks into: those of the settings, and of these only what the search names. */
export function sourcesOf(
  corpus: SearchInput["corpus"],
  settings: MemorySettings,
): { sources: number[]; warning?: string } {
  const asked: MemorySettings["sources"] =
    corpus === "all" ? ["memory", "sessions"] : corpus ? [corpus] : [...settings.sources];
  const sources = asked.filter((source) => settings.sources.includes(source)).map((source) => SOURCE_NUMBER[source]);
  const left = asked.find((source) => !settings.sources.includes(source));
  if (left === undefined) return { sources };
  return { sources, warning: `The agent's setting 'sources' leaves out ${left}, which was not searched.` };
}
