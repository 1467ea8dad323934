import type { z } from "zod";
import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import { withAgentReads } from "../../db/agent/space/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/space/generations.ts";
import { SOURCE_NUMBER } from "../../db/agent/space/source-number.ts";
import { inSpan } from "../../observe/trace.ts";
import type { SearchMode } from "../../search/ranking/fuse.ts";
import { type FoundAgent, findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { factHit } from "../facts/fact-schemas.ts";
import { presentFact } from "../facts/present-fact.ts";
import { explainHit, explainSearch } from "./describe-hit.ts";
import { candidateLimit, type PlannedSearch, runSearch, searchWithDeadline } from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { HitExplanation, SearchDebug } from "./search-schemas.ts";

export interface FactSearchInput {
  query: string;
  maxResults?: number | undefined;
  minScore?: number | undefined;
  /** The time for which facts are searched; undefined: now. */
  asOf?: Date | undefined;
  /** The scope: facts of other scopes are left out. Undefined: all scopes. */
  scope?: FactFilter["visibleTo"];
  categories?: FactFilter["categories"];
  tags?: FactFilter["tags"];
  minImportance?: number | undefined;
  explain?: boolean | undefined;
}

export type FactHit = z.output<typeof factHit> & { explain?: HitExplanation };

export interface FactSearchOutput {
  facts: FactHit[];
  mode: SearchMode;
  warning?: string;
  debug?: SearchDebug;
}

/** Up to this many facts are compared one by one; more, if they are a smaller share of the index than this. */
const FEW_FACTS = 5000;
const FEW_SHARE = 0.05;

/**
 * Searches an agent's facts with the engine of `memory_search`: both arms, fusion, floor; then importance and decay. `asOf`
 * finds superseded facts by the time at which they held. It has as many statements as a memory search without named files.
 * Its answers depend on the time, so they are not cached.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function searchFacts(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  input: FactSearchInput,
): Promise<FactSearchOutput> {
  return searchFactsOf(deps, caller, await findAgent(deps, caller, "search", agentId), input);
}

/** The same for an agent that is found and a caller who may search it. */
function searchFactsOf(
  deps: SearchDeps,
  caller: Caller,
  found: FoundAgent,
  input: FactSearchInput,
): Promise<FactSearchOutput> {
  return inSpan("search_facts", {}, () => searchWithDeadline(deps, (bounded) => search(bounded, caller, found, input)));
}

async function search(
  deps: SearchDeps,
  caller: Caller,
  { agent, profile }: FoundAgent,
  input: FactSearchInput,
): Promise<FactSearchOutput> {
  if (!profile.settings.enabled)
    return { facts: [], mode: "keyword", warning: "Memory search is switched off for this agent ('enabled')." };
  const generation = agent && (await withAgentReads(deps.db, agent, (tx) => activeGeneration(tx, agent.schema)));
  if (!agent || !generation) return { facts: [], mode: "keyword" };
  const { request, arms, memories, ranked } = await runSearch(
    deps,
    caller,
    planFactSearch(deps, agent, generation, input),
  );
  const warnings = [...arms.warnings, ranked.warning].filter(Boolean).join(" ");
  deps.activity.note(agent, caller, "search", ranked.shown.length);
  return {
    facts: ranked.shown.flatMap(({ hit, chunk }): FactHit[] => {
      if (!chunk.fact) return [];
      const { score, vectorScore, textScore } = hit;
      return [
        {
          ...presentFact(chunk.fact),
          score,
          ...(vectorScore === undefined ? {} : { vectorScore }),
          ...(textScore === undefined ? {} : { textScore }),
          ...(input.explain ? { explain: explainHit({ hit, chunk }, memories, ranked) } : {}),
        },
      ];
    }),
    mode: request.mode,
    ...(warnings ? { warning: warnings } : {}),
    ...(input.explain ? { debug: explainSearch(request, arms, ranked) } : {}),
  };
}

/** Facts are single statements, so there are no neighbours to join, and a reranker is not worth the wait in every turn. */
function planFactSearch(
  deps: SearchDeps,
  agent: KnownAgent,
  generation: Generation,
  input: FactSearchInput,
): PlannedSearch {
  const { query } = agent.settings;
  const { rerank, hyde } = query;
  const { asOf, scope: visibleTo, categories, tags, minImportance } = input;
  const plain = { ...query, mergeNeighbours: false, rerank: { ...rerank, provider: "none" as const } };
  const settings = { ...agent.settings, query: { ...plain, hyde: { ...hyde, enabled: false } } };
  const maxResults = input.maxResults ?? query.maxResults;
  const visibleFacts = {
    at: asOf ?? deps.clock(),
    isPresent: asOf === undefined,
    visibleTo,
    categories,
    tags,
    minImportance,
  };
  return {
    agent: { ...agent, settings },
    generation,
    maxResults,
    query: input.query,
    visibleFacts,
    sources: asOf ? [SOURCE_NUMBER.facts, SOURCE_NUMBER.pastFacts] : [SOURCE_NUMBER.facts],
    filter: { facts: { ...visibleFacts, few: areFew(agent, generation) } },
    limit: candidateLimit(maxResults, query),
    minScore: input.minScore ?? query.minScore,
  };
}

/**
 * Whether facts are compared one by one, which is exact and independent of the agent's other memory. Of many facts the
 * vector index finds the nearest sooner, unless facts are a small share of it.
 */
function areFew({ facts }: KnownAgent, { vectorIndex, statsChunkCount }: Generation): boolean {
  return !vectorIndex || facts <= FEW_FACTS || facts < FEW_SHARE * (statsChunkCount ?? 0);
}
