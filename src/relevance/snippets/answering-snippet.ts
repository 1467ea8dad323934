import type { CivilDay } from "../../base/civil-day.ts";
import type { SoughtWord, WordFinder } from "../words/sought-words.ts";
import { cutPassages, type Passage } from "./cut-passages.ts";
import { snippet, wordEnd } from "./snippet.ts";

/** A message of a hit. */
export interface HitPart {
  readonly text: string;
  /** The message's weight by the found passages, 0..1; the passage that found the hit has 1. */
  readonly weight: number;
  /** When it was said. */
  readonly at?: Date | undefined;
  /** The day on which it was said. */
  readonly day?: CivilDay | undefined;
  /** Whether the message is of the days that the search names. */
  readonly isMeant?: boolean | undefined;
}

/** A hit, as far as its snippet needs it. */
export interface SnippetHit {
  readonly text: string;
  /** The messages of a conversation's hit. */
  readonly parts?: readonly HitPart[] | undefined;
  /** Whether messages that are not meant are never shown beside those that are. */
  readonly onlyMeant?: boolean | undefined;
  /** The piece of the hit that the search found. */
  readonly found: string;
  /** The header of the table that the hit is a piece of, if the text lacks it. */
  readonly header?: string | undefined;
}

/** The words of a question, and the function that finds them. */
export interface Sought {
  readonly words: readonly SoughtWord[];
  readonly find: WordFinder;
}

/**
 * What a passage is worth beside the words that it has itself. The values are in the middle of the
 * range in which the results on conversations and notes hardly change (bench/snippets.ts): halves
 * and doubles of most lose less than 0.01.
 */
const WORTH = {
  /** Standing in the piece that the search found. */
  found: 0.5,
  /** The words of the passage before it: an answer often follows what it is about. */
  before: 0.35,
  /** In addition, if the passage before it is a question. */
  answer: 0.5,
  /** A question's own words: a question is no answer. */
  question: 0.5,
  /** The words of its message or of its heading. */
  around: 0.2,
  /** A chosen passage beside it in its message. */
  sameBlock: 0.2,
  /** A chosen passage beside it in another message or line. */
  nextBlock: 0.1,
  /** The loss for words that a chosen passage has already. */
  repeated: 0.3,
};
const ELLIPSIS = "…";
const QUESTION = /[?？؟]["')\]”’»]*\s*$/;
/** The longest context line that is shown with a passage. */
const MAX_CONTEXT = 160;
/** The longest name of a speaker that is repeated. */
const MAX_SPEAKER = 40;

/**
 * Returns the part of a hit to show: all of it if it fits, else the passages that bear most on the
 * question, in their order, with `…` where something is left out. A passage is a sentence, a line
 * or a row. It is chosen by the sought words in it, rare ones above all, by the passages around it,
 * and by the piece that the search found. A row is shown with its table's header, a line with its
 * heading, and a sentence from the middle of a message with its speaker. Messages of the days that
 * the search names are shown before others. If the shown messages are of several days, a line with
 * the day stands before the first one of each.
 *
 * @returns at most `limit` UTF-16 units, never half a surrogate pair
 */
export function answeringSnippet(hit: SnippetHit, sought: Sought, limit: number): string {
  return answeringExcerpt(hit, sought, limit).text;
}

/** The shown part of a hit. */
export interface Excerpt {
  readonly text: string;
  /** The places of the messages that it shows, in ascending order; none for a text without messages. */
  readonly shown: readonly number[];
}

/** Does as `answeringSnippet`, and returns which messages are shown. */
export function answeringExcerpt(hit: SnippetHit, { words, find }: Sought, limit: number): Excerpt {
  const { text, parts, header } = hit;
  const lead = header === undefined || header.length > MAX_CONTEXT ? "" : `${header}\n${ELLIPSIS}\n`;
  const meant = meantParts(hit, find);
  const marked = parts && !meant.excludes ? wholeWithDays(parts) : text;
  if (!meant.excludes && marked.length + lead.length <= limit) return allOf(parts, lead + marked);
  if (!meant.excludes && marked.length <= limit) return allOf(parts, marked);
  const passages = cutPassages(text, parts && startsOf(parts));
  const found = passages.map(({ start, end }) => find(text.slice(start, end)));
  const speakers = (parts ?? []).map((part) => find(speakerIn(part.text)));
  const shares = sharesOf(words, found, speakers);
  const said = passages.map(({ block }, index) => new Set([...(found[index] ?? []), ...(speakers[block] ?? [])]));
  const values = valuesOf(hit, passages, said, shares);
  const show = (chosen: ReadonlySet<number>) => {
    const shown = assemble(text, passages, chosen, parts);
    return lead === "" ? shown : lead + (shown.startsWith(ELLIPSIS) ? shown.slice(ELLIPSIS.length) : shown);
  };
  const isFirst = ({ block }: Passage) => meant.first?.has(block) ?? true;
  const chosen = choose({ passages, found, shares }, values, (some) => show(some).length, {
    limit,
    isFirst,
    isNamed: meant.first !== undefined,
    onlyFirst: meant.excludes,
  });
  const blocksOf = (some: Iterable<number>) => [...new Set([...some].map((index) => passages[index]?.block ?? 0))];
  if (chosen.size > 0) {
    const isAllowed = (passage: Passage) => !meant.excludes || isFirst(passage);
    cutNext(text, passages, { chosen, values, parts, isAllowed }, limit - show(chosen).length);
    return { text: show(chosen), shown: parts ? blocksOf(chosen).sort((a, b) => a - b) : [] };
  }
  const most = Math.max(...values.filter((_, index) => isFirst(passages[index] as Passage)));
  const at = values.findIndex((value, index) => value === most && isFirst(passages[index] as Passage));
  const best = passages[at];
  const plain = words.flatMap(({ spellings }) => spellings);
  const part = snippet(best ? text.slice(best.start, best.end).trimEnd() : text, plain, limit);
  return { text: part, shown: parts && best ? [best.block] : [] };
}

function allOf(parts: readonly HitPart[] | undefined, text: string): Excerpt {
  return { text, shown: [...(parts ?? []).keys()] };
}

/** The messages that are shown before all others; `first` is undefined if that is all of them. */
interface Meant {
  readonly first?: ReadonlySet<number>;
  /** Whether the other messages are not shown at all. */
  readonly excludes: boolean;
}

/**
 * Returns the messages of the days that the search names. The others are not shown beside them,
 * unless only they have words of the question and no filter excludes them.
 */
function meantParts({ parts = [], onlyMeant = false }: SnippetHit, find: WordFinder): Meant {
  const first = new Set([...parts.keys()].filter((index) => parts[index]?.isMeant));
  if (first.size === 0 || first.size === parts.length) return { excludes: false };
  return { first, excludes: onlyMeant || parts.some(({ isMeant, text }) => isMeant && find(text).size > 0) };
}

/** Returns the line that stands before the messages of a day. */
function dayLine(day: CivilDay): string {
  return `[${day}]\n`;
}

function areOfSeveralDays(parts: readonly HitPart[]): boolean {
  return new Set(parts.map(({ day }) => day)).size > 1;
}

/** Returns messages as text. If they are of several days, each day's name stands before its messages. */
function wholeWithDays(parts: readonly HitPart[]): string {
  const isMarked = areOfSeveralDays(parts);
  const lines = parts.map(({ text, day }, index) =>
    isMarked && day !== undefined && day !== parts[index - 1]?.day ? dayLine(day) + text : text,
  );
  return lines.join("\n");
}

function startsOf(parts: readonly HitPart[]): number[] {
  let start = 0;
  return parts.map((part) => {
    const own = start;
    start += part.text.length + 1;
    return own;
  });
}

type Found = readonly ReadonlySet<number>[];

/** The least weight of a speaker whom the question names, as a share of its most telling word's. */
const LEAST_NAME = 0.5;

/**
 * Returns the share of each sought word in the weight of the words that the hit has. The name of a speaker
 * stands in every message of a conversation and is no rare word, yet it tells whose words are asked for.
 */
function sharesOf(words: readonly SoughtWord[], found: Found, speakers: Found): number[] {
  const there = new Set(found.flatMap((one) => [...one]));
  const names = new Set(speakers.flatMap((one) => [...one]));
  const most = Math.max(0, ...words.map(({ weight }, index) => (there.has(index) ? weight : 0)));
  const weights = words.map(({ weight }, index) => (names.has(index) ? Math.max(weight, LEAST_NAME * most) : weight));
  const all = weights.reduce((sum, weight, index) => sum + (there.has(index) ? weight : 0), 0) || 1;
  return weights.map((weight) => weight / all);
}

function sum(places: Iterable<number>, shares: readonly number[]): number {
  let total = 0;
  for (const place of places) total += shares[place] ?? 0;
  return total;
}

function valuesOf(
  { text, parts, found: piece }: SnippetHit,
  passages: readonly Passage[],
  found: Found,
  shares: readonly number[],
): number[] {
  const own = found.map((one) => sum(one, shares));
  const inBlock = new Map<number, Set<number>>();
  for (const [index, { block }] of passages.entries()) {
    const words = inBlock.get(block) ?? new Set();
    inBlock.set(block, words);
    for (const word of found[index] ?? []) words.add(word);
  }
  const isQuestion = passages.map(({ start, end }) => QUESTION.test(text.slice(Math.max(start, end - 10), end)));
  const at = parts ? -1 : text.indexOf(piece);
  const isFound = ({ start, end }: Passage) => at !== -1 && start >= at && end <= at + piece.length + 1;
  return passages.map((passage, index) => {
    const before = own[index - 1] ?? 0;
    const follows = isQuestion[index - 1] && !isQuestion[index] ? WORTH.before + WORTH.answer : WORTH.before;
    const around = Math.max(
      sum(inBlock.get(passage.block) ?? [], shares),
      passage.context === undefined ? 0 : (own[passage.context] ?? 0),
    );
    const weight = parts ? (parts[passage.block]?.weight ?? 0) : Number(isFound(passage));
    const said = (isQuestion[index] ? WORTH.question : 1) * (own[index] ?? 0);
    return said + follows * before + WORTH.around * around + WORTH.found * weight;
  });
}

/** What choosing passages has come to. */
interface Choice {
  readonly chosen: Set<number>;
  readonly left: Set<number>;
  /** The value of each passage beside the chosen ones. */
  readonly worth: number[];
  /** The words of the chosen passages. */
  readonly said: Set<number>;
  /** Returns the length of a snippet with these passages. */
  readonly lengthOf: (chosen: ReadonlySet<number>) => number;
  /** The most characters of the snippet. */
  readonly limit: number;
  length: number;
  /** How many passages did not fit. */
  failed: number;
}

/** Which passages are chosen before others. */
interface Preference {
  /** The most characters of the snippet. */
  readonly limit: number;
  readonly isFirst: (passage: Passage) => boolean;
  /** Whether the first passages are wanted because of their days, whatever their words. */
  readonly isNamed: boolean;
  /** Whether only these are chosen. */
  readonly onlyFirst: boolean;
}

/** The passages of a hit, with what is known of them. */
interface Known {
  readonly passages: readonly Passage[];
  readonly found: Found;
  readonly shares: readonly number[];
}

/**
 * Chooses passages, best first, as long as they fit.
 *
 * @param lengthOf returns the length of a snippet with these passages
 */
function choose(
  known: Known,
  values: readonly number[],
  lengthOf: (chosen: ReadonlySet<number>) => number,
  { limit, isFirst, isNamed, onlyFirst }: Preference,
): Set<number> {
  const { passages, found } = known;
  const choice: Choice = {
    chosen: new Set(),
    left: new Set(),
    worth: [...values],
    said: new Set(),
    lengthOf,
    limit,
    length: 0,
    failed: 0,
  };
  const [first, others] = [true, false].map((wanted) =>
    [...passages.keys()].filter((index) => isFirst(passages[index] as Passage) === wanted),
  );
  for (const index of first ?? []) choice.left.add(index);
  take(known, choice, isNamed ? undefined : found);
  if (onlyFirst || !others?.length) return choice.chosen;
  for (const index of others) choice.left.add(index);
  take(known, choice, found);
  return choice.chosen;
}

/** Chooses passages among those that are left. */
function take({ passages, found, shares }: Known, choice: Choice, saying: Found | undefined): void {
  const { chosen, left, said, limit } = choice;
  while (choice.failed < MAX_FAILED) {
    const best = bestLeft(choice, saying);
    const passage = passages[best ?? -1];
    if (best === undefined || !passage) break;
    left.delete(best);
    // A passage that is too long need not be tried, unless it makes an ellipsis superfluous.
    const saved = chosen.has(best - 1) || chosen.has(best + 1) ? MOST_SAVED : 0;
    if (choice.length + passage.end - passage.start > limit + saved) continue;
    chosen.add(best);
    const whole = choice.lengthOf(chosen);
    if (whole > limit) {
      chosen.delete(best);
      choice.failed++;
      continue;
    }
    choice.length = whole;
    raiseNeighbours(passages, best, choice.worth);
    const fresh = [...(found[best] ?? [])].filter((word) => !said.has(word));
    for (const word of fresh) said.add(word);
    lowerRepeated(choice, { found, shares }, fresh);
  }
}

/**
 * Returns the best passage that is left. After the first, a passage without a sought word is taken
 * only beside a chosen one: alone it would say nothing.
 *
 * @param found undefined: every passage is wanted, whatever its words
 */
function bestLeft({ chosen, left, worth }: Choice, found: Found | undefined): number | undefined {
  let best: number | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const index of left) {
    const value = worth[index] ?? 0;
    if (value <= most) continue;
    const says =
      !found || chosen.size === 0 || (found[index]?.size ?? 0) > 0 || chosen.has(index - 1) || chosen.has(index + 1);
    if (says) [best, most] = [index, value];
  }
  return best;
}

/**
 * Chooses the beginning of a passage that is too long for the rest of the room: the best one behind
 * a chosen one.
 */
function cutNext(
  text: string,
  passages: Passage[],
  {
    chosen,
    values,
    parts = [],
    isAllowed,
  }: {
    chosen: Set<number>;
    values: readonly number[];
    parts: readonly HitPart[] | undefined;
    isAllowed: (passage: Passage) => boolean;
  },
  room: number,
): void {
  if (room < LEAST_CUT) return;
  const dayOf = (index: number) => parts[passages[index]?.block ?? -1]?.day;
  const isCut = (index: number) => {
    const passage = passages[index];
    const isFree = !chosen.has(index) && !chosen.has(index + 1);
    // The line of another day would need more room.
    if (!isFree || passage === undefined || dayOf(index) !== dayOf(index - 1)) return false;
    return isAllowed(passage) && passage.end - passage.start > room;
  };
  const worthOf = (index: number) => values[index] ?? 0;
  const [next] = [...chosen]
    .flatMap((index) => (isCut(index + 1) ? index + 1 : []))
    .sort((a, b) => worthOf(b) - worthOf(a));
  const passage = passages[next ?? -1];
  if (next === undefined || !passage) return;
  const end = wordEnd(text, passage.start + room - MOST_ADDED);
  if (end - passage.start < LEAST_CUT / 2) return;
  passages[next] = { ...passage, end };
  chosen.add(next);
}

/** The least room for a part of a passage. */
const LEAST_CUT = 60;
/** The characters of white space and an ellipsis that a part may add. */
const MOST_ADDED = 8;
/** How many passages that do not fit are tried before the rest of the room stays empty. */
const MAX_FAILED = 8;
/** The most characters that a passage saves by closing a gap, with the speaker or heading there. */
const MOST_SAVED = MAX_CONTEXT + 10;

function raiseNeighbours(passages: readonly Passage[], chosen: number, worth: number[]): void {
  for (const beside of [chosen - 1, chosen + 1]) {
    const isSame = passages[beside]?.block === passages[chosen]?.block;
    worth[beside] = (worth[beside] ?? 0) + (isSame ? WORTH.sameBlock : WORTH.nextBlock);
  }
}

/** Lowers the worth of passages with words that are shown now. */
function lowerRepeated(
  { left, worth }: Choice,
  { found, shares }: { found: Found; shares: readonly number[] },
  fresh: readonly number[],
): void {
  if (fresh.length === 0) return;
  for (const index of left)
    for (const word of fresh)
      if (found[index]?.has(word)) worth[index] = (worth[index] ?? 0) - WORTH.repeated * (shares[word] ?? 0);
}

/** Returns the chosen passages as text. */
function assemble(
  text: string,
  passages: readonly Passage[],
  chosen: ReadonlySet<number>,
  parts: readonly HitPart[] | undefined,
): string {
  let shown = "";
  let last: number | undefined;
  const contexts = new Set<number>();
  const partOf = (index: number | undefined) => parts?.[passages[index ?? -1]?.block ?? -1];
  const isMarked = areOfSeveralDays([...chosen].flatMap((index) => partOf(index) ?? []));
  for (const index of [...chosen].sort((a, b) => a - b)) {
    const { start, end, context } = passages[index] as Passage;
    const gapOf = parts ? gapInConversation : gapInDocument;
    const gap = gapOf(text, passages, { last, index, isContextShown: contexts.has(context ?? -1) });
    const day = isMarked ? partOf(index)?.day : undefined;
    shown = shown.trimEnd() + (day === undefined || day === partOf(last)?.day ? gap : withDay(gap, day));
    shown += text.slice(start, end);
    contexts.add(index);
    if (context !== undefined) contexts.add(context);
    last = index;
  }
  return text.slice(passages[last ?? -1]?.end).trim() === "" ? shown : shown.trimEnd() + ELLIPSIS;
}

/** Returns the text before the first shown message of a day, with the day on a line of its own. */
function withDay(gap: string, day: CivilDay): string {
  const line = gap.lastIndexOf("\n") + 1;
  return gap.slice(0, line) + dayLine(day) + gap.slice(line);
}

interface Gap {
  /** The passage that was shown before. */
  last: number | undefined;
  /** The passage that comes next. */
  index: number;
  isContextShown: boolean;
}

/** Returns the text between two passages that are not in different blocks of a text. */
function gapInBlock(text: string, passages: readonly Passage[], { last, index }: Gap): string | undefined {
  const [previous, passage] = [passages[last ?? -1], passages[index]];
  if (!passage || (!previous && index === 0)) return "";
  if (!previous) return undefined;
  const between = text.slice(previous.end, passage.start);
  // The white space at the end of the passage before was cut off.
  const end = previous.start + text.slice(previous.start, previous.end).trimEnd().length;
  if (index === (last ?? -1) + 1) return text.slice(end, passage.start);
  return previous.block === passage.block && !between.includes("\n") ? ` ${ELLIPSIS} ` : undefined;
}

/** Returns the text before a message's passage; one from the middle of a message has its speaker. */
function gapInConversation(text: string, passages: readonly Passage[], gap: Gap): string {
  const { last, index } = gap;
  const line = last === undefined ? "" : "\n";
  const inBlock = gapInBlock(text, passages, gap);
  if (inBlock !== undefined) return inBlock;
  const isSameMessage = last !== undefined && passages[last]?.block === passages[index]?.block;
  const speaker = isSameMessage ? "" : speakerOf(text, passages, index);
  return speaker === "" ? `${line}${ELLIPSIS}${line}` : `${line}${speaker}${ELLIPSIS}`;
}

/** Returns the text before a passage, with its heading or table header, unless that was shown. */
function gapInDocument(text: string, passages: readonly Passage[], gap: Gap): string {
  const { last, index, isContextShown } = gap;
  const inBlock = gapInBlock(text, passages, gap);
  if (inBlock !== undefined) return inBlock;
  const line = last === undefined ? "" : "\n";
  const context = isContextShown ? undefined : passages[index]?.context;
  const above = passages[context ?? -1];
  if (context === undefined || !above || above.end - above.start > MAX_CONTEXT) return `${line}${ELLIPSIS}${line}`;
  const before = context === (last ?? -1) + 1 ? line : `${line}${ELLIPSIS}${line}`;
  const after = context === index - 1 ? "\n" : `\n${ELLIPSIS}\n`;
  return before + text.slice(above.start, above.end) + after;
}

/** Returns the speaker with whom a message begins; empty if it has none. */
function speakerIn(message: string): string {
  return message.slice(0, Math.max(0, message.slice(0, MAX_SPEAKER).indexOf(": ")));
}

/** Returns the speaker of a passage from the middle of a message, such as `Ann: `. */
function speakerOf(text: string, passages: readonly Passage[], index: number): string {
  const { block, isFirst } = passages[index] as Passage;
  if (isFirst) return "";
  let first = index;
  while (passages[first - 1]?.block === block) first--;
  const start = passages[first]?.start ?? 0;
  const speaker = speakerIn(text.slice(start, start + MAX_SPEAKER));
  return speaker === "" ? "" : `${speaker}: `;
}
