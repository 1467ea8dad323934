import { type CivilDay, dayIn } from "../../base/civil-day.ts";
import type { FactScope } from "../../db/agent/facts/facts.ts";
import { standingFacts } from "../../db/agent/facts/standing-facts.ts";
import { foldedSubject } from "../../db/agent/facts/subject.ts";
import { withAgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { namesSubject } from "../../ingest/fact-text.ts";
import { inSpan } from "../../observe/trace.ts";
import { isCertain, isLikely, shownChars } from "../../relevance/ranking/certainty.ts";
import type { SearchMode } from "../../relevance/ranking/fuse.ts";
import { asksAboutPast } from "../../relevance/ranking/newest-first.ts";
import type { Sought } from "../../relevance/snippets/answering-snippet.ts";
import { pagesOf } from "../../relevance/snippets/pages.ts";
import { recallBlock, wishesBlock } from "../../relevance/snippets/recall-block.ts";
import { citation } from "../../relevance/snippets/snippet.ts";
import { asksOfOwn } from "../../relevance/words/own-question.ts";
import { isSmallTalk } from "../../relevance/words/small-talk.ts";
import { sessionPath } from "../../settings/memory-path.ts";
import { type FoundAgent, findMemory } from "../agent/find-agent.ts";
import { noticingFailure } from "../core/activity.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Fact, RecalledQuote } from "../facts/fact-schemas.ts";
import { presentFact } from "../facts/present-fact.ts";
import { dateOf, sourceName } from "./describe-hit.ts";
import { type AskedDays, excerptOf } from "./hit-excerpt.ts";
import { firstHits, restOfList } from "./list-of-days.ts";
import { isOfPeriodAsked, noTextOf, otherDays } from "./other-days.ts";
import type { ShownHit } from "./rank-candidates.ts";
import {
  type PlannedSearch,
  planSearch,
  runSearch,
  searchedGeneration,
  searchWithDeadline,
  sourcesOf,
} from "./run-search.ts";
import type { SearchDeps } from "./search-deps.ts";
import { soughtIn } from "./sought-in.ts";
import { asksOfUnknown } from "./unknown-name.ts";

interface RecallInput {
  /** The user's message. */
  message: string;
  /**
   * The speaker and the conversation. Facts and conversations of other scopes are never recalled.
   */
  scope?: FactScope | undefined;
  /** Only facts about this person or thing are recalled. */
  subject?: string | undefined;
  maxInstructions?: number | undefined;
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
  /** The key of a session that is not quoted, because the model has its messages already. */
  besides?: string | undefined;
  /**
   * Whether the message is a question. It is then answered like a search, with facts and
   * conversations of all scopes.
   */
  isAsked?: boolean | undefined;
}

export interface RecallOutput {
  /**
   * The instructions and preferences that hold whatever the message says, most important first,
   * without those among the facts.
   */
  instructions: Fact[];
  facts: (Fact & { date: string; score: number; distance?: number })[];
  quotes: RecalledQuote[];
  /** Facts and quotations as text for a prompt; empty if there are none. */
  block: string;
  /** The instructions as text for a prompt; empty if there are none. */
  instructionsBlock: string;
  /** How many of the facts, of the quotations and of the instructions the block has room for. */
  shown: number;
  shownQuotes: number;
  shownInstructions: number;
  mode: SearchMode;
  /**
   * Set if nothing certain was found, as the block says: no hit is more likely an answer than not, none stands
   * out for a question, or no text is of the days that the message names. An asked question has no such answer if
   * no hit is certain (`isCertain`), or no text is of its days.
   */
  certain?: false;
  /** Says that no text is of the days that the message asks for; the block says it too. */
  note?: string;
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
/** The tag of the facts that capture stores. */
const CAPTURED = "capture";
/** The most characters of a replaced fact that are shown. */
const MAX_BEFORE_CHARS = 200;

/**
 * Recalls what bears on a user's message, for the prompt of the model's turn: the instructions and
 * preferences that hold, whatever the message says, then facts that hold now, best first, then
 * passages of conversations and files. Small talk recalls only instructions. It searches the memory like
 * `searchMemory`, but a hit must stand well out of chance: a message that has nothing to do with the memory
 * should recall nothing. For a question about the asker's own life, which is meant for the memory, the nearest
 * texts are shown if no hit stands out, and the block says that nothing is certain.
 *
 * @throws AppError `forbidden`, `invalid_agent_id`, `agent_not_found`, `agent_disabled`
 */
export async function recallMemory(
  deps: SearchDeps,
  caller: Caller,
  agentId: string,
  input: RecallInput,
): Promise<RecallOutput> {
  const begun = performance.now();
  const found = await findMemory(deps, caller, "search", agentId);
  const { agent } = found;
  const work = () => searchWithDeadline(deps, (bounded) => recall(bounded, caller, { ...found, begun }, input));
  return inSpan("recall", {}, () => noticingFailure(deps, { agent, caller, kind: "recall", begun }, work));
}

const NOTHING: RecallOutput = {
  instructions: [],
  facts: [],
  quotes: [],
  block: "",
  instructionsBlock: "",
  shown: 0,
  shownQuotes: 0,
  shownInstructions: 0,
  mode: "keyword",
};

async function recall(
  deps: SearchDeps,
  caller: Caller,
  { agent, profile, begun }: FoundAgent & { begun: number },
  input: RecallInput,
): Promise<RecallOutput> {
  const { settings } = profile;
  if (!settings.enabled) return { ...NOTHING, warning: "Memory search is switched off for this agent ('enabled')." };
  const most = { ...settings.facts.recall, ...given(input) };
  const { maxFacts, maxQuotes, maxDistance } = most;
  const query = input.message.slice(-MAX_MESSAGE_CHARS).toWellFormed();
  if (!agent) return NOTHING;
  const scope = input.scope ?? (input.isAsked ? undefined : {});
  const { generation, available, speakers } = await searchedGeneration(deps, agent, { query, scope });
  const sources = recalledSources(maxQuotes, available.hasFacts, sourcesOf("all", settings, available).sources);
  if (!generation || sources.length === 0) return NOTHING;
  const { timezone, isAsked = false } = input;
  const search = { query, scope, timezone, maxResults: (maxFacts + maxQuotes) * POOL_FACTOR };
  // A reranker would delay every turn for too small a gain.
  const unranked = { ...agent.settings.query, rerank: { ...agent.settings.query.rerank, provider: "none" as const } };
  const plain = { ...unranked, namedFiles: false };
  const asked = { ...agent, settings: { ...agent.settings, query: plain } };
  const plan = planSearch(asked, generation, { sources, speakers, now: deps.clock() }, search);
  const visibleFacts = { ...plan.visibleFacts, subject: input.subject };
  // Facts come first, so a fact must not be dropped because a passage has the same content.
  const about = { ...plan, isFiltered: false, visibleFacts, keepsFacts: true };
  const isQuestion = isAsked || asksOfOwn(query);
  // A question wants an answer only.
  const instructionsWanted = available.hasFacts && !isAsked ? most.maxInstructions : 0;
  const [found, standing] = await Promise.all([
    !isAsked && isSmallTalk(query) ? undefined : runSearch(deps, caller, { ...about, ...floorOf(isAsked, isQuestion) }),
    instructionsWanted === 0
      ? []
      : withAgentReads(deps.db, agent, (tx) => standingFacts(tx, tx.schema, visibleFacts, instructionsWanted)),
  ]);
  const known = input.besides === undefined ? undefined : sessionPath(input.besides);
  const near = (found?.ranked.shown ?? []).filter(
    (shown) => shown.hit.path !== known && !isRepeated(query, shown) && isNearFact(shown, maxDistance),
  );
  const wanted = found && { sought: soughtIn(query, found.memories), asked: found.request };
  const { facts, quotes, rest, isOfDays, others } = chosen(found, wanted?.sought, near, most);
  const isUnknown = found !== undefined && asksOfUnknown(query, found.memories, near);
  const { isSure, isPromised } = certaintyOf({ isQuestion, isOfDays, isUnknown, others }, near, [...facts, ...quotes]);
  deps.activity.note(agent, caller, "recall", facts.length + quotes.length, performance.now() - begun);
  const room = {
    scope,
    zone: plan.zone,
    maxChars: most.maxChars,
    rest,
    isCertain: isPromised,
    asksPast: asksAboutPast(query),
  };
  return {
    ...presentRecall({ standing, facts, quotes, quoted: quotesOf(wanted, quotes, isSure) }, room),
    mode: found?.request.mode ?? "keyword",
    ...doubtsAbout(isAsked ? isSure : isPromised, others, found?.arms.warnings ?? []),
  };
}

/** Returns what an answer says against itself; nothing if it is certain. */
function doubtsAbout(
  isCertainAnswer: boolean,
  note: string | undefined,
  warnings: readonly string[],
): Pick<RecallOutput, "certain" | "note" | "warning"> {
  return {
    ...(isCertainAnswer ? {} : { certain: false as const }),
    ...(note === undefined ? {} : { note }),
    ...(warnings.length > 0 ? { warning: warnings.join(" ") } : {}),
  };
}

/** How a block is written. */
interface Room {
  scope: FactScope | undefined;
  zone: string;
  maxChars: number;
  rest: string | undefined;
  isCertain: boolean;
  /** Whether the message asks how something was before, so that facts name the facts that they replaced. */
  asksPast: boolean;
}

/** Returns the parts of an answer that show what was recalled. */
function presentRecall(
  {
    standing,
    facts,
    quotes,
    quoted,
  }: {
    standing: Awaited<ReturnType<typeof standingFacts>>;
    facts: readonly ShownHit[];
    quotes: readonly ShownHit[];
    quoted: RecalledQuote[];
  },
  room: Room,
): Omit<RecallOutput, "mode"> {
  const said = {
    instructions: standing.filter(({ id }) => !facts.some(({ chunk }) => chunk.fact?.id === id)).map(presentFact),
    facts: facts.flatMap(recalledFact),
    quotes: quoted,
  };
  return {
    ...said,
    ...recallBlock(...blockTexts(said, { facts, quotes }, room)),
    ...wishesBlock(
      said.instructions.map((fact) => blockText(fact, room.scope, room.zone)),
      room.maxChars,
    ),
  };
}

/** Returns the floor of a recall's search. A question that is not asked for may be meant for the model alone. */
function floorOf(
  isAsked: boolean,
  isQuestion: boolean,
): Pick<PlannedSearch, "minScore" | "isMessage" | "isOwnQuestion" | "showsNearest"> {
  if (isAsked) return { minScore: "auto" };
  return { minScore: "recall", isMessage: true, isOwnQuestion: isQuestion, showsNearest: isQuestion };
}

/**
 * Returns whether the recalled texts answer the message, and whether the block may promise that. The texts of
 * a period that the question asks for always do, and texts of other days never. A block is for a message that may
 * be no question, so it promises an answer only if one is more likely than not.
 */
function certaintyOf(
  {
    isQuestion,
    isOfDays,
    isUnknown,
    others,
  }: { isQuestion: boolean; isOfDays: boolean; isUnknown: boolean; others: string | undefined },
  near: readonly ShownHit[],
  shown: readonly ShownHit[],
): { isSure: boolean; isPromised: boolean } {
  const isSure = others === undefined && (!isQuestion || isOfDays || (!isUnknown && isAnswered(near)));
  const isPromised = isSure && (isOfDays || shown.length === 0 || isLikely(shown.map(({ hit }) => hit)));
  return { isSure, isPromised };
}

/** The recalled facts and passages. */
interface Chosen {
  facts: ShownHit[];
  quotes: ShownHit[];
  /** A sentence on what the block does not have: texts of the days, or the other texts of a list. */
  rest?: string | undefined;
  /** Whether they are the texts of a period, or of the few days, that the message asks for. */
  isOfDays: boolean;
  /** A sentence that says that these texts are of other days than the days in the message. */
  others?: string | undefined;
}

function chosen(
  found: Awaited<ReturnType<typeof runSearch>> | undefined,
  sought: Sought | undefined,
  near: readonly ShownHit[],
  { maxFacts, maxQuotes }: { maxFacts: number; maxQuotes: number },
): Chosen {
  if (!found || !sought) return { facts: [], quotes: [], isOfDays: false };
  const { ranked, request, memories } = found;
  const today = dayIn(request.zone, request.now);
  // In the block, facts stand before the quotations, so a fact of later days is left out if another hit is not of later days.
  const later = ranked.laterFacts;
  const hasOthers = near.some(({ hit }) => !later.has(hit.chunkId));
  const isOfThen = ({ hit }: ShownHit) => !hasOthers || !later.has(hit.chunkId);
  const first = (isFact: boolean, most: number) =>
    firstHits(
      near.filter((one) => Boolean(one.chunk.fact) === isFact && isOfThen(one)),
      most,
      ranked,
    );
  const [facts, quotes] = [first(true, maxFacts), first(false, maxQuotes)];
  const shown = [...facts, ...quotes];
  // A message may ask for something to be done on a coming day ("Can you book a table near my office on
  // Friday?"). No text can be of that day yet.
  const isPlan =
    request.isMessage &&
    request.periods?.some(({ ranges, isYearly }) => !isYearly && ranges.some(({ from }) => from >= today));
  const others = isPlan
    ? undefined
    : (otherDays(request, memories, { sought, shown }) ?? noTextOf(request, memories, shown.length));
  const rest = others ?? restOfList({ ...ranked, shown: [...near] }, request, shown);
  const isOfDays = ranked.ranking.isList === true || isOfPeriodAsked({ ...ranked, shown }, request);
  return { facts, quotes, rest, isOfDays, others };
}

/** Returns the texts of a recall's block. */
function blockTexts(
  said: Pick<RecallOutput, "facts" | "quotes">,
  shown: { facts: readonly ShownHit[]; quotes: readonly ShownHit[] },
  { scope, zone, asksPast, ...room }: Room,
): Parameters<typeof recallBlock> {
  const places = new Map(shown.quotes.map(({ hit }, at) => [hit.chunkId, said.quotes[at]?.citation]));
  const quotes = said.quotes.map(({ text, citation: place, date, days = [dayOf(date, zone)] }, at) => {
    const newer = shown.quotes[at]?.newer;
    const olderThan = newer && (places.get(newer.id) ?? citation(newer.path, newer.startLine, newer.endLine));
    return { text, citation: place, days, olderThan };
  });
  return [
    said.facts.map((fact, at) => {
      const { newer, chunk } = shown.facts[at] ?? {};
      const line = blockText(fact, scope, zone);
      const { replaced, tags } = chunk?.fact ?? {};
      // A rule may take a sentence for a change that is none, so the block shows what the change replaced.
      const before = asksPast || tags?.includes(CAPTURED) ? replaced : undefined;
      return {
        ...line,
        text: before ? `${line.text} (before: ${before.slice(0, MAX_BEFORE_CHARS).toWellFormed()})` : line.text,
        isOlder: newer !== undefined,
      };
    }),
    quotes,
    room,
  ];
}

/** Returns the day of a date, which is a day or a time. */
function dayOf(date: string, zone: string): CivilDay {
  return date.includes("T") ? dayIn(zone, new Date(date)) : date;
}

/**
 * Returns a fact for the block. It names the subject, unless this is the user whose message it is,
 * or the text names it.
 */
function blockText({ text, subject, category, validFrom }: Fact, scope: FactScope | undefined, zone: string) {
  const isKnown = subject === undefined || foldedSubject(subject) === foldedSubject(scope?.user);
  const named = isKnown || namesSubject(text, subject) ? text : `${subject}: ${text}`;
  return { text: named, category, since: dayOf(validFrom, zone) };
}

/** Returns the values that the caller gave, without undefined ones. */
function given({ maxInstructions, maxFacts, maxQuotes, maxDistance, maxChars }: RecallInput) {
  const values = Object.entries({ maxInstructions, maxFacts, maxQuotes, maxDistance, maxChars });
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

/** The name of the speaker before a message of a conversation. */
const SPEAKER = /^[^\n:]{1,100}: /;

/**
 * Returns whether a hit is nothing but the message itself, said in an earlier conversation that has no
 * answer to it. It would rank first, and tells the model nothing.
 */
function isRepeated(message: string, { hit, chunk }: ShownHit): boolean {
  if (!chunk.session || hit.startLine !== chunk.startLine || hit.endLine !== chunk.endLine) return false;
  return wordsOnly(chunk.text.replace(SPEAKER, "")) === wordsOnly(message);
}

/** Returns a text in lower case with single spaces, as people repeat themselves. */
function wordsOnly(text: string): string {
  return text.trim().toLowerCase().replaceAll(/\s+/g, " ");
}

/** Returns whether a hit is no fact, or a fact that is near enough. */
function isNearFact({ hit: { vectorScore: similarity }, chunk }: ShownHit, maxDistance: number | "auto"): boolean {
  if (!chunk.fact) return true;
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

/** Returns whether no doubt has to be named: a hit of the question is certain, or there is no hit. */
function isAnswered(hits: readonly ShownHit[]): boolean {
  return hits.length === 0 || isCertain(hits.map(({ hit }) => hit));
}

/** What a recall looks for. */
interface Wanted {
  sought: Sought;
  asked: AskedDays;
}

function quotesOf(wanted: Wanted | undefined, quotes: readonly ShownHit[], isSure: boolean): RecalledQuote[] {
  if (!wanted) return [];
  return quotes.map((shown, place) => quoteOf(wanted, shown, shownChars(place, MAX_QUOTE_CHARS, isSure)));
}

function quoteOf(wanted: Wanted, { hit, chunk }: ShownHit, maxChars: number): RecalledQuote {
  const { path, startLine, endLine, score } = hit;
  const { text, said } = excerptOf(wanted, hit, chunk, maxChars);
  return {
    path,
    startLine,
    endLine,
    score,
    source: sourceName(chunk.source),
    text,
    citation: citation(path, startLine, endLine, pagesOf(chunk.pages, startLine, endLine)),
    date: dateOf(chunk, said),
    ...(said ? { at: said.to.toISOString(), days: [...said.days] } : {}),
  };
}
