import { type Background, evidenceByChance, hasAllWanted, isRareMatch, type Scored } from "./evidence.ts";

/**
 * The least evidence of a recall's best hit. It is more than the best random chunk has, because the
 * message may not be a question.
 */
const UNASKED = 1.2;
/**
 * The least evidence of a fact against the chance that a fact has, which is less than the chance of any
 * text. The facts of four memories have at most 1.66 for 70 unrelated messages, unless they have a word
 * of the message.
 */
const UNASKED_FACT = 1.8;
/**
 * A recall's best hit must also exceed the best hit that one of this many messages finds by chance,
 * which matters in a small index.
 */
const MESSAGES = 5;

/**
 * The number of nearest hits that are shown as usual although no hit is certain: one of them may be the
 * answer in other words.
 */
export const MOST_NEAREST = 3;

/**
 * The most characters that are shown of each further hit when no hit is certain. Otherwise a model would
 * read as much for a question without an answer as for one with an answer.
 */
const MAX_UNCERTAIN_CHARS = 160;

/**
 * Returns the most characters that are shown of a hit.
 *
 * @param place the hit's place among the hits, from 0
 * @param usual the most characters of a certain hit
 */
export function shownChars(place: number, usual: number, isCertain: boolean): number {
  return isCertain || place < MOST_NEAREST ? usual : MAX_UNCERTAIN_CHARS;
}

/** The score from which a hit is more likely an answer than not. */
const LIKELY = 0.5;

/** Returns whether a hit of a question has more evidence than the best hit has by chance. */
export function standsOut(evidence: number, background: Background): boolean {
  return evidence >= evidenceByChance(background, 1);
}

/**
 * Returns whether a hit stands out so far that a recall should show it, although the message may not
 * be a question. Among many messages, one is near to some text by chance.
 */
export function standsOutUnasked(evidence: number, background: Background): boolean {
  return evidence >= Math.max(UNASKED, evidenceByChance(background, MESSAGES));
}

/** Returns whether a fact stands out of the other facts enough for a recall to show it. */
export function factStandsOutUnasked(evidenceAsFact: number): boolean {
  return evidenceAsFact >= UNASKED_FACT;
}

/**
 * Returns whether a hit has words of the question that chance does not give: rare ones, such as an
 * error code in a long question, or all words of the question. A word that is in every chunk has no
 * evidence.
 */
export function hasItsWords(scored: Scored, background: Background): boolean {
  return isRareMatch(scored, background) || hasAllWanted(scored, background);
}

/** A hit as far as its certainty is judged. */
export interface JudgedHit {
  readonly score: number;
  /** More than 0 if the hit has words of the question. */
  readonly textScore?: number;
  /** Whether the question names the hit's file. */
  readonly named: boolean;
  /** Whether the hit stands out of chance; undefined: the index is too small to tell. */
  readonly standsOut?: boolean;
  readonly rerankScore?: number;
  /** Whether the hit is a passage that only asks, or only says that the answer is not known (`answersFirst`). */
  readonly onlyAsks?: true;
  /** Whether the question names an owner ("my sister's name"), and the hit does not. */
  readonly lacksOwner?: true;
}

/**
 * Returns whether any hit of a question is certain enough to be shown as an answer: it stands out of
 * chance, or a reranker takes it for an answer. An index that is too small to tell what chance gives
 * makes a hit certain that has words of the question or is likely.
 */
export function isCertain(hits: readonly JudgedHit[]): boolean {
  return hits.some((hit) => {
    if (hit.onlyAsks || hit.lacksOwner) return false;
    if (hit.named || (hit.rerankScore ?? 0) >= LIKELY) return true;
    return hit.standsOut ?? ((hit.textScore ?? 0) > 0 || hit.score >= LIKELY);
  });
}

/**
 * Returns whether any hit is more likely an answer than not. The block of a recall without such a hit
 * says that nothing is certain: the recall was not asked for, so it must promise less than a search.
 */
export function isLikely(hits: readonly { score: number }[]): boolean {
  return hits.some(({ score }) => score >= LIKELY);
}
