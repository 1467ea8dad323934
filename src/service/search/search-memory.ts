import { searchesSessions } from "../../agents/session-settings.ts";
import { inSpan } from "../../observe/trace.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { questionWords } from "../../search/words/question-words.ts";
import { findAgent } from "../agent/find-agent.ts";
import { reindexIfDue } from "../agent/request-reindex.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import type { Caller } from "../core/core-deps.ts";
import { targetOrKeywordGeneration } from "../embedding/embedder-for.ts";
import { describeHit } from "./describe-hit.ts";
import { explainHit, explainSearch } from "./explain-search.ts";
import { memoryUnavailable } from "./memory-unavailable.ts";
import { type PlannedSearch, planSearch, runSearch, sourcesOf } from "./run-search.ts";
import { answerKey } from "./search-answers.ts";
import type { SearchDeps } from "./search-deps.ts";
import type { SearchInput, SearchOutput, UnavailableOutput } from "./search-types.ts";
import { searchWithDeadline } from "./search-with-deadline.ts";
import { searchedGeneration } from "./searched-generation.ts";
import { syncOnSearch } from "./sync-on-search.ts";

/**
 * The tool `memory_search`: both arms at once, fused. Without a usable embedder, or while the provider is out, the keyword
 * arm answers alone and says so.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function searchMemory(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  input: SearchInput,
): Promise<SearchOutput | UnavailableOutput> {
  const begun = performance.now();
  const found = await inSpan("memory_search", {}, () =>
    searchWithDeadline(deps, (bounded) => search(bounded, caller, agentId, input)).catch((error: unknown) => ({
      results: [] as [],
      ...memoryUnavailable(error),
    })),
  );
  const mode = "mode" in found ? found.mode : "unavailable";
  deps.metrics.searches.observe({ mode }, (performance.now() - begun) / 1000);
  return "mode" in found && found.results.length === 0 ? { ...found, note: nothingFound(input) } : found;
}

/** What may have left out the answer to a question. */
const NARROWING = ["corpus", "after", "before", "paths", "scope", "minScore"] as const;

/** One sentence for a model, which would else conclude that there is nothing. */
function nothingFound(input: SearchInput): string {
  const narrowed = NARROWING.filter((name) => input[name] !== undefined && input[name] !== "all");
  const more =
    narrowed.length > 0 ? `search without ${narrowed.join(", ")}` : "minScore 0 for what is a less likely answer";
  return `Nothing was found; try other words or a name, or ${more}.`;
}

async function search(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  input: SearchInput,
): Promise<SearchOutput | UnavailableOutput> {
  const { agent, profile } = await findAgent(deps, caller, "search", agentId);
  const { settings } = profile;
  if (!settings.enabled) return switchedOff();
  if (!agent) return emptyOutput(deps, profile);
  const { generation, available, speakers } = await searchedGeneration(deps, agent, input.query);
  if (!generation) return emptyOutput(deps, profile);
  const { sources, warning } = sourcesOf(input.corpus, settings, available);
  if (sources.length === 0) return { ...(await emptyOutput(deps, profile)), ...(warning ? { warning } : {}) };
  const key = answerKey(agent, generation, input);
  const known = key === undefined ? undefined : deps.searchAnswers.get(key);
  if (key !== undefined) deps.metrics.cacheLookups.inc({ cache: "answers", result: known ? "hit" : "miss" });
  const plan = planSearch(agent, generation, { sources, speakers, now: deps.clock() }, input);
  const answering = known ? { found: known, isTimed: false } : answer(deps, caller, plan, input);
  const [{ found, isTimed }] = await Promise.all([
    answering,
    reindexIfDue(deps, agent, generation),
    syncOnSearch(deps, agent),
  ]);
  // A warning is about this moment.
  if (key !== undefined && !isTimed && found.warning === undefined) deps.searchAnswers.set(key, found);
  // The trigger "search when dirty": for the next search, this one has its answer.
  if (available.unindexed && settings.sync.onSearch && searchesSessions(settings))
    await deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId }, "unless one waits");
  const warnings = [warning, found.warning].filter(Boolean).join(" ");
  return warnings ? { ...found, warning: warnings } : found;
}

async function answer(
  deps: SearchDeps,
  caller: Caller,
  plan: PlannedSearch,
  { includeText = false, explain = false }: SearchInput,
): Promise<{ found: SearchOutput; isTimed: boolean }> {
  const { request, arms, ranked } = await runSearch(deps, caller, plan);
  const warnings = [...arms.warnings, ranked.warning].filter(Boolean).join(" ");
  const { provider, model } = plan.generation;
  const words = questionWords(request.query);
  const found = {
    results: ranked.shown.map((shown) => ({
      ...describeHit(request, shown, { words, includeText }),
      ...(explain ? { explain: explainHit(shown, arms, ranked) } : {}),
    })),
    ...{ provider, model, citations: plan.agent.settings.citations, mode: request.mode },
    ...(warnings ? { warning: warnings } : {}),
    ...(explain ? { debug: explainSearch(request, arms, ranked) } : {}),
  };
  return { found, isTimed: ranked.isTimed };
}

/** The answer of an agent that has no memory yet. */
async function emptyOutput(deps: SearchDeps, profile: AgentProfile): Promise<SearchOutput> {
  const { provider, model, dimensions } = await targetOrKeywordGeneration(deps, profile);
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
