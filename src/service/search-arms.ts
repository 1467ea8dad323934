import { AppError } from "../base/errors.ts";
import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import type { KeywordHit } from "../db/agent/bm25.ts";
import type { Generation } from "../db/agent/generations.ts";
import { type KeywordAnswer, keywordCandidates } from "../db/agent/keyword-search.ts";
import type { CountedTerms } from "../db/agent/keyword-terms.ts";
import { narrowed, type SearchFilter } from "../db/agent/search-filter.ts";
import { TUNED_VECTOR_SCAN } from "../db/agent/vector-index.ts";
import { vectorCandidates } from "../db/agent/vectors.ts";
import { analyzeQuery } from "../search/analyze.ts";
import type { Caller, Deps } from "./deps.ts";
import { embedQuery } from "./embed-query.ts";
import { embedderOf } from "./embedder-of.ts";
import type { KnownAgent } from "./find-agent.ts";
import { hydeVector } from "./hyde-vector.ts";
import { inPhase } from "./search-phase.ts";

/** What both arms are asked. */
export interface SearchPlan {
  agent: KnownAgent;
  generation: Generation;
  query: string;
  /** Numbers of the sources that are searched. */
  sources: readonly number[];
  filter: SearchFilter;
  /** Candidates an arm may give. */
  limit: number;
}

export interface ArmResults {
  /** Best first. */
  keyword: readonly KeywordHit[];
  /** The query's terms in this index; undefined when none was found. */
  counted: CountedTerms | undefined;
  similar: readonly { chunkId: string; similarity: number }[];
  /** undefined: there was no vector arm. */
  queryVector: string | undefined;
  warnings: readonly string[];
}

/**
 * Both arms at once, or with hybrid search switched off the vector arm. Without a usable embedder, or while the provider is
 * out, the keyword arm alone, with a warning.
 */
export async function searchArms(deps: Deps, caller: Caller, asked: SearchPlan): Promise<ArmResults> {
  const plan = await narrow(deps, asked);
  if (!plan.agent.settings.query.hybrid.enabled) {
    const vector = await vectorArm(deps, caller, plan);
    if (vector.queryVector !== undefined) return { keyword: [], counted: undefined, ...vector };
    const { hits, counted } = await keywordArm(deps, plan);
    return { keyword: hits, counted, ...vector };
  }
  const [{ hits, counted }, vector] = await Promise.all([keywordArm(deps, plan), vectorArm(deps, caller, plan)]);
  return { keyword: hits, counted, ...vector };
}

/** A plan whose filter names what passes it, when that is little. */
async function narrow(deps: Deps, plan: SearchPlan): Promise<SearchPlan> {
  const { agent, generation, filter, sources } = plan;
  if (Object.values(filter).every((value) => value === undefined) || filter.facts) return plan;
  const index = { schema: agent.schema, generationId: generation.id };
  return {
    ...plan,
    filter: await withAgentTransaction(deps.db, agent, (tx) => narrowed(tx, index, filter, sources)),
  };
}

function keywordArm(deps: Deps, plan: SearchPlan): Promise<KeywordAnswer> {
  const { agent, generation, query, limit, sources, filter } = plan;
  const { id: generationId, language } = generation;
  const index = { schema: agent.schema, generationId, language };
  const asked = { query: analyzeQuery(query, language), limit, sources, filter, cache: deps.segmentCache };
  return inPhase(deps, "keyword", async () => {
    const found = await withAgentTransaction(deps.db, agent, (tx) => keywordCandidates(tx, { ...index, ...asked }));
    deps.metrics.searchCandidates.observe({ arm: "keyword" }, found.hits.length);
    return found;
  });
}

async function vectorArm(
  deps: Deps,
  caller: Caller,
  plan: SearchPlan,
): Promise<Omit<ArmResults, "keyword" | "counted">> {
  const { agent, generation, query } = plan;
  const without = (...warnings: string[]) => {
    if (warnings.length > 0) deps.metrics.degradedSearches.inc();
    return { similar: [], queryVector: undefined, warnings };
  };
  if (generation.dimensions === null) return without();
  const embedder = await embedderOf(deps, generation, agent).catch(unlessUnavailable);
  if (!embedder)
    return without(
      `The index was made with ${generation.provider}/${generation.model}, which cannot be had with the settings as they are; keyword search only.`,
    );
  const warnings: string[] = [];
  let queryVector: string;
  try {
    queryVector = await embedQuery(deps, { caller, agentId: agent.agentId, embedder }, query);
    if (agent.settings.query.hyde.enabled) {
      const hyde = await hydeVector(deps, { agent, embedder, query, queryVector });
      queryVector = hyde.vector;
      if (hyde.warning) warnings.push(hyde.warning);
    }
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith("embedder_")) throw error;
    deps.logger.warn({ code: error.code, provider: embedder.provider }, "query embedding failed; answering by keyword");
    return without(
      `The embedding provider ${embedder.provider} does not answer; keyword search only. ${error.message}`,
    );
  }
  const table = { schema: agent.schema, generationId: generation.id, dimensions: embedder.dimensions };
  const { limit, sources, filter } = plan;
  const asked = { vector: queryVector, limit, sources, filter };
  const setup = generation.vectorIndex ? TUNED_VECTOR_SCAN : undefined;
  const similar = await inPhase(deps, "vector", () =>
    withAgentTransaction(deps.db, agent, (tx) => vectorCandidates(tx, table, asked), { setup }),
  );
  deps.metrics.searchCandidates.observe({ arm: "vector" }, similar.length);
  return { similar, queryVector, warnings };
}

/** A provider that cannot be reached to begin with is like one that stops answering: search is by keyword. */
function unlessUnavailable(error: unknown): undefined {
  if (error instanceof AppError && error.code === "embedder_unavailable") return undefined;
  throw error;
}
