import { type CivilDay, dayIn } from "../../base/civil-day.ts";
import type { FactScope } from "../../db/agent/facts/facts.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { inSpan } from "../../observe/trace.ts";
import type { SearchMode } from "../../relevance/ranking/fuse.ts";
import type { Sought } from "../../relevance/snippets/answering-snippet.ts";
import { pagesOf } from "../../relevance/snippets/pages.ts";
import { recallBlock } from "../../relevance/snippets/recall-block.ts";
import { citation } from "../../relevance/snippets/snippet.ts";
import { isSmallTalk } from "../../relevance/words/small-talk.ts";
import { type FoundAgent, findAgent } from "../agent/find-agent.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Fact, RecalledQuote } from "../facts/fact-schemas.ts";
import { presentFact } from "../facts/present-fact.ts";
import { dateOf, showSnippet, sourceName } from "./describe-hit.ts";
import type { ShownHit } from "./rank-candidates.ts";
import { planSearch, runSearch, searchedGeneration, searchWithDeadline, sourcesOf } from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import { soughtIn } from "./sought-in.ts";

interface RecallInput {
  /** The user's message. */
  message: string;
  /**
   * The speaker and the conversation. Facts and conversations of other scopes are never recalled.
   */
  scope?: FactScope | undefined;
  maxFacts?: number | undefined;
  maxQuotes?: number | undefined;
  /**
   * The largest cosine distance of a recalled fact; undefined: the setting applies, by default that
   * a fact must stand out of chance.
   */
  maxDistance?: number | undefined;
  /** The most characters of the block. */
  maxChars?: number | undefined;
  /** The time zone in which the message names days; undefined: the agent's. */
  timezone?: string | undefined;
  /**
   * Whether the message is a question. It is then answered like a search, with facts and
   * conversations of all scopes.
   */
  isAsked?: boolean | undefined;
}

export interface RecallOutput {
  facts: (Fact & { date: string; score: number; distance?: number })[];
  quotes: RecalledQuote[];
  /** Facts and quotations as text for a prompt; empty if there are none. */
  block: string;
  /** How many of the facts the block has room for; `shownQuotes` counts the quotations. */
  shown: number;
  shownQuotes: number;
  mode: SearchMode;
  warning?: string;
}

/**
 * How many times the requested number of hits is searched: facts may rank before quotations, or
 * quotations before facts.
 */
const POOL_FACTOR = 3;
/** The characters at the end of a message that are used. The end is where the question stands. */
const MAX_MESSAGE_CHARS = 8192;
const MAX_QUOTE_CHARS = 600;

/**
 * Recalls facts and passages that are relevant to a user's message, for the prompt of the model's
 * turn: facts that hold now, best first, then passages of conversations and files. It searches the
 * memory like `searchMemory`, but a hit must stand well out of chance: a message that has nothing
 * to do with the memory should recall nothing.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function recallMemory(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  input: RecallInput,
): Promise<RecallOutput> {
  const found = await findAgent(deps, caller, "search", agentId);
  return inSpan("recall", {}, () => searchWithDeadline(deps, (bounded) => recall(bounded, caller, found, input)));
}

const NOTHING: RecallOutput = { facts: [], quotes: [], block: "", shown: 0, shownQuotes: 0, mode: "keyword" };

async function recall(
  deps: SearchDeps,
  caller: Caller,
  { agent, profile }: FoundAgent,
  input: RecallInput,
): Promise<RecallOutput> {
  const { settings } = profile;
  if (!settings.enabled) return { ...NOTHING, warning: "Memory search is switched off for this agent ('enabled')." };
  const { maxFacts, maxQuotes, maxDistance, maxChars } = { ...settings.facts.recall, ...given(input) };
  const query = input.message.slice(-MAX_MESSAGE_CHARS).toWellFormed();
  if (!agent || (!input.isAsked && isSmallTalk(query))) return NOTHING;
  const scope = input.scope ?? (input.isAsked ? undefined : {});
  const { generation, available, speakers } = await searchedGeneration(deps, agent, { query, scope });
  const sources = recalledSources(maxQuotes, available.hasFacts, sourcesOf("all", settings, available).sources);
  if (!generation || sources.length === 0) return NOTHING;
  const { timezone } = input;
  const search = { query, scope, timezone, maxResults: (maxFacts + maxQuotes) * POOL_FACTOR };
  // A reranker would delay every turn for too small a gain.
  const unranked = { ...agent.settings.query, rerank: { ...agent.settings.query.rerank, provider: "none" as const } };
  // Facts come first, so a fact must not be dropped because a passage has the same content.
  const plain = { ...unranked, namedFiles: false, deduplicate: false };
  const asked = { ...agent, settings: { ...agent.settings, query: plain } };
  const plan = planSearch(asked, generation, { sources, speakers, now: deps.clock() }, search);
  const { request, arms, memories, ranked } = await runSearch(deps, caller, {
    ...plan,
    isFiltered: false,
    ...(input.isAsked ? { minScore: "auto" as const } : { minScore: "recall" as const, isMessage: true }),
  });
  const near = ranked.shown.filter(({ hit, chunk }) => !chunk.fact || isNear(hit.vectorScore, maxDistance));
  const sought = soughtIn(query, memories);
  const facts = near.flatMap((shown) => recalledFact(shown)).slice(0, maxFacts);
  const quotes = near.flatMap((shown) => (shown.chunk.fact ? [] : [quoteOf(sought, shown)])).slice(0, maxQuotes);
  deps.activity.note(agent, caller, "recall", facts.length + quotes.length);
  const { zone } = request;
  const texts = facts.map(({ text, category, date }) => ({ text, category, since: dayOf(date, zone) }));
  const quoted = quotes.map(({ text, citation: place, date }) => ({ text, citation: place, day: dayOf(date, zone) }));
  return {
    facts,
    quotes,
    ...recallBlock(texts, quoted, maxChars),
    mode: request.mode,
    ...(arms.warnings.length === 0 ? {} : { warning: arms.warnings.join(" ") }),
  };
}

/** Returns the day of a date, which is a day or a time. */
function dayOf(date: string, zone: string): CivilDay {
  return date.includes("T") ? dayIn(zone, new Date(date)) : date;
}

/** Returns the values that the caller gave, without undefined ones. */
function given({ maxFacts, maxQuotes, maxDistance, maxChars }: RecallInput) {
  const values = Object.entries({ maxFacts, maxQuotes, maxDistance, maxChars });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, number>;
}

/**
 * Returns the sources to recall from. Facts are recalled whatever `sources` says, because they are
 * stored for recall. If no passage may be returned, only facts are searched, so that passages take
 * no places from them.
 */
function recalledSources(maxQuotes: number, hasFacts: boolean, searched: readonly number[]): number[] {
  const others = maxQuotes === 0 ? [] : searched.filter((source) => source !== SOURCE_NUMBER.facts);
  return hasFacts ? [...others, SOURCE_NUMBER.facts] : others;
}

function isNear(similarity: number | undefined, maxDistance: number | "auto"): boolean {
  return maxDistance === "auto" || (similarity !== undefined && 1 - similarity <= maxDistance);
}

function recalledFact({ hit, chunk }: ShownHit): RecallOutput["facts"] {
  if (!chunk.fact) return [];
  const { score, vectorScore } = hit;
  const date = chunk.fact.validFrom.toISOString();
  return [
    { ...presentFact(chunk.fact), date, score, ...(vectorScore === undefined ? {} : { distance: 1 - vectorScore }) },
  ];
}

function quoteOf(sought: Sought, { hit, chunk }: ShownHit): RecalledQuote {
  const { path, startLine, endLine, score } = hit;
  return {
    path,
    startLine,
    endLine,
    score,
    source: sourceName(chunk.source),
    text: showSnippet(sought, hit, chunk, MAX_QUOTE_CHARS),
    citation: citation(path, startLine, endLine, pagesOf(chunk.pages, startLine, endLine)),
    date: dateOf(chunk),
    ...(chunk.session ? { at: chunk.session.to.toISOString() } : {}),
  };
}
