import type { z } from "zod";
import type { FactFilter } from "../../db/agent/facts/fact-filter.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { activeGeneration, type Generation } from "../../db/agent/schema/generations.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { inSpan } from "../../observe/trace.ts";
import type { SearchMode } from "../../relevance/ranking/fuse.ts";
import { settingsZone } from "../../settings/settings-zone.ts";
import { type FoundAgent, findMemory } from "../agent/find-agent.ts";
import { noticingFailure } from "../core/activity.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import type { factHit } from "../facts/fact-schemas.ts";
import { presentFact } from "../facts/present-fact.ts";
import { cutRequest, joinSaid } from "./cut-request.ts";
import { explainHit, explainSearch } from "./describe-hit.ts";
import { adviceOnRest, restOfList } from "./list-of-days.ts";
import { candidateLimit, type PlannedSearch, runSearch, searchWithDeadline } from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { HitExplanation, SearchDebug } from "./search-schemas.ts";

export interface FactSearchInput {
  query: string;
  maxResults?: number | undefined;
  minScore?: number | undefined;
  /** The time at which the facts must have held; undefined: now. */
  asOf?: Date | undefined;
  /** The scope of the caller. Facts of other scopes are left out; undefined: all scopes. */
  scope?: FactFilter["visibleTo"];
  categories?: FactFilter["categories"];
  tags?: FactFilter["tags"];
  minImportance?: number | undefined;
  subject?: FactFilter["subject"];
  explain?: boolean | undefined;
  /** The time zone in which the question names days; undefined: the agent's. */
  timezone?: string | undefined;
}

export type FactHit = z.output<typeof factHit> & { explain?: HitExplanation };

export interface FactSearchOutput {
  facts: FactHit[];
  mode: SearchMode;
  warning?: string;
  note?: string;
  debug?: SearchDebug;
}

/**
 * Up to this many facts are compared one by one, and more if they are a smaller share of the index
 * than `FEW_SHARE`.
 */
const FEW_FACTS = 5000;
const FEW_SHARE = 0.05;

/**
 * Searches an agent's facts with the engine of `memory_search`: both arms, fusion and floor, then
 * importance and decay. `asOf` finds superseded facts by the time at which they held. It runs as
 * many statements as a memory search without named files. Its answers depend on the time, so they
 * are not cached.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function searchFacts(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  given: FactSearchInput,
): Promise<FactSearchOutput> {
  const { input, warning, note } = cutRequest(given);
  const found = await searchFactsOf(deps, caller, await findMemory(deps, caller, "search", agentId), input);
  return { ...found, ...joinSaid("warning", [warning, found.warning]), ...joinSaid("note", [note, found.note]) };
}

/** Searches the facts of an agent that has been looked up. The caller's right has been checked. */
function searchFactsOf(
  deps: SearchDeps,
  caller: Caller,
  found: FoundAgent,
  input: FactSearchInput,
): Promise<FactSearchOutput> {
  const begun = performance.now();
  const work = () => searchWithDeadline(deps, (bounded) => search(bounded, caller, { ...found, begun }, input));
  const { agent } = found;
  return inSpan("search_facts", {}, () => noticingFailure(deps, { agent, caller, kind: "search", begun }, work));
}

async function search(
  deps: SearchDeps,
  caller: Caller,
  { agent, profile, begun }: FoundAgent & { begun: number },
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
  deps.activity.note(agent, caller, "search", ranked.shown.length, performance.now() - begun);
  return {
    facts: ranked.shown.flatMap(({ hit, chunk }): FactHit[] => {
      if (!chunk.fact) return [];
      const { score, vectorScore, textScore } = hit;
      return [
        {
          ...presentFact(chunk.fact),
          date: chunk.fact.validFrom.toISOString(),
          score,
          ...(vectorScore === undefined ? {} : { vectorScore }),
          ...(textScore === undefined ? {} : { textScore }),
          ...(input.explain ? { explain: explainHit({ hit, chunk }, memories, ranked) } : {}),
        },
      ];
    }),
    mode: request.mode,
    ...(warnings ? { warning: warnings } : {}),
    ...joinSaid("note", [adviceOnRest(restOfList(ranked, request), request.maxResults)]),
    ...(input.explain ? { debug: explainSearch(request, arms, ranked) } : {}),
  };
}

/**
 * Plans a fact search. Facts are single statements, so they have no neighbours to join, and a
 * reranker would delay every turn for too small a gain.
 */
function planFactSearch(
  deps: SearchDeps,
  agent: KnownAgent,
  generation: Generation,
  input: FactSearchInput,
): PlannedSearch {
  const { query } = agent.settings;
  const { rerank, hyde } = query;
  const { asOf, scope: visibleTo, categories, tags, minImportance, subject } = input;
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
    subject,
  };
  return {
    now: deps.clock(),
    zone: input.timezone ?? settingsZone(agent.settings),
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
 * Returns whether facts are compared one by one, which is exact and does not depend on the agent's
 * other memory. The vector index finds the nearest of many facts sooner, unless facts are a small
 * share of the index.
 */
function areFew({ facts }: KnownAgent, { vectorIndex, statsChunkCount }: Generation): boolean {
  return !vectorIndex || facts <= FEW_FACTS || facts < FEW_SHARE * (statsChunkCount ?? 0);
}
