import { addDays, type DayRange, dayIn, daysOfTimes } from "../../base/civil-day.ts";
import { type CandidateRow, candidateDetails } from "../../db/agent/candidates/candidate-details.ts";
import { keywordScores, termRarities } from "../../db/agent/candidates/keyword-search.ts";
import { roundScores } from "../../db/agent/candidates/shared-candidates.ts";
import {
  type ChunkHit,
  firstChunks,
  type MessageAround,
  readChunks,
  textsOfChunks,
} from "../../db/agent/chunks/chunks.ts";
import { isFiltered } from "../../db/agent/chunks/search-filter.ts";
import { foldedSubject } from "../../db/agent/facts/subject.ts";
import { filesNamed } from "../../db/agent/files/files.ts";
import type { KeywordHit } from "../../db/agent/keyword/bm25.ts";
import type { AgentReads } from "../../db/agent/schema/agent-transaction.ts";
import { SOURCE_NUMBER } from "../../db/agent/schema/source-number.ts";
import { noteDeleted } from "../../db/agent/segments/segments.ts";
import { withoutData } from "../../ingest/embedded-data.ts";
import { indexedText } from "../../ingest/machine-text.ts";
import { isCertain } from "../../relevance/ranking/certainty.ts";
import type { DatedHit } from "../../relevance/ranking/dated-hit.ts";
import { isTextOf } from "../../relevance/ranking/days-of-text.ts";
import { matchedIdf } from "../../relevance/ranking/evidence.ts";
import type { Candidate, SearchMode } from "../../relevance/ranking/fuse.ts";
import { factsOfLater, withTheirPassages } from "../../relevance/ranking/later-facts.ts";
import { type AskedTerm, asksAboutPast, newestFirst } from "../../relevance/ranking/newest-first.ts";
import {
  type CandidateDetails,
  type Floor,
  type Ordering,
  type Ranked,
  type Ranking,
  rank,
} from "../../relevance/ranking/rank.ts";
import { type Refined, refine } from "../../relevance/ranking/refine.ts";
import { asksForSeveral } from "../../relevance/ranking/spread-over-documents.ts";
import { isAboutNamed, namesOf } from "../../relevance/words/names-in-facts.ts";
import { asksOfSelf, ownersNamed } from "../../relevance/words/owners.ts";
import { isPast } from "../../relevance/words/periods.ts";
import { namedFiles } from "../../relevance/words/query-names.ts";
import { createWordFinder, soughtWords } from "../../relevance/words/sought-words.ts";
import { messagesIn, wordsBetweenSpaces } from "../../relevance/words/statements.ts";
import { sessionPath } from "../../settings/memory-path.ts";
import { isOvershadowed } from "../../settings/shared-paths.ts";
import { sharersOf } from "../core/known-agent.ts";
import { inPhase } from "../embedding/search-phase.ts";
import { backgroundOf, type Measured, measureIndex, rescored } from "./background.ts";
import { countedTerms } from "./counted-terms.ts";
import { firstMeantAt } from "./hit-excerpt.ts";
import { NO_SUCCESSORS, readSuccessors, type Successors, withEnded } from "./read-successors.ts";
import { rerankPool } from "./rerank-pool.ts";
import type { ArmResults, SearchPlan } from "./search-arms.ts";
import type { SearchDeps } from "./search-deps.ts";

export interface RankRequest extends SearchPlan {
  mode: SearchMode;
  maxResults: number;
  minScore: number | Floor;
  /** Whether the search has a filter by date, path or scope, which no floor leaves empty. */
  isFiltered?: boolean | undefined;
  /** Whether the nearest texts are shown if a floor by evidence leaves none. */
  showsNearest?: boolean | undefined;
  /** Whether a fact is shown beside a passage with the same content. */
  keepsFacts?: boolean | undefined;
}

/** A hit in the answer: one chunk, or several adjacent chunks. */
export interface ShownHit {
  hit: Refined;
  /**
   * The chunk of the hit, or the best of the chunks that it joins, with the messages of all of
   * them.
   */
  chunk: FoundChunk;
  /** The newest chunk that answers the same question, if this hit is older. */
  newer?: FoundChunk;
}

export interface RankedSearch {
  shown: ShownHit[];
  /** The ranking of the candidates, for explain. */
  ranking: Ranking;
  details: ReadonlyMap<string, CandidateRow>;
  /** The chunks of facts that began after the past days that the question names (`factsOfLater`). */
  laterFacts: ReadonlySet<string>;
  /** Whether the answer may change as time passes: a fact begins, ends or expires. */
  isTimed: boolean;
  /** Whether the hits list the texts of a period, and there are more texts than requested hits. */
  isListCut: boolean;
  /** Whether duplicates left fewer hits than requested. */
  crowded: boolean;
  warning?: string;
}

export type NamedFile = { path: string; firstChunkId: string | undefined };

/** The most files that are moved to the front because the query names them. */
export const MAX_NAMED_FILES = 3;
/**
 * The candidates that are kept for each requested hit, because later steps drop or join some of
 * them.
 */
const POOL_FACTOR = 2;
/**
 * The number of hits for which candidates are kept at least. Of several answers the newest leads, and it must do so also
 * in an answer of one hit.
 */
const LEAST_WANTED = 6;

/** The ranked candidates, with the chunks of the best ones. */
export interface RankedCandidates {
  ranking: Ranking;
  details: ReadonlyMap<string, CandidateRow>;
  /** The best candidates, from which the answer is made. */
  pool: readonly Ranked[];
  /** The facts that replaced what texts of the pool say. */
  successors: Successors;
  /** The chunks of the pool and of the successors, by id. */
  chunks: ReadonlyMap<string, FoundChunk>;
}

/** The ranked candidates of one memory, with the values that ranked them. */
export interface MemoryCandidates extends RankedCandidates {
  candidates: readonly Candidate[];
  measured: Measured;
  named: readonly NamedFile[];
}

/** A chunk of the searching agent's own memory or of a shared memory. */
export type FoundChunk = ChunkHit & { sharedBy?: string };

/**
 * Ranks the candidates with at most five statements in three round trips. The first round trip reads
 * the details of all candidates with their exact cosine, the exact BM25 of candidates that only the
 * vector arm found, and a sample of cosines for adaptive fusion. The second finds the
 * facts that replaced what the best texts say, and the third reads the texts.
 *
 * @returns undefined if the unchecked keyword arm has found chunks that exist no more and must run
 *   again with checks
 */
export function rankCandidates(
  deps: SearchDeps,
  tx: AgentReads,
  request: RankRequest,
  arms: ArmResults,
  askedFor: readonly NamedFile[],
): Promise<MemoryCandidates | undefined> {
  const { agent, sources, mode } = request;
  const sharers = sharersOf(agent);
  const named = askedFor.filter(({ path }) => !isOvershadowed(path, sharers));
  const isFound = (row: CandidateRow | undefined) => row?.holds && !isOvershadowed(row.path, sharers);
  const index = { schema: agent.schema, generationId: request.generation.id };
  return inPhase(deps, "fuse", async () => {
    const [details, scores, measured] = await Promise.all([
      readDetails(tx, request, arms, named).then((rows) => withNamedDays(tx, request, arms, rows)),
      readScores(tx, request, arms),
      measureIndex(tx, request, arms),
    ]);
    const gone = arms.keyword.flatMap(({ chunkId }) => (details.has(chunkId) ? [] : [chunkId]));
    const segments = arms.counted?.segments ?? [];
    const isNews = noteDeleted(deps.segmentCache, segments, gone);
    // In an index without segments a write has replaced the chunks since they were found.
    const isReplaced = gone.length > 0 && segments.length === 0;
    if (request.unchecked && (isNews || isReplaced)) return undefined;
    const found = joinArms(arms, scores, details, mode).filter(({ chunkId }) => isFound(details.get(chunkId)));
    const candidates = arms.visible
      ? found.map((candidate) => rescored(candidate, arms.counted, measured.counted))
      : found;
    const background = backgroundOf(measured);
    const ranking = rank(candidates, details, {
      mode,
      background,
      facts: factsIn(request),
      ...orderingOf(deps, request, named),
    });
    const pool = ranking.ranked.slice(0, poolSize(request));
    const successors = asksWhatHolds(request) ? await readSuccessors(tx, request, pool, details) : NO_SUCCESSORS;
    const ids = new Set([...[...pool, ...ranking.spareFacts].map((hit) => hit.chunkId), ...successors.endedBy.keys()]);
    const texts = await readChunks(tx, index, [...ids], { sources, sessionPath });
    const chunks = new Map(texts.map((chunk) => [chunk.id, asIndexed(withEnded(chunk, successors))]));
    return { ranking, details, pool, successors, chunks, candidates, measured, named };
  });
}

/**
 * Returns a chunk with the messages around it as the index has them: with their speakers, and without
 * embedded data and texts of programs.
 */
function asIndexed(chunk: ChunkHit): ChunkHit {
  const around = chunk.around?.map((one) => {
    const said = indexedText(one);
    const text = withoutData(`${one.speaker}: ${said ?? ""}`.split("\n")).join("\n");
    return { ...one, text, isHidden: said === undefined };
  });
  return around ? { ...chunk, around } : chunk;
}

/**
 * Returns the number of facts in a memory; undefined for another agent's memory, whose number of
 * facts must not show in scores.
 */
export function factsIn({ agent, reader }: RankRequest): number | undefined {
  return reader === undefined ? agent.facts : undefined;
}

/** Returns whether a question asks what holds now or on coming days, so that what has ended is marked. */
function asksWhatHolds({ query, periods = [], zone, now }: RankRequest): boolean {
  const today = dayIn(zone, now);
  return !asksAboutPast(query) && (periods.length === 0 || !periods.every((period) => isPast(period, today)));
}

/** Returns the rules that order the candidates of a search, whichever indexes they come from. */
export function orderingOf(deps: SearchDeps, request: RankRequest, named: readonly NamedFile[]): Ordering {
  const { hybrid: settings, deduplicate } = request.agent.settings.query;
  return {
    minScore: request.minScore,
    settings,
    deduplicate,
    keepsFacts: request.keepsFacts ?? false,
    named,
    periods: request.periods ?? [],
    isListing: request.isListing ?? false,
    isFiltered: request.isFiltered ?? false,
    showsNearest: request.showsNearest ?? false,
    asksForSeveral: asksForSeveral(request.query),
    now: request.visibleFacts.at ?? deps.clock(),
    halfLives: request.agent.settings.facts.halfLives,
  };
}

/**
 * Makes the hits of the answer from the best candidates. Call it outside a transaction, since it
 * may call a reranker.
 *
 * @param terms the question's terms, by which the newest of several answers is recognised
 */
export async function refineHits(
  deps: SearchDeps,
  request: RankRequest,
  { ranking, details, pool, successors, chunks }: RankedCandidates,
  terms: readonly AskedTerm[],
): Promise<RankedSearch> {
  const { agent, query, maxResults, keepsFacts = false, periods = [] } = request;
  const { mergeNeighbours, deduplicate, hybrid } = agent.settings.query;
  const found = pool.flatMap((hit) => withText(hit, chunks));
  const spare = ranking.spareFacts.flatMap((hit) => withText(hit, chunks));
  const { isList = false } = ranking;
  const ranked = new Set([...pool, ...ranking.spareFacts].map(({ chunkId }) => chunkId));
  const added = new Set([...successors.endedBy.keys()].filter((chunkId) => !ranked.has(chunkId)));
  const later = [...added].flatMap((chunkId) => withText({ ...UNRANKED, chunkId }, chunks));
  // As of a time, only texts and facts up to it are candidates, and the newest of them held then.
  const isOfNow = asksWhatHolds(request);
  const { hits: ordered, newerOf } = isOfNow
    ? newestFirst(found, terms, [...spare, ...later], request.speakers, {
        owners: ownersNamed(query),
        isOfSelf: asksOfSelf(query),
        // The texts of a day are of equal worth, whichever is the newest.
        onlyReplaced: isList || periods.length > 0,
      })
    : { hits: found, newerOf: new Map<string, string>() };
  const laterFacts = isOfNow ? new Set<string>() : factsOfLater(details, periods, dayIn(request.zone, request.now));
  const placed = behind(asCertain(ordered, newerOf), withTheirPassages(laterFacts, found, { details, periods }));
  const nothing = { scores: new Map<string, number>(), warning: undefined };
  const { scores, warning } = isList ? nothing : await rerankPool(deps, agent, query, placed);
  const mmr = isList ? { ...hybrid.mmr, enabled: false } : hybrid.mmr;
  const refined = refine(placed, scores, {
    maxResults: isList ? placed.length : maxResults,
    mmr,
    mergeNeighbours,
    deduplicate: deduplicate && !keepsFacts,
    question: isList ? undefined : query,
  });
  const hits = isList ? listed(request, refined, { details, chunks, newerOf, added }) : refined;
  const newestOf = newestShown(hits, chunks);
  const dropped = [...ranking.leftOut.values()].some((left) => left.stage === "duplicate");
  return {
    shown: hits.flatMap((hit) => {
      const chunk = chunks.get(hit.chunkId);
      if (!chunk) return [];
      const newer = newestOf(newerOf.get(hit.chunkId));
      const isInside = newer?.path === hit.path && newer.startLine >= hit.startLine && newer.endLine <= hit.endLine;
      const shown = { hit, chunk: { ...chunk, session: sessionOf(hit, chunk, chunks) } };
      return [newer && !isInside ? { ...shown, newer } : shown];
    }),
    ranking: withoutShown(ranking, hits),
    details,
    laterFacts,
    isListCut: isList && (refined.length > maxResults || ranking.ranked.length > pool.length),
    crowded: dropped && hits.length < maxResults,
    isTimed: successors.isTimed || [...details.values()].some((row) => row.isTimed),
    ...(warning === undefined ? {} : { warning }),
  };
}

/**
 * Makes hits that replaced a certain one certain: "I moved to Bergen" has no word of "Where do I live?", and the home
 * before, which has, may not be shown.
 */
function asCertain<T extends Ranked>(hits: readonly T[], newerOf: ReadonlyMap<string, string>): T[] {
  const certain = new Set(hits.filter((hit) => isCertain([hit])).flatMap(({ chunkId }) => newerOf.get(chunkId) ?? []));
  return hits.map((hit) => (certain.has(hit.chunkId) ? { ...hit, standsOut: true } : hit));
}

/**
 * Returns a function that finds the newer text of a hit by its chunk. The answer may show a captured fact in the place of
 * its passage; the function then returns the fact.
 */
function newestShown(hits: readonly Refined[], chunks: ReadonlyMap<string, FoundChunk>) {
  const shown = new Set(hits.map(({ chunkId }) => chunkId));
  return (id: string | undefined): FoundChunk | undefined => {
    const newer = chunks.get(id ?? "");
    if (!newer || id === undefined || shown.has(id)) return newer;
    const words = wordsBetweenSpaces(newer.text);
    const same = hits.find(({ chunkId }) => {
      const { fact } = chunks.get(chunkId) ?? {};
      return fact && words.includes(wordsBetweenSpaces(fact.text));
    });
    return chunks.get(same?.chunkId ?? id);
  };
}

/** Moves some hits behind the others, and lowers their scores to the score of the hit before them. */
function behind<T extends Ranked>(hits: readonly T[], lower: ReadonlySet<string>): readonly T[] {
  if (lower.size === 0) return hits;
  const before = hits.filter(({ chunkId }) => !lower.has(chunkId));
  const most = before.at(-1)?.score ?? 1;
  const after = hits.filter(({ chunkId }) => lower.has(chunkId));
  return [...before, ...after.map((hit) => ({ ...hit, score: Math.min(hit.score, most) }))];
}

/** Removes the shown hits from the candidates that a ranking lists as left out. */
function withoutShown(ranking: Ranking, hits: readonly Refined[]): Ranking {
  const leftOut = new Map(ranking.leftOut);
  for (const { chunkId } of hits) leftOut.delete(chunkId);
  return { ...ranking, leftOut };
}

/** The scores of a fact that is no candidate, until it takes the place of a text that it replaced. */
const UNRANKED = { score: 0, evidence: 0, fusedScore: 0, decay: 1, named: false };

/**
 * Returns the texts of a period in order of time, as many as requested. A fact that was added stands before the first text
 * that it replaced.
 */
function listed(
  request: RankRequest,
  hits: readonly Refined[],
  {
    details,
    chunks,
    newerOf,
    added,
  }: Pick<RankedCandidates, "details" | "chunks"> & {
    newerOf: ReadonlyMap<string, string>;
    added: ReadonlySet<string>;
  },
): Refined[] {
  const facts = new Map(hits.flatMap((hit) => (added.has(hit.chunkId) ? [[hit.chunkId, hit]] : [])));
  const texts = hits.filter(({ chunkId }) => !facts.has(chunkId)).slice(0, request.maxResults);
  const withFacts = inOrderOfTime(request, texts, { details, chunks }).flatMap((hit) => {
    const newer = facts.get(newerOf.get(hit.chunkId) ?? "");
    if (newer) facts.delete(newer.chunkId);
    return newer ? [newer, hit] : [hit];
  });
  // The passage of a fact that is left is no hit any more, because it repeats the fact.
  return [...withFacts, ...facts.values()].slice(0, request.maxResults);
}

/**
 * Orders hits by their days, then by the time of their last change or message. The time of a conversation
 * is that of its first message of the days that the search names.
 */
function inOrderOfTime(
  request: RankRequest,
  hits: readonly Refined[],
  { details, chunks }: Pick<RankedCandidates, "details" | "chunks">,
): Refined[] {
  const timeOf = (hit: Refined) => {
    const [row, chunk] = [details.get(hit.chunkId), chunks.get(hit.chunkId)];
    const at = chunk && firstMeantAt(hit, chunk, request);
    const day = at ? dayIn(request.zone, at) : row?.days?.from;
    // A text of another day that only writes a day of the period follows the texts of the period.
    return `${row?.names === undefined ? 0 : 1} ${day ?? ""} ${(at ?? row?.changedAt)?.toISOString() ?? ""}`;
  };
  const times = new Map(hits.map((hit) => [hit.chunkId, timeOf(hit)]));
  const time = ({ chunkId }: Refined) => times.get(chunkId) ?? "";
  return hits.toSorted((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
}

/** Returns how many of the best candidates the answer is made from. */
export function poolSize({ agent, maxResults }: RankRequest): number {
  const { rerank, hybrid } = agent.settings.query;
  const reranked = rerank.provider === "none" ? 0 : rerank.candidates;
  const diverse = hybrid.mmr.enabled ? maxResults * hybrid.candidateMultiplier : 0;
  return Math.max(Math.max(maxResults, LEAST_WANTED) * POOL_FACTOR, reranked, diverse);
}

/**
 * Finds the files that the query names, which ranking moves to the front. Returns none for a search
 * with a filter, because the filter says more clearly what is wanted.
 */
export async function findNamed(tx: AgentReads, request: RankRequest): Promise<NamedFile[]> {
  const { agent, generation, filter, sources, query } = request;
  if (!agent.settings.query.namedFiles) return [];
  const names =
    isFiltered({ ...filter, believed: undefined }) || !sources.includes(SOURCE_NUMBER.memory) ? [] : namedFiles(query);
  const files = await filesNamed(tx, agent.schema, names, MAX_NAMED_FILES);
  const ids = files.map((file) => file.id);
  const opening = await firstChunks(tx, agent.schema, generation.id, ids);
  const firstOf = new Map(opening.map((chunk) => [chunk.fileId, chunk.id]));
  return files.map(({ id, path }) => ({ path, firstChunkId: firstOf.get(id) }));
}

async function readDetails(
  tx: AgentReads,
  { agent, generation, sources, visibleFacts, zone, query, minScore, periods = [], isListing = false }: RankRequest,
  arms: ArmResults,
  named: readonly NamedFile[],
): Promise<Map<string, CandidateRow>> {
  const isDated = periods.length > 0 || isListing;
  const ids = new Set([
    ...arms.keyword.map((one) => one.chunkId),
    ...arms.similar.map((one) => one.chunkId),
    ...arms.listed,
    ...(arms.naming ?? []),
    ...named.flatMap((file) => file.firstChunkId ?? []),
  ]);
  const { id: generationId, dimensions, halfVectors } = generation;
  const index = { schema: agent.schema, generationId, dimensions, halfVectors };
  const similar = new Set(arms.similar.map((one) => one.chunkId));
  const compared = [...ids].filter((id) => !similar.has(id));
  const of = { queryVector: arms.queryVector, compared, sources, sessionPath, facts: visibleFacts, isDated };
  const names = minScore === "recall" ? namesOf(query) : undefined;
  const rows = await candidateDetails(tx, index, [...ids], { ...of, hasFactTexts: names !== undefined });
  // A segment records the source that a chunk had when it was packed, so the source is checked
  // again.
  const found = rows.filter((row) => sources.includes(row.source));
  return new Map(
    found.map((row) => {
      const isNamed = names && row.fact && isAboutNamed(names, row.fact);
      return [row.id, { ...row, isNamed, ...(isDated ? daysOf(row, zone) : {}) }];
    }),
  );
}

/**
 * Reads the texts that may write the days of the question's period, and sets these days for those that
 * do. If the question lists what somebody said, it also notes whose texts the listed ones are.
 */
async function withNamedDays(
  tx: AgentReads,
  request: RankRequest,
  { naming = [], counted }: ArmResults,
  rows: Map<string, CandidateRow>,
): Promise<Map<string, CandidateRow>> {
  const { agent, generation, query, written, rest = "", periods = [], speakers = [], isListing, zone } = request;
  const asksSpeaker = isListing && speakers.length > 0;
  const ids = asksSpeaker ? [...rows.keys()] : naming.filter((id) => rows.has(id));
  if (ids.length === 0) return rows;
  const texts = await textsOfChunks(tx, agent.schema, generation.id, ids);
  const find = createWordFinder(soughtWords(query, countedTerms(counted)));
  const others = find(rest);
  const read = new Map(rows);
  for (const { id, text } of texts) {
    const row = rows.get(id);
    if (!row?.holds) continue;
    const { days, isDayOfChange = false } = row;
    const isOfSpeaker = asksSpeaker && speakers.some((name) => isOf(text, name));
    const isOwn = !isDayOfChange && periods.some((period) => isTextOf(row, period));
    const named = isOwn || !days ? undefined : namedDay(written, text, { ...row, days, isDayOfChange }, zone);
    const hasOthers = named && others.size > 0 && [...find(text)].some((word) => others.has(word));
    const names = named
      ? ({ days: named, saidDays: undefined, isDayOfChange: false, names: hasOthers ? "answer" : "day" } as const)
      : {};
    read.set(id, { ...row, isOfSpeaker, ...names });
  }
  return read;
}

/** Returns the day of the question that a text names. In a conversation, each message is read by its own day. */
function namedDay(
  written: RankRequest["written"],
  text: string,
  { days, saidAt, isDayOfChange }: { days: DayRange; saidAt: CandidateRow["saidAt"]; isDayOfChange: boolean },
  zone: string,
): DayRange | undefined {
  // The heading of a chunk stands before its messages.
  const [first = "", ...rest] = messagesIn(text);
  const messages = first.trim() === "" ? rest : [first, ...rest];
  // A long message is cut, and then its part cannot be told from the others.
  if (!saidAt || messages.length !== saidAt.length) return written?.namedIn(text, days, !isDayOfChange);
  for (const [at, message] of messages.entries()) {
    const from = dayIn(zone, saidAt[at] ?? new Date(0));
    const named = written?.namedIn(message, { from, to: addDays(from, 1) }, true);
    if (named) return named;
  }
  return undefined;
}

/** Matches the rest of a speaker's name before a message: the speaker "Olga" may be "Olga Petrova". */
const REST_OF_NAME = /^(?:[^\p{L}\p{N}:][^:]{0,60})?: /u;

/** Returns whether a text has a message of a speaker: a line that begins with the name and a colon. */
function isOf(text: string, speaker: string): boolean {
  return text.split("\n").some((line) => line.startsWith(speaker) && REST_OF_NAME.test(line.slice(speaker.length)));
}

/** Returns the days of a candidate in a time zone. A fact's day is that since which it holds. */
function daysOf(
  { day, begunAt, saidAt, changedAt, standing }: CandidateRow,
  zone: string,
): Pick<CandidateDetails, "days" | "saidDays" | "isDayOfChange" | "isSaid"> {
  const isSaid = !day && begunAt !== null && !standing;
  const saidDays = saidAt ? daysOfTimes(saidAt, zone) : undefined;
  const from = day ?? dayIn(zone, begunAt ?? changedAt);
  const last = day || standing ? from : (saidDays?.at(-1) ?? dayIn(zone, changedAt));
  const days = { from, to: addDays(last, 1) };
  return { days, saidDays, isSaid, isDayOfChange: !day && begunAt === null && !standing };
}

/**
 * Returns the hits of the keyword arm, and the keyword scores of chunks that only the vector arm
 * found: a chunk outside the best may still have a score.
 */
async function readScores(
  tx: AgentReads,
  { agent, generation, mode, shared }: RankRequest,
  { keyword, similar, listed, naming = [], counted }: ArmResults,
): Promise<readonly KeywordHit[]> {
  if (!counted || (mode !== "hybrid" && listed.length + naming.length === 0)) return keyword;
  const known = new Set(keyword.map((one) => one.chunkId));
  const unknown = new Set([...similar.map(({ chunkId }) => chunkId), ...listed, ...naming]);
  const others = [...unknown].filter((chunkId) => !known.has(chunkId));
  const index = { schema: agent.schema, generationId: generation.id };
  const scores = await keywordScores(tx, index, counted, others);
  return [...keyword, ...(shared ? roundScores(scores) : scores)];
}

/** Joins the candidates of both arms, each once, with both scores. */
function joinArms(
  arms: ArmResults,
  scores: readonly KeywordHit[],
  details: ReadonlyMap<string, CandidateRow>,
  mode: SearchMode,
): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const rarities = arms.counted ? termRarities(arms.counted) : [];
  if (mode !== "vector")
    for (const { chunkId, score, found } of scores)
      candidates.set(chunkId, { chunkId, bm25: score, found, matched: matchedIdf(rarities, found) });
  for (const { chunkId, similarity } of arms.similar)
    candidates.set(chunkId, { ...candidates.get(chunkId), chunkId, similarity });
  const isFound = new Set([...arms.keyword, ...arms.similar].map(({ chunkId }) => chunkId).concat(arms.listed));
  for (const chunkId of arms.naming ?? []) {
    if (details.get(chunkId)?.names) candidates.set(chunkId, candidates.get(chunkId) ?? { chunkId });
    else if (!isFound.has(chunkId)) candidates.delete(chunkId);
  }
  for (const chunkId of arms.listed) if (!candidates.has(chunkId)) candidates.set(chunkId, { chunkId });
  for (const candidate of candidates.values()) {
    const similarity = details.get(candidate.chunkId)?.similarity;
    if (typeof similarity === "number") candidate.similarity = similarity;
  }
  return [...candidates.values()];
}

type TextHit = Ranked & FoundChunk & Pick<DatedHit, "saidAt" | "scope" | "subject">;

function withText(hit: Ranked, chunks: ReadonlyMap<string, FoundChunk>): TextHit[] {
  const chunk = chunks.get(hit.chunkId);
  if (!chunk) return [];
  const { fact, scope = fact } = chunk;
  return [
    {
      ...chunk,
      ...hit,
      saidAt: saidAtOf(chunk),
      scope: scope ? { user: scope.user, agent: scope.agent, session: scope.session } : undefined,
      subject: foldedSubject(fact?.subject),
    },
  ];
}

/** Returns when a chunk was said; undefined for a file that is about no day. */
function saidAtOf({ session, fact, day }: FoundChunk): Date | undefined {
  if (day) return new Date(`${day}T12:00:00Z`);
  return session?.to ?? fact?.validFrom;
}

/**
 * Returns the range of messages, the roles and the times of a hit in a session, over all windows
 * within its lines; null for other hits.
 */
function sessionOf(hit: Refined, chunk: ChunkHit, chunks: ReadonlyMap<string, ChunkHit>): ChunkHit["session"] {
  if (!chunk.session) return null;
  const grown = chunk.around?.filter(
    ({ firstLine, lineCount }) => firstLine >= hit.startLine && firstLine + lineCount - 1 <= hit.endLine,
  );
  if (grown?.length && hit.text !== chunk.text) return sessionOfMessages(chunk.session.key, grown);
  const inside = [...chunks.values()].flatMap(({ path, startLine, endLine, session }) =>
    path === hit.path && startLine >= hit.startLine && endLine <= hit.endLine ? (session ?? []) : [],
  );
  return inside.reduce(
    (whole, { firstMessage, lastMessage, roles, authors, from, to }) => ({
      key: whole.key,
      firstMessage: Math.min(whole.firstMessage, firstMessage),
      lastMessage: Math.max(whole.lastMessage, lastMessage),
      roles: [...new Set([...whole.roles, ...roles])].sort(),
      authors: [...new Set([...whole.authors, ...authors])],
      from: whole.from < from ? whole.from : from,
      to: whole.to > to ? whole.to : to,
    }),
    chunk.session,
  );
}

/** Returns the range of the given messages of a session, their roles and their times. */
export function sessionOfMessages(key: string, messages: readonly MessageAround[]): NonNullable<ChunkHit["session"]> {
  const seqs = messages.map(({ seq }) => seq);
  const times = messages.map(({ at }) => at.getTime());
  return {
    key,
    firstMessage: Math.min(...seqs),
    lastMessage: Math.max(...seqs),
    roles: [...new Set(messages.map(({ role }) => role))].sort(),
    authors: [...new Set(messages.map(({ author }) => author))],
    from: new Date(Math.min(...times)),
    to: new Date(Math.max(...times)),
  };
}
