import type { Asked } from "./ask-week.ts";

/** A score of a half means more likely than not. A hit with a lower score counts as doubtful. */
export const DOUBTFUL_BELOW = 0.5;

export interface Share {
  part: number;
  of: number;
}

/** Numbers of questions and messages. */
export interface WeekFigures {
  /** Questions whose answer one of the three best hits of `memory_search` holds. */
  found: Share;
  /** Questions whose answer is in the block of recall. */
  recalled: Share;
  /** Unrelated messages for which recall returns memories. */
  recalledUnrelated: Share;
  /**
   * Questions without an answer that have no hit, or only hits whose score says that they are
   * unlikely.
   */
  doubted: Share;
  /** Found answers whose hit has a score that says that it is likely. */
  certain: Share;
}

/**
 * The least or greatest share of each figure: the level that is reached now, so that it does not
 * get worse. The goals are 0.93, 0.85, 0.1 and 0.7
 * (bench/notes/conversations.md, "Realistic weeks", says what is missing).
 */
export const BOUNDS = [
  { figure: "found", least: 0.9 },
  { figure: "recalled", least: 0.82 },
  { figure: "recalledUnrelated", most: 0.14 },
  { figure: "doubted", least: 0.6 },
] as const satisfies { figure: keyof WeekFigures; least?: number; most?: number }[];

export function figuresOf(asked: readonly Asked[]): WeekFigures {
  const questions = asked.filter(isAnswered);
  const unanswered = asked.filter((one) => one.kind === "unanswered");
  const unrelated = asked.filter((one) => one.kind === "unrelated");
  const found = questions.filter((one) => one.found);
  return {
    found: shareOf(questions, (one) => one.found),
    recalled: shareOf(questions, (one) => one.recalled),
    recalledUnrelated: shareOf(unrelated, (one) => one.block !== ""),
    doubted: shareOf(unanswered, isDoubted),
    certain: shareOf(found, (one) => (one.foundScore ?? 0) >= DOUBTFUL_BELOW),
  };
}

/** Returns one figure as a number between 0 and 1. */
export function ratio({ part, of }: Share): number {
  return of === 0 ? 0 : part / of;
}

export function isAnswered({ kind }: Asked): boolean {
  return kind !== "unanswered" && kind !== "unrelated";
}

/** Returns whether the hits of a question say that there is no answer. */
export function isDoubted({ hits }: Asked): boolean {
  return hits.every((hit) => hit.score < DOUBTFUL_BELOW);
}

function shareOf(asked: readonly Asked[], holds: (one: Asked) => boolean): Share {
  return { part: asked.filter(holds).length, of: asked.length };
}
