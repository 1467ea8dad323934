import { addDays, type DayRange } from "../../base/civil-day.ts";
import { isOfPeriod, lengthOf, type Period } from "../words/periods.ts";
import { factStandsOutUnasked, hasItsWords, MOST_NEAREST, standsOut, standsOutUnasked } from "./certainty.ts";
import { type DaysOfText, isTextOf, rangesOfText } from "./days-of-text.ts";
import { ageReferenceDate, decayFactor, type FactStanding, factFactors, type HalfLives } from "./decay.ts";
import { type Background, evidenceOfRarity, type Scored } from "./evidence.ts";
import { type Candidate, type FusedHit, type FusionSettings, fuse, type SearchMode } from "./fuse.ts";
import { liftNearest } from "./lift-nearest.ts";
import { spreadOverDays } from "./spread-over-days.ts";
import { spreadOverDocuments } from "./spread-over-documents.ts";

/** The details of a chunk that ranking needs besides its scores. */
export interface CandidateDetails extends DaysOfText {
  readonly path: string;
  /** The hash of the text; equal texts have equal hashes. */
  readonly hash: string;
  readonly changedAt: Date;
  /** The day that a file is about, as YYYY-MM-DD. */
  readonly day?: string | null;
  /** Whether these days are only those of a file's last change. */
  readonly isDayOfChange?: boolean | undefined;
  /**
   * Set if the text is of other days and writes a day of the period, which is then in `days`;
   * `answer`: it also has another word of the question.
   */
  readonly names?: "day" | "answer" | undefined;
  /** Whether the question asks what somebody said, and the text has it. */
  readonly isOfSpeaker?: boolean | undefined;
  /** Whether the text is of a conversation. */
  readonly isSaid?: boolean | undefined;
  /** A fact's importance and decay class. */
  readonly standing?: FactStanding | null;
  /** Whether the message of a recall names what the fact is about. */
  readonly isNamed?: boolean | undefined;
}

interface RankingSettings extends FusionSettings {
  temporalDecay: { enabled: boolean; halfLifeDays: number };
}

/** Candidates of one index. */
export interface CandidateGroup {
  candidates: readonly Candidate[];
  mode: SearchMode;
  /** The scores by chance that evidence is measured against. */
  background?: Background | undefined;
  /** The number of facts in the index; undefined: facts are scored like other texts. */
  facts?: number | undefined;
}

export interface RankingRequest extends Omit<CandidateGroup, "candidates"> {
  /** The lowest score of a hit, or the name of a floor by evidence. */
  minScore: number | Floor;
  settings: RankingSettings;
  /** Whether chunks of equal text are shown once. */
  deduplicate: boolean;
  /** Whether a fact is shown beside a passage of equal text. */
  keepsFacts?: boolean;
  /** Files that the query names, each with its first chunk. They come first, in this order. */
  named: readonly { path: string; firstChunkId: string | undefined }[];
  /** Periods that the question names. */
  periods?: readonly Period[];
  /**
   * Whether the question asks for nothing but a period, or for the texts that pass a filter by date.
   * All of these texts are hits then, from all days alike.
   */
  isListing?: boolean;
  /** Whether the question may ask for several people or things, so that one document should not fill the answer. */
  asksForSeveral?: boolean;
  /** Whether a filter decides which texts are wanted, so that no floor by evidence leaves none. */
  isFiltered?: boolean;
  /** Whether the nearest texts are hits if a floor by evidence leaves none. */
  showsNearest?: boolean;
  now: Date;
  /** The half-lives of facts; temporal decay applies to files and sessions. */
  halfLives?: HalfLives;
}

/** The part of a request that orders hits, whatever they are measured against. */
export type Ordering = Omit<RankingRequest, "mode" | "background" | "facts">;

/** A ranked candidate with the reasons for its place. */
export interface Ranked extends FusedHit {
  /** The score before temporal decay, and before the hit was lifted. */
  fusedScore: number;
  decay: number;
  /** For a fact: the factor by which its importance multiplied the score. */
  importance?: number;
  named: boolean;
  /** Whether the hit was lifted because it is one of the nearest by meaning (`liftNearest`). */
  nearest?: true;
  /** Whether the hit stands out of chance; undefined: there are too few chunks to tell. */
  standsOut?: boolean;
}

/** The reason for which a candidate was left out. */
export type LeftOut = { stage: "floor"; score: number } | { stage: "duplicate"; of: string };

export interface Ranking {
  /** The hits, best first. */
  ranked: Ranked[];
  leftOut: Map<string, LeftOut>;
  /**
   * The best facts that a floor by evidence left out, for `newestFirst`: a fact may share no word
   * with the question and still tell what holds now.
   */
  spareFacts: Ranked[];
  background?: Background | undefined;
  /** Whether the hits are the texts of a period, which are shown in order of time. */
  isList?: boolean;
}

/**
 * Ranks the candidates of both arms: fusion, a floor by evidence, temporal decay, named files
 * first, an explicit floor, and removal of duplicates. A floor by evidence (`auto`) comes before
 * decay: an old answer is worse than a new one, but still better than nothing. An explicit floor
 * comes last, and holds for every hit that is shown.
 *
 * @param details the details of every candidate and of the first chunks of named files; a candidate
 *   without details was deleted in the meantime
 */
export function rank(
  candidates: readonly Candidate[],
  details: ReadonlyMap<string, CandidateDetails>,
  request: RankingRequest,
): Ranking {
  const { mode, background, facts } = request;
  return rankTogether([{ candidates, mode, background, facts }], details, request);
}

/**
 * Ranks the candidates of several indexes as one list. Each candidate is measured against the
 * background of its own index.
 */
export function rankTogether(
  groups: readonly CandidateGroup[],
  details: ReadonlyMap<string, CandidateDetails>,
  request: Ordering,
): Ranking {
  if (request.isListing && !isAnswered(groups, details)) {
    const listed = listOf(groups, details, request);
    if (listed.ranked.length > 0) return listed;
  }
  const ranking = rankByEvidence(groups, details, request);
  const { isFiltered = false, showsNearest = false, minScore } = request;
  const isOpen = isFloor(minScore) && (isFiltered || showsNearest);
  if (ranking.ranked.length > 0 || !isOpen) return ranking;
  const all = rankByEvidence(groups, details, { ...request, minScore: 0 });
  return isFiltered ? all : nearestOf(all, ranking);
}

/**
 * Returns the nearest texts of a ranking without a floor; the others stay left out by the floor. "Where
 * do I live?" has only common words, and "I moved to Trondheim" may be the nearest text.
 */
function nearestOf(all: Ranking, floored: Ranking): Ranking {
  const ranked = all.ranked.filter(({ evidence }) => evidence > 0).slice(0, MOST_NEAREST);
  const leftOut = new Map(floored.leftOut);
  for (const { chunkId } of ranked) leftOut.delete(chunkId);
  const spareFacts = floored.spareFacts.filter(({ chunkId }) => leftOut.has(chunkId));
  return { ...all, ranked, leftOut, spareFacts };
}

/**
 * Returns whether a text writes the day of the question beside another word of it. "Who comes on
 * Thursday?" has only common words, like a question for all texts of a day, but asks for "The plumber
 * comes on Thursday".
 */
function isAnswered(groups: readonly CandidateGroup[], details: ReadonlyMap<string, CandidateDetails>): boolean {
  return groups.some(({ candidates }) => candidates.some(({ chunkId }) => details.get(chunkId)?.names === "answer"));
}

/** Returns the texts of the question's period, without a floor, in turn from each of its days. */
function listOf(
  groups: readonly CandidateGroup[],
  details: ReadonlyMap<string, CandidateDetails>,
  request: Ordering,
): Ranking {
  const { periods = [], minScore } = request;
  const isMeant = ({ chunkId }: Candidate) => {
    const text = details.get(chunkId) ?? {};
    return periods.length === 0 || periods.some((period) => isTextOf(text, period));
  };
  const all = groups.map((group) => ({ ...group, candidates: group.candidates.filter(isMeant) }));
  const isOfSpeaker = ({ chunkId }: Candidate) => details.get(chunkId)?.isOfSpeaker ?? false;
  const hasSpeaker = all.some(({ candidates }) => candidates.some(isOfSpeaker));
  const meant = hasSpeaker ? all.map((group) => ({ ...group, candidates: group.candidates.filter(isOfSpeaker) })) : all;
  const ranking = rankByEvidence(meant, details, { ...request, minScore: isFloor(minScore) ? 0 : minScore });
  const isNaming = ({ chunkId }: Ranked) => details.get(chunkId)?.names !== undefined;
  const spread = (hits: readonly Ranked[]) => spreadOverDays(hits, (hit) => details.get(hit.chunkId));
  const [of, naming] = [ranking.ranked.filter((hit) => !isNaming(hit)), ranking.ranked.filter(isNaming)];
  return { ...ranking, isList: true, ranked: [...spread(of), ...spread(naming)] };
}

function rankByEvidence(
  groups: readonly CandidateGroup[],
  details: ReadonlyMap<string, CandidateDetails>,
  request: Ordering,
): Ranking {
  const leftOut: Ranking["leftOut"] = new Map();
  const judged = groups.map((group) => scored(group, details, request, leftOut));
  // Sorting is stable, so equal scores keep the order of fusion.
  const inOrder = (hits: readonly JudgedHit[]) =>
    hits.map((hit) => age(hit, details, request)).toSorted((a, b) => b.score - a.score);
  const aged = inOrder(judged.flatMap(({ passing }) => passing));
  const ordered = namedFirst(aged, details, request);
  const distinctHits = request.deduplicate ? distinct(ordered, details, request, leftOut) : ordered;
  const lifted = mayLift(groups, request) ? liftNearest(distinctHits) : distinctHits;
  const above = aboveGiven(lifted, request, leftOut);
  const ranked = request.asksForSeveral
    ? spreadOverDocuments(above, ({ chunkId }) => details.get(chunkId)?.path ?? chunkId)
    : above;
  const spareFacts = inOrder(judged.flatMap(({ facts }) => facts)).slice(0, MOST_SPARE);
  return { ranked, leftOut, spareFacts, background: groups[0]?.background };
}

/**
 * Returns whether the nearest hits may be lifted: hits of one index, ordered by evidence, whose vectors
 * have a vote. The cosines of several memories may come from several models, and then do not compare.
 */
function mayLift([group, another]: readonly CandidateGroup[], { settings, isListing = false }: Ordering): boolean {
  const { fusion, vectorWeight } = settings;
  if (!group || another || isListing || group.mode !== "hybrid" || fusion !== "adaptive") return false;
  return vectorWeight > 0 && (group.background?.cosines?.sensitivity ?? 0) > 0;
}

/** The most facts that are kept although the floor left them out. */
const MOST_SPARE = 5;

/**
 * Returns the candidates of one index with their scores, without the hits that a floor by evidence
 * drops; and the facts among the dropped hits.
 */
function scored(
  { candidates, mode, background, facts }: CandidateGroup,
  details: ReadonlyMap<string, CandidateDetails>,
  { periods = [], settings, minScore }: Ordering,
  leftOut: Ranking["leftOut"],
): { passing: JudgedHit[]; facts: JudgedHit[] } {
  const existing = candidates.flatMap((candidate) => {
    const known = details.get(candidate.chunkId);
    return known ? [{ ...candidate, isFact: known.standing != null }] : [];
  });
  const known = withDateEvidence(existing, periods, details, background?.chunks ?? 0);
  const fused = fuse(known, mode, settings, background, facts);
  const scores = new Map(known.map((candidate) => [candidate.chunkId, candidate]));
  const isFact = ({ chunkId }: FusedHit) => details.get(chunkId)?.standing != null;
  const isNamed = ({ chunkId }: FusedHit) => details.get(chunkId)?.isNamed === true;
  const passing = isFloor(minScore) ? applyFloor(fused, { scores, isFact, isNamed }, background, minScore) : fused;
  const passed = new Set(passing.map((hit) => hit.chunkId));
  for (const { chunkId, score } of fused) if (!passed.has(chunkId)) leftOut.set(chunkId, { stage: "floor", score });
  const isDroppedFact = (hit: FusedHit) => !passed.has(hit.chunkId) && isFact(hit);
  const judge = (hit: FusedHit): JudgedHit => {
    if (!background) return hit;
    const hasWords = hasItsWords(scores.get(hit.chunkId) ?? {}, background);
    return { ...hit, standsOut: standsOut(hit.evidence, background) || hasWords };
  };
  return { passing: passing.map(judge), facts: fused.filter(isDroppedFact).map(judge) };
}

/** A hit with the answer to the question whether it stands out of chance, if that can be told. */
type JudgedHit = FusedHit & Pick<Ranked, "standsOut">;

function isFloor(minScore: number | Floor): minScore is Floor {
  return typeof minScore === "string";
}

function aboveGiven(hits: Ranked[], { minScore }: Ordering, leftOut: Ranking["leftOut"]): Ranked[] {
  if (isFloor(minScore)) return hits;
  return hits.filter(({ chunkId, score }) => {
    if (score < minScore) leftOut.set(chunkId, { stage: "floor", score });
    return score >= minScore;
  });
}

function age(hit: JudgedHit, details: ReadonlyMap<string, CandidateDetails>, request: Ordering): Ranked {
  const { settings, now, halfLives = {} } = request;
  const { enabled, halfLifeDays } = settings.temporalDecay;
  const fact = details.get(hit.chunkId);
  if (fact?.standing) {
    const { importance, decay } = factFactors(fact.standing, fact.changedAt, now, halfLives);
    return { ...hit, score: hit.score * importance * decay, fusedScore: hit.score, decay, importance, named: false };
  }
  const decay =
    enabled && fact ? decayFactor(ageReferenceDate(fact.path, fact.changedAt, fact.day), now, halfLifeDays) : 1;
  return { ...hit, score: hit.score * decay, fusedScore: hit.score, decay, named: false };
}

/**
 * Puts the best hit of each named file first, or its first chunk when none of its chunks was a hit.
 */
function namedFirst(
  hits: readonly Ranked[],
  details: ReadonlyMap<string, CandidateDetails>,
  { named }: Ordering,
): Ranked[] {
  const first = named.flatMap(({ path, firstChunkId }): Ranked[] => {
    const best = hits.find((hit) => details.get(hit.chunkId)?.path === path);
    if (best) return [{ ...best, score: 1, named: true }];
    if (firstChunkId === undefined || !details.has(firstChunkId)) return [];
    return [{ chunkId: firstChunkId, score: 1, evidence: 0, fusedScore: 0, decay: 1, named: true }];
  });
  const taken = new Set(first.map((hit) => hit.chunkId));
  return [...first, ...hits.filter((hit) => !taken.has(hit.chunkId))];
}

function distinct(
  hits: readonly Ranked[],
  details: ReadonlyMap<string, CandidateDetails>,
  { keepsFacts }: Pick<RankingRequest, "keepsFacts">,
  leftOut: Ranking["leftOut"],
): Ranked[] {
  const shown = new Map<string, string>();
  return hits.filter(({ chunkId, named }) => {
    const { hash: text = chunkId, standing } = details.get(chunkId) ?? {};
    const hash = keepsFacts && standing ? `fact ${text}` : text;
    const of = shown.get(hash);
    // A named file is shown even if another hit has the same text.
    if (of !== undefined && !named) leftOut.set(chunkId, { stage: "duplicate", of });
    else shown.set(hash, chunkId);
    return of === undefined || named;
  });
}

/**
 * The least evidence of a hit of a question: half as far from the mean as the best random chunk,
 * because the right answers of a small model are often no better than chance.
 */
const ASKED = 0.25;

/** A floor by evidence: `auto` is for a question, `recall` for a message that may not be one. */
export type Floor = "auto" | "recall";

/**
 * Drops hits with less evidence than chance. A hit with rare words, such as an error code in a long
 * question, is always kept. A hit with all words of the query is kept too, because a word that is
 * in every chunk has no evidence. Without a background nothing is dropped: there are too few chunks
 * to choose from.
 *
 * A message recalls nothing unless a hit stands well out of chance, or a fact answers: facts are few, so a
 * fact need only stand out of the facts, or have all words of the message ("Where do I work?" has only
 * common words), or be about somebody whom the message names.
 *
 * @param hits best first; the order is kept
 * @param known the known scores of each hit, by chunk, which hits are facts, and which of these are about
 *   somebody whom the message names
 */
export function applyFloor(
  hits: readonly FusedHit[],
  {
    scores,
    isFact,
    isNamed = () => false,
  }: { scores: ReadonlyMap<string, Scored>; isFact(hit: FusedHit): boolean; isNamed?(hit: FusedHit): boolean },
  background: Background | undefined,
  floor: Floor,
): FusedHit[] {
  if (!background) return [...hits];
  const hasWords = ({ chunkId }: FusedHit) => hasItsWords(scores.get(chunkId) ?? {}, background);
  const isAnswer = (fact: FusedHit) =>
    isNamed(fact) || factStandsOutUnasked(fact.evidenceAsFact ?? 0) || hasWords(fact);
  const answers = (hit: FusedHit) => standsOutUnasked(hit.evidence, background) || (isFact(hit) && isAnswer(hit));
  if (floor === "recall" && !hits.some(answers)) return [];
  return hits.filter((hit) => hit.evidence >= ASKED || hasWords(hit) || (floor === "recall" && isNamed(hit)));
}

/** The days of a year, and the years of a memory that spans some years. */
const DAYS = 365;
const YEARS = 3;

/**
 * Adds evidence to candidates of a period that the question names. The period acts like a word that
 * is not in the text. Like a word it counts by its rarity (`evidenceOfRarity`), here its share of a
 * year. The share of candidates of this period would say more, but a hit's score would then depend
 * on the other candidates.
 *
 * @param chunks the number of chunks in the index
 */
export function withDateEvidence(
  candidates: readonly Candidate[],
  periods: readonly Period[],
  details: ReadonlyMap<string, CandidateDetails>,
  chunks: number,
): Candidate[] {
  if (periods.length === 0) return [...candidates];
  return candidates.map((candidate) => {
    const known = details.get(candidate.chunkId);
    // A fact holds from its date on, not only on that date. The day of a file's last change says
    // little about its text: files that were imported together all have the same.
    if (!known?.days || (!known.names && (known.standing || known.isDayOfChange))) return candidate;
    const rarity = Math.max(0, ...periods.map((period) => nearness(known, period) * rarityOf(period)));
    return rarity === 0 ? candidate : { ...candidate, dateEvidence: evidenceOfRarity(rarity, chunks) };
  });
}

/**
 * The evidence of a conversation on a day beside the period, as a share. People often tell on the
 * next day what they did, and a speaker's day may be another in the time zone of the question.
 */
const BESIDE = 0.5;

/** Returns 1 for a text of the period, a share for a conversation beside it, else 0. */
function nearness(text: CandidateDetails, period: Period): number {
  if (isTextOf(text, period)) return 1;
  const isBeside = (days: DayRange) => isOfPeriod(withDayBeside(days), period);
  return text.isSaid && rangesOfText(text).some(isBeside) ? BESIDE : 0;
}

function withDayBeside({ from, to }: DayRange): DayRange {
  return { from: from && addDays(from, -1), to: to && addDays(to, 1) };
}

function rarityOf(period: Period): number {
  return Math.log(Math.max(YEARS, DAYS / lengthOf(period)));
}
