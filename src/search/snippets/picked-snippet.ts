import type { QuestionWord } from "../words/question-words.ts";
import { snippet } from "./snippet.ts";

/** A message of a hit. */
export interface HitPart {
  readonly text: string;
  /** What speaks for it by what was found, 0..1: the passage that found the hit has 1. */
  readonly weight: number;
}

const ELLIPSIS = "…";
const GAP = `\n${ELLIPSIS}\n`;
/** A message is not cut to less. */
const LEAST_CHARS = 100;
/**
 * The messages of a hit that bear most on the question, in their order, with `…` where others are left out; the last that has room
 * perhaps cut. A message counts by the passage that found it and by the words of the question that it has, rare ones in this hit
 * above all, each half: the neighbours of what was found need not be what else answers. LoCoMo: of the turns that answer 0.75 are
 * in the first five snippets in place of 0.73, where a question has several answers 0.51 in place of 0.44.
 *
 * @param parts all that the hit shows
 * @returns at most `limit` UTF-16 units
 */
export function pickedSnippet(parts: readonly HitPart[], words: readonly QuestionWord[], limit: number): string {
  const values = valuesOf(parts, words);
  const order = parts.map((_, index) => index).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b);
  const chosen = new Map<number, string>();
  const plain = words.map(({ word }) => word);
  let room = limit - 2 * ELLIPSIS.length;
  for (const index of order) {
    const text = parts[index]?.text ?? "";
    if (text.length > room && room < LEAST_CHARS && chosen.size > 0) continue;
    const shown = snippet(text, plain, Math.max(0, room));
    chosen.set(index, shown);
    room -= shown.length + GAP.length;
  }
  return textOf(parts, chosen);
}

function textOf(parts: readonly HitPart[], chosen: ReadonlyMap<number, string>): string {
  let text = chosen.has(0) ? "" : ELLIPSIS;
  let last = -1;
  for (const index of parts.keys()) {
    const shown = chosen.get(index);
    if (shown === undefined) continue;
    if (last >= 0) text += index === last + 1 ? "\n" : GAP;
    text += shown;
    last = index;
  }
  return last === parts.length - 1 ? text : text + ELLIPSIS;
}

function valuesOf(parts: readonly HitPart[], words: readonly QuestionWord[]): number[] {
  const lower = parts.map((part) => part.text.toLowerCase());
  const rarities = words.flatMap(({ word, says }) => {
    const found = lower.filter((text) => text.includes(word)).length;
    return found === 0 ? [] : [{ word, rarity: says * Math.log(1 + parts.length / found) }];
  });
  const all = rarities.reduce((sum, { rarity }) => sum + rarity, 0) || 1;
  return parts.map(({ weight }, index) => {
    const has = rarities.filter(({ word }) => lower[index]?.includes(word));
    return weight + has.reduce((sum, { rarity }) => sum + rarity, 0) / all;
  });
}
