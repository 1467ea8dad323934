import { LRUCache } from "lru-cache";
import { dayIn } from "../../base/civil-day.ts";
import { unlessReadOnly } from "../../base/errors.ts";
import { sha256 } from "../../base/ids.ts";
import type { Generation } from "../../db/agent/schema/generations.ts";
import { sqlState } from "../../db/pg-error.ts";
import { inSpan } from "../../observe/trace.ts";
import { SYNC_JOB } from "../../queue/job-contracts.ts";
import { isCertain, shownChars } from "../../relevance/ranking/certainty.ts";
import { MAX_SNIPPET_CHARS } from "../../relevance/snippets/snippet.ts";
import { ambiguousDate } from "../../relevance/words/read-numeric-dates.ts";
import { showsCitations } from "../../settings/citations.ts";
import { foldersOf } from "../../settings/extra-paths.ts";
import { searchesSessions } from "../../settings/retention.ts";
import { type FoundAgent, findMemory } from "../agent/find-agent.ts";
import { reindexIfDue } from "../agent/request-index-jobs.ts";
import { noticingFailure } from "../core/activity.ts";
import type { AgentProfile } from "../core/agent-profile.ts";
import { CACHE_TTL_MS } from "../core/cache-expiry.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { targetOrKeywordGeneration } from "../embedding/embedder-for.ts";
import { standsInFor } from "../embedding/fallback.ts";
import { cutRequest, joinSaid } from "./cut-request.ts";
import { describeHit, explainHit, explainSearch, mayAnswer } from "./describe-hit.ts";
import { adviceOnRest, restOfList } from "./list-of-days.ts";
import { isOfPeriodAsked, otherDays } from "./other-days.ts";
import {
  type PlannedSearch,
  planSearch,
  runSearch,
  searchedGeneration,
  searchWithDeadline,
  sourcesOf,
} from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import { type HookedSearchDeps, planOtherSearches } from "./search-hooks.ts";
import type { SearchInput, SearchOutput, UnavailableOutput } from "./search-schemas.ts";
import { mergePast, searchVersions } from "./search-versions.ts";
import { patternsOf } from "./shown-path.ts";
import { soughtIn } from "./sought-in.ts";
import { memoryUnavailable } from "./unavailable.ts";
import { asksOfUnknown } from "./unknown-name.ts";

/**
 * Answers the tool `memory_search`. Both arms run concurrently and are fused. Without a usable
 * embedder, or while the provider is down, the keyword arm answers alone with a warning.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function searchMemory(
  deps: HookedSearchDeps,
  caller: Caller,
  agentId: string,
  given: SearchInput,
): Promise<SearchOutput | UnavailableOutput> {
  const { input, warning, note } = cutRequest(given);
  const begun = performance.now();
  const found = await inSpan("memory_search", {}, () =>
    searchWithDeadline(deps, (bounded) => search(bounded, caller, agentId, input)).catch((error: unknown) => ({
      results: [] as [],
      ...memoryUnavailable(error),
    })),
  );
  const mode = "mode" in found ? found.mode : "unavailable";
  deps.metrics.searches.observe({ mode }, (performance.now() - begun) / 1000);
  if (!("mode" in found)) return found;
  const isMissing = found.note === NO_AGENT;
  const advice = found.results.length === 0 ? (isMissing ? undefined : nothingFound(input)) : doubtAbout(found, input);
  return {
    ...found,
    ...joinSaid("warning", [warning, found.warning]),
    ...joinSaid("note", [note, unreadDate(input.query), advice, found.note]),
  };
}

/** Returns a sentence about a date of the question that means different days in different countries. */
function unreadDate(query: string): string | undefined {
  const date = ambiguousDate(query);
  return (
    date &&
    `${date} was not read as a day, because countries disagree which number is the month; write it as 2026-11-23.`
  );
}

/**
 * Returns advice for a model, which could otherwise take the nearest passages for an answer;
 * undefined if a hit is certain.
 */
function doubtAbout({ certain }: SearchOutput, { minScore }: SearchInput): string | undefined {
  if (certain !== false) return undefined;
  const said = "Nothing certain was found; these are only the nearest passages";
  const tip = "Try other words or a name";
  return minScore === undefined
    ? `${said}, cut short after the third. ${tip}; minScore 0 shows longer passages.`
    : `${said}. ${tip}.`;
}

/** The note about a missing agent. Without this note, a mistyped name looks like a memory without the answer. */
const NO_AGENT = "This agent does not exist yet, so its memory is empty; its first write creates it.";

/**
 * The parameters that may have excluded the answer. A scope is not among them: without it a model would
 * read the conversations and facts of other users.
 */
const NARROWING = ["corpus", "after", "before", "paths", "minScore"] as const;

/**
 * Returns advice for a model, which could otherwise take an empty answer for proof that nothing is
 * remembered.
 */
function nothingFound(input: SearchInput): string {
  const { after, before } = input;
  if (after !== undefined && before !== undefined && after >= before)
    return `Nothing can be found: no day is from ${after} on and before ${before}. Exchange after and before, or leave one out.`;
  const narrowed = NARROWING.filter((name) => input[name] !== undefined && input[name] !== "all");
  const more = narrowed.length > 0 ? `search without ${narrowed.join(", ")}` : "minScore 0 for less likely answers";
  return `Nothing was found; try other words or a name, or ${more}.`;
}

async function search(
  deps: HookedSearchDeps,
  caller: Caller,
  agentId: string,
  { paths, ...rest }: SearchInput,
): Promise<SearchOutput | UnavailableOutput> {
  const begun = performance.now();
  const { agent, profile } = await findMemory(deps, caller, "search", agentId);
  const { settings } = profile;
  const input = { ...rest, paths: paths && patternsOf(paths, foldersOf(settings)) };
  if (!settings.enabled) return switchedOff();
  if (!agent) return { ...(await emptyOutput(deps, profile)), note: NO_AGENT };
  return noticingFailure(deps, { agent, caller, kind: "search", begun }, () =>
    searchFound(deps, caller, { agent, profile, begun }, input),
  );
}

async function searchFound(
  deps: HookedSearchDeps,
  caller: Caller,
  { agent, profile, begun }: { agent: KnownAgent; profile: FoundAgent["profile"]; begun: number },
  input: SearchInput,
): Promise<SearchOutput> {
  const { settings } = profile;
  const { agentId } = agent;
  const now = deps.clock();
  const [{ generation, available, speakers }, shared] = await Promise.all([
    searchedGeneration(deps, agent, input),
    planOtherSearches(deps, agent, input, now),
  ]);
  if (!generation) return emptyOutput(deps, profile);
  const { sources, warning } = sourcesOf(input.corpus, settings, available);
  const own = sources.length > 0 ? [planSearch(agent, generation, { sources, speakers, now }, input)] : [];
  const [plan, ...others] = [...own, ...shared.plans];
  const said = joinSaid("warning", [warning, ...shared.warnings]);
  if (!plan) return { ...(await emptyOutput(deps, profile)), ...said };
  const key = answerKey(plan, input, shared.plans);
  const known = key === undefined ? undefined : deps.searchAnswers.get(key);
  if (key !== undefined) deps.metrics.cacheLookups.inc({ cache: "answers", result: known ? "hit" : "miss" });
  const asking = { agent, generation, input };
  const answering = known ? { found: known, isTimed: false } : answer(deps, caller, asking, [plan, others]);
  const [{ found, isTimed }] = await Promise.all([
    answering,
    unlessReadOnly(reindexIfDue(deps, agent, generation)),
    syncOnSearch(deps, agent),
  ]);
  // An answer with a warning is not cached: its cause may be gone in a moment.
  if (key !== undefined && !isTimed && found.warning === undefined) deps.searchAnswers.set(key, found);
  // This is the trigger "search when dirty". The sync serves the next search; this search already
  // has its answer.
  if (available.unindexed && settings.sync.onSearch && searchesSessions(settings))
    await unlessReadOnly(deps.queue.send(deps.db, SYNC_JOB, { tenantId: agent.tenantId, agentId }, "unless one waits"));
  const tookMs = performance.now() - begun;
  deps.activity.note(agent, caller, "search", found.results.length, tookMs);
  for (const one of shared.plans) {
    const hits = found.results.filter((hit) => hit.sharedBy === one.agent.agentId).length;
    deps.activity.note(one.agent, caller, "search", hits, tookMs);
  }
  return { ...found, ...joinSaid("warning", [warning, ...shared.warnings, found.warning]) };
}

/** The search of one agent. */
interface Asking {
  agent: KnownAgent;
  generation: Generation;
  input: SearchInput;
}

async function answer(
  deps: SearchDeps,
  caller: Caller,
  { agent, generation, input: { includeText = false, explain = false, sessionKey, asOf, scope } }: Asking,
  [plan, others]: [PlannedSearch, readonly PlannedSearch[]],
): Promise<{ found: SearchOutput; isTimed: boolean }> {
  const { request, memories, arms, ranked: all } = await runSearch(deps, caller, plan, others);
  const said = memories.flatMap(({ arms: { warnings } }) => warnings);
  const { provider, model } = generation;
  const fallback = standsInFor(generation, agent);
  const sought = soughtIn(request.query, memories);
  const ranked = { ...all, shown: all.shown.filter((shown) => mayAnswer({ sought, asked: request }, shown)) };
  const { citations } = agent.settings;
  const cites = showsCitations(citations, sessionKey);
  const past = asOf && (await searchVersions(deps, plan, asOf, { sought, includeText, cites }));
  const isList = ranked.ranking.isList ?? false;
  const isFound = isList || isOfPeriodAsked(ranked, request) || (past?.hits ?? []).length > 0;
  const isKnown = !asksOfUnknown(request.query, memories, ranked.shown);
  const lacksDays = otherDays(request, memories, { sought, shown: ranked.shown });
  const isAnswer = isKnown && lacksDays === undefined && isCertain(ranked.shown.map(({ hit }) => hit));
  const certain = isFound || isAnswer;
  // A caller that names a floor asks for the hits above it.
  const isWanted = certain || typeof plan.minScore === "number";
  const results = ranked.shown.map((shown, place) => ({
    ...describeHit(shown, {
      agentId: agent.agentId,
      sought,
      asked: request,
      includeText,
      cites,
      showsUser: scope === undefined,
      snippetChars: shownChars(place, MAX_SNIPPET_CHARS, isWanted),
    }),
    ...(explain ? { explain: explainHit(shown, memories, ranked) } : {}),
  }));
  const found = {
    results: past ? mergePast(results, past.hits, plan.maxResults) : results,
    ...(results.length > 0 && !certain ? { certain: false as const } : {}),
    ...joinSaid("note", [past?.note, lacksDays, adviceOnRest(restOfList(ranked, request), plan.maxResults)]),
    provider,
    model,
    ...(fallback ? { fallback } : {}),
    citations,
    mode: request.mode,
    ...joinSaid("warning", [...new Set([...said, ranked.warning])]),
    ...(explain ? { debug: explainSearch(request, arms, ranked) } : {}),
  };
  return { found, isTimed: ranked.isTimed };
}

/** Returns the answer of a search without any source: the agent has no memory yet, for example. */
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

/** The shortest time between two syncs of an agent's folders that searches trigger. */
const SEARCH_SYNC_EVERY_MS = 60_000;

/**
 * Enqueues a sync of an agent's folders when the agent is searched. Only a sync can tell whether
 * the folders changed, so each process enqueues at most one a minute. The search neither waits for
 * the sync nor fails with it.
 */
async function syncOnSearch(deps: SearchDeps, agent: KnownAgent): Promise<void> {
  if (!agent.settings.sync.onSearch || agent.settings.extraPaths.length === 0) return;
  const now = deps.clock().getTime();
  if (now - (deps.searchSyncs.get(agent.schema) ?? 0) < SEARCH_SYNC_EVERY_MS) return;
  deps.searchSyncs.set(agent.schema, now);
  const payload = { tenantId: agent.tenantId, agentId: agent.agentId };
  await deps.queue.send(deps.db, SYNC_JOB, payload, "unless one waits").catch((error: unknown) => {
    deps.logger.warn({ agentId: agent.agentId, code: sqlState(error) }, "a sync could not be requested");
  });
}

/**
 * The most characters of all cached answers. They take about as many bytes, or twice as many if a
 * text is not Latin.
 */
const MAX_CHARS = 16_000_000;
const HIT_CHARS = 500;

/**
 * Creates the cache of answers. Entries expire, so that an erased agent's texts disappear from
 * every process.
 */
export function createSearchAnswers(): LRUCache<string, SearchOutput> {
  return new LRUCache({
    maxSize: MAX_CHARS,
    ttl: CACHE_TTL_MS,
    // The fields besides snippet and text are at most about three times as long as the path.
    sizeCalculation: ({ results }) =>
      results.reduce(
        (size, hit) => size + HIT_CHARS + hit.snippet.length + (hit.text?.length ?? 0) + 3 * hit.path.length,
        1,
      ),
  });
}

/**
 * Returns the cache key of an answer: a hash of the state of the agent's index, its settings and
 * the question. The state is a counter that every change raises in its own transaction. It is read
 * before the search, so a cached answer is never older than the counter. The key is a hash because
 * the cache is limited by the size of answers, and a question may be longer than its answer.
 *
 * @param shared the searches of memories that other agents share with this one; the state of each
 *   is part of the key
 * @returns undefined if the answer depends on more: on the time, or on how hits were found; also if
 *   one of the agents has its cache off
 */
function answerKey(
  { agent, generation, now, zone }: PlannedSearch,
  input: SearchInput,
  shared: readonly PlannedSearch[],
): string | undefined {
  const { schema, settings } = agent;
  const isOff = [agent, ...shared.map((one) => one.agent)].some((one) => !one.settings.cache.enabled);
  if (isOff || input.explain || settings.query.hybrid.temporalDecay.enabled) return undefined;
  // The answer depends on the conversation only in whether it gets citations.
  const { sessionKey, ...asked } = input;
  const cites = showsCitations(settings.citations, sessionKey);
  const others = shared.map((one) => [
    ...[one.agent.schema, one.generation.id, one.generation.changes, one.agent.settings, one.filter.folders],
  ]);
  // "Yesterday" is another day tomorrow.
  const day = [zone, dayIn(zone, now)];
  return sha256(JSON.stringify([schema, generation.id, generation.changes, settings, asked, cites, others, day]));
}
