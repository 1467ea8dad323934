import { searchesSessions } from "../agents/session-settings.ts";
import type { MemorySettings } from "../agents/settings.ts";
import { AppError } from "../base/errors.ts";
import { withAgentTransaction } from "../db/agent/agent-transaction.ts";
import { SOURCE_NUMBER, type Source } from "../db/agent/chunks.ts";
import { type Generation, searchedGeneration } from "../db/agent/generations.ts";
import { keywordCandidates } from "../db/agent/keyword-search.ts";
import { tuneVectorScan } from "../db/agent/vector-index.ts";
import { vectorCandidates } from "../db/agent/vectors.ts";
import { SQLSTATE, sqlState } from "../db/pg-error.ts";
import { SYNC_JOB } from "../queue/job-contracts.ts";
import { analyzeQuery } from "../search/analyze.ts";
import type { SearchMode } from "../search/fuse.ts";
import type { AgentProfile } from "./agent-profile.ts";
import type { Caller, Deps } from "./deps.ts";
import { embedQuery } from "./embed-query.ts";
import { embedderOf, possibleGeneration } from "./embedder-of.ts";
import { findAgent, type KnownAgent } from "./find-agent.ts";
import { patientEmbedders } from "./patient-embedders.ts";
import { type ArmResults, rankHits } from "./rank-hits.ts";
import { reindexIfDue } from "./reindex-agent.ts";

export interface SearchInput {
  query: string;
  maxResults?: number | undefined;
  minScore?: number | undefined;
  corpus?: "memory" | "sessions" | "all" | undefined;
}

export interface SearchHit {
  path: string;
  startLine: number;
  endLine: number;
  score: number;
  vectorScore?: number;
  textScore?: number;
  snippet: string;
  source: "memory" | "sessions";
  citation?: string;
  /** Of a hit in a session. */
  session?: SessionOfHit;
}

/** Where in a conversation a hit stands, who speaks there and when. */
export interface SessionOfHit {
  key: string;
  /** Numbers of the first and the last message. */
  messages: { from: number; to: number };
  roles: string[];
  from: string;
  to: string;
}

export interface SearchOutput {
  results: SearchHit[];
  provider: string;
  model: string;
  citations: "auto" | "on" | "off";
  mode: SearchMode;
  warning?: string;
}

/** A normal answer, not an exception: the agent that called the tool has to tell its user what to do. */
export interface UnavailableOutput {
  results: [];
  disabled: true;
  unavailable: true;
  error: string;
  warning: string;
  action: string;
}

const MAX_CANDIDATES = 200;

/**
 * The tool `memory_search`: both arms at once, fused. Without a usable embedder, or while the provider is out, the keyword
 * arm answers alone and says so.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function searchMemory(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: SearchInput,
): Promise<SearchOutput | UnavailableOutput> {
  const patient = { ...deps, embedders: patientEmbedders(deps.embedders, deps.queryEmbedTimeoutMs) };
  try {
    return await search(patient, caller, agentId, input).catch((error: unknown) => {
      // The index was replaced by a new one between two of this search's transactions.
      if (sqlState(error) !== SQLSTATE.undefinedTable) throw error;
      return search(patient, caller, agentId, input);
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "database_unavailable") return unavailable(error);
    throw error;
  }
}

async function search(
  deps: Deps,
  caller: Caller,
  agentId: string,
  input: SearchInput,
): Promise<SearchOutput | UnavailableOutput> {
  const { agent, profile } = await findAgent(deps, caller, "search", agentId);
  const { settings } = profile;
  if (!settings.enabled) return switchedOff();
  const { generation, unindexed } = agent
    ? await withAgentTransaction(deps.db, agent, (tx) => searchedGeneration(tx, agent.schema))
    : { generation: undefined, unindexed: false };
  const { hybrid, maxResults: defaultResults, minScore } = settings.query;
  if (!agent || !generation) return emptyOutput(deps, profile);
  const { sources, warning } = sourcesOf(input.corpus, settings);
  if (sources.length === 0) return { ...(await emptyOutput(deps, profile)), ...(warning ? { warning } : {}) };
  const maxResults = input.maxResults ?? defaultResults;
  const plan = {
    agent,
    generation,
    query: input.query,
    sources,
    limit: Math.min(MAX_CANDIDATES, maxResults * hybrid.candidateMultiplier),
  };
  const wanted = { maxResults, minScore: input.minScore ?? minScore };
  const [answer] = await Promise.all([searchArms(deps, caller, plan, wanted), reindexIfDue(deps, agent, generation)]);
  const { vector, mode } = answer;
  // The trigger "search when dirty": for the next search, this one has its answer.
  if (unindexed && settings.sync.onSearch && searchesSessions(settings))
    await deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId }, "unless one waits");
  const warnings = [warning, vector.warning].filter(Boolean).join(" ");
  return {
    results: answer.hits,
    provider: generation.provider,
    model: generation.model,
    citations: settings.citations,
    mode,
    ...(warnings ? { warning: warnings } : {}),
  };
}

/**
 * Both arms at once, then their candidates in one order. When texts that occur many times leave too few distinct hits, once
 * more with as many candidates as an arm may give.
 */
async function searchArms(
  deps: Deps,
  caller: Caller,
  plan: SearchPlan,
  wanted: { maxResults: number; minScore: number },
): Promise<{ hits: SearchHit[]; vector: VectorArmResult; mode: SearchMode }> {
  const [keyword, vector] = await Promise.all([keywordArm(deps, plan), vectorArm(deps, caller, plan)]);
  const { hybrid } = plan.agent.settings.query;
  const mode: SearchMode = vector.queryVector === undefined ? "keyword" : hybrid.enabled ? "hybrid" : "vector";
  const arms: ArmResults = { keyword, similar: vector.similar, queryVector: vector.queryVector };
  const { hits, crowded } = await rankHits(deps, { ...plan, ...wanted, mode }, arms);
  const isCut = keyword.length === plan.limit || vector.similar.length === plan.limit;
  if (crowded && isCut && plan.limit < MAX_CANDIDATES)
    return searchArms(deps, caller, { ...plan, limit: MAX_CANDIDATES }, wanted);
  return { hits, vector, mode };
}

/** A provider that cannot be reached to begin with is like one that stops answering: search is by keyword. */
function unlessUnavailable(error: unknown): undefined {
  if (error instanceof AppError && error.code === "embedder_unavailable") return undefined;
  throw error;
}

interface SearchPlan {
  agent: KnownAgent;
  generation: Generation;
  query: string;
  sources: number[];
  limit: number;
}

function keywordArm(deps: Deps, plan: SearchPlan): Promise<{ chunkId: string; score: number }[]> {
  return withAgentTransaction(deps.db, plan.agent, (tx) =>
    keywordCandidates(tx, {
      schema: plan.agent.schema,
      generationId: plan.generation.id,
      language: plan.generation.language,
      query: analyzeQuery(plan.query),
      limit: plan.limit,
      sources: plan.sources,
    }),
  );
}

interface VectorArmResult {
  similar: { chunkId: string; similarity: number }[];
  /** undefined: there was no vector arm. */
  queryVector: string | undefined;
  warning?: string;
}

async function vectorArm(deps: Deps, caller: Caller, plan: SearchPlan): Promise<VectorArmResult> {
  const none: VectorArmResult = { similar: [], queryVector: undefined };
  if (plan.generation.dimensions === null) return none;
  const embedder = await embedderOf(deps, plan.generation, plan.agent).catch(unlessUnavailable);
  if (!embedder) {
    const made = `${plan.generation.provider}/${plan.generation.model}`;
    return {
      ...none,
      warning: `The index was made with ${made}, which cannot be had with the settings as they are; keyword search only.`,
    };
  }
  let queryVector: string;
  try {
    queryVector = await embedQuery(deps, { caller, agentId: plan.agent.agentId, embedder }, plan.query);
  } catch (error) {
    if (!(error instanceof AppError) || !error.code.startsWith("embedder_")) throw error;
    deps.logger.warn({ code: error.code, provider: embedder.provider }, "query embedding failed; answering by keyword");
    return {
      ...none,
      warning: `The embedding provider ${embedder.provider} does not answer; keyword search only. ${error.message}`,
    };
  }
  const table = { schema: plan.agent.schema, generationId: plan.generation.id, dimensions: embedder.dimensions };
  const similar = await withAgentTransaction(deps.db, plan.agent, async (tx) => {
    if (plan.generation.vectorIndex) await tuneVectorScan(tx);
    return vectorCandidates(tx, table, { vector: queryVector, limit: plan.limit, sources: plan.sources });
  });
  return { similar, queryVector };
}

/** The sources that a search looks into: those of the settings, and of these only what the search names. */
function sourcesOf(corpus: SearchInput["corpus"], settings: MemorySettings): { sources: number[]; warning?: string } {
  const asked: Source[] = corpus === "all" ? ["memory", "sessions"] : corpus ? [corpus] : [...settings.sources];
  const sources = asked.filter((source) => settings.sources.includes(source)).map((source) => SOURCE_NUMBER[source]);
  const left = asked.find((source) => !settings.sources.includes(source));
  if (left === undefined) return { sources };
  return { sources, warning: `The agent's setting 'sources' leaves out ${left}, which was not searched.` };
}

/** The answer of an agent that has no memory yet. */
async function emptyOutput(deps: Deps, profile: AgentProfile): Promise<SearchOutput> {
  const { provider, model, dimensions } = await possibleGeneration(deps, profile);
  const mode = dimensions === null ? "keyword" : "hybrid";
  return { results: [], provider, model, citations: profile.settings.citations, mode };
}

function switchedOff(): UnavailableOutput {
  return {
    results: [],
    disabled: true,
    unavailable: true,
    error: "memory_search_disabled",
    warning: "Memory search is switched off for this agent.",
    action: "Tell the user that memory was not searched; the setting 'enabled' switches it on.",
  };
}

function unavailable(error: AppError): UnavailableOutput {
  return {
    results: [],
    disabled: true,
    unavailable: true,
    error: error.code,
    warning: "Memory search is unavailable right now.",
    action: "Tell the user that memory could not be searched, and try again in a moment.",
  };
}
