import { failureTable, nextMatchLength } from "../../base/text/knuth-morris-pratt.ts";
import type { HitPart } from "../snippets/answering-snippet.ts";

/** A message in a hit or beside it, as lines of the transcript. */
export interface NearMessage {
  seq: number;
  firstLine: number;
  lineCount: number;
  /** The message as the transcript shows it. */
  text: string;
  /** When the message was said. */
  at?: Date | undefined;
  /** Whether the message is neither indexed nor shown. */
  isHidden?: boolean | undefined;
}

/**
 * A piece of a conversation with the messages around it. A piece without such messages is not
 * extended.
 */
export interface Surrounded extends Piece {
  around?: readonly NearMessage[] | undefined;
  /** The messages of which an extended piece consists. */
  parts?: readonly HitPart[] | undefined;
}

/** A piece as the search found it. */
interface Found extends Surrounded {
  score?: number;
}

/**
 * Extends each hit of a conversation by the messages around it, as far as there is room. A short
 * passage is found best, and the answer is often said just before or after it. A hit is first
 * extended to other hits nearby, best first: messages between two hits are more likely to answer
 * than messages on the other side. Then messages are added alternately after and before the hit, up
 * to an earlier hit. A hit inside an earlier extended hit is left out, and its place goes to the
 * next hit.
 *
 * @param hits best first
 * @param maxChars the most characters of an extended hit; a longer hit is not extended
 */
export function expandHits<T extends Found>(hits: readonly T[], maxChars: number): T[] {
  const byPath = Map.groupBy(
    hits.filter((hit) => hit.around),
    (hit) => hit.path,
  );
  const shown: T[] = [];
  for (const hit of hits) {
    const others = hit.around ? shown.filter(({ path, around }) => around && path === hit.path) : [];
    const isShown = others.some(({ startLine, endLine }) => startLine <= hit.startLine && hit.endLine <= endLine);
    if (!isShown) shown.push(grow(hit, byPath.get(hit.path) ?? [], others, maxChars));
  }
  return shown;
}

/** A range of positions in a list of messages, both ends included. */
interface Span {
  from: number;
  to: number;
}

function grow<T extends Found>(hit: T, near: readonly Found[], others: readonly Piece[], maxChars: number): T {
  const messages = hit.around ?? [];
  const inside = spanOf(messages, hit);
  // A piece of a long message, or one with missing messages, cannot be extended.
  if (!inside || textOf(messages, inside) !== hit.text) return hit;
  const reach = reachOf(messages, inside, others);
  const joined = joinNear(messages, inside, near, { reach, maxChars });
  const whole = extend(messages, joined, { reach, maxChars });
  const [first, last] = [messages[whole.from], messages[whole.to]];
  const parts = partsOf(messages.slice(whole.from, whole.to + 1), hit, near);
  return { ...hit, startLine: first?.firstLine, endLine: lastLine(last), text: textOf(messages, whole), parts };
}

/**
 * Returns the messages of a hit. The weight of a message is the best score of the found passages
 * that contain it, as a share of the hit's own score.
 */
function partsOf(messages: readonly NearMessage[], { score = 0 }: Found, near: readonly Found[]): HitPart[] {
  const shown = messages.filter(({ isHidden }) => !isHidden);
  return shown.map((one) => {
    const scores = near.flatMap((hit) =>
      hit.startLine <= one.firstLine && lastLine(one) <= hit.endLine ? (hit.score ?? 0) : [],
    );
    return { text: one.text, at: one.at, weight: score > 0 ? Math.min(1, Math.max(0, ...scores) / score) : 0 };
  });
}

/**
 * Returns the messages of a piece; undefined when the piece does not consist of whole known
 * messages.
 */
function spanOf(messages: readonly NearMessage[], { startLine, endLine }: Piece): Span | undefined {
  const from = messages.findIndex((one) => one.firstLine === startLine);
  const to = messages.findIndex((one) => lastLine(one) === endLine);
  return from === -1 || to < from ? undefined : { from, to };
}

/**
 * Returns the range in which a hit may grow: it ends before a gap and before the messages of an
 * earlier hit.
 */
function reachOf(messages: readonly NearMessage[], inside: Span, others: readonly Piece[]): Span {
  let { from, to } = inside;
  const isFree = (at: number) => {
    const one = messages[at];
    return one !== undefined && !isTaken(one, others);
  };
  while (isFree(to + 1) && messages[to + 1]?.firstLine === lastLine(messages[to]) + 1) to++;
  while (isFree(from - 1) && lastLine(messages[from - 1]) + 1 === messages[from]?.firstLine) from--;
  return { from, to };
}

/** Returns the span, extended to the nearby hits that fit. */
function joinNear(
  messages: readonly NearMessage[],
  inside: Span,
  near: readonly Piece[],
  { reach, maxChars }: { reach: Span; maxChars: number },
): Span {
  let whole = inside;
  for (const hit of near) {
    const other = spanOf(messages, hit);
    if (!other || other.from < reach.from || other.to > reach.to) continue;
    const both = { from: Math.min(whole.from, other.from), to: Math.max(whole.to, other.to) };
    if (lengthOf(messages, both) <= maxChars) whole = both;
  }
  return whole;
}

/** Returns the span, extended by messages alternately after and before it. */
function extend(
  messages: readonly NearMessage[],
  inside: Span,
  { reach, maxChars }: { reach: Span; maxChars: number },
): Span {
  let { from, to } = inside;
  let room = maxChars - lengthOf(messages, inside);
  const fits = (at: number) => {
    const one = messages[at];
    if (!one || at < reach.from || at > reach.to || one.text.length + 1 > room) return false;
    room -= one.text.length + 1;
    return true;
  };
  for (let grew = true; grew; ) {
    const after = fits(to + 1);
    if (after) to++;
    const before = fits(from - 1);
    if (before) from--;
    grew = after || before;
  }
  return { from, to };
}

function textOf(messages: readonly NearMessage[], { from, to }: Span): string {
  return messages
    .slice(from, to + 1)
    .flatMap(({ text, isHidden }) => (isHidden ? [] : [text]))
    .join("\n");
}

function lengthOf(messages: readonly NearMessage[], { from, to }: Span): number {
  return messages.slice(from, to + 1).reduce((sum, one) => sum + one.text.length + 1, -1);
}

function lastLine(message: NearMessage | undefined): number {
  return message ? message.firstLine + message.lineCount - 1 : 0;
}

function isTaken(message: NearMessage, others: readonly Piece[]): boolean {
  return others.some(({ startLine, endLine }) => startLine <= lastLine(message) && message.firstLine <= endLine);
}

/** A piece of a document with its lines. */
export interface Piece {
  path: string;
  startLine: number;
  endLine: number;
  text: string;
  /**
   * For a conversation: the messages around the piece. `expandHits` has already extended the piece
   * as far as possible, so it is not merged with another.
   */
  around?: readonly unknown[] | undefined;
}

/**
 * Merges neighbouring hits of one document: two chunks of one section are one answer, and the free
 * place goes to another hit. The merged hit takes the place of the better hit and keeps its other
 * fields. Overlapping lines are taken once. Where a long line was cut into pieces, the text that
 * two pieces share is taken once; without an overlap the cut cannot be seen, and the pieces stay
 * apart.
 *
 * @param hits best first
 * @param maxChars the most characters of a merged text
 */
export function mergeNeighbours<T extends Piece>(hits: readonly T[], maxChars: number): T[] {
  const merged: T[] = [];
  const comparisons = { left: MAX_COMPARISONS };
  for (const hit of hits) {
    let whole = hit;
    let place = merged.length;
    for (let index = merged.length - 1; index >= 0; index--) {
      const other = merged[index];
      const joined = other && join(other, whole, maxChars, comparisons);
      if (!joined || !other) continue;
      // The merged hit may now touch an earlier hit.
      whole = { ...other, ...joined };
      merged.splice(index, 1);
      place = index;
      index = merged.length;
    }
    merged.splice(place, 0, whole);
  }
  return merged;
}

/** Joins two pieces; returns undefined when they do not touch in whole lines. */
function join(one: Piece, other: Piece, maxChars: number, comparisons: { left: number }): Piece | undefined {
  if (one.path !== other.path || one.around) return undefined;
  const [first, second] = one.startLine <= other.startLine ? [one, other] : [other, one];
  const from = second.startLine - first.startLine;
  const [head, tail] = [first.text.split("\n"), second.text.split("\n")];
  if (from > head.length || !isWhole(first, head) || !isWhole(second, tail)) return undefined;
  const text = joinLines(head, tail, from) ?? joinCutLine(first, second, comparisons);
  if (text === undefined || text.length > maxChars) return undefined;
  return { path: one.path, startLine: first.startLine, endLine: Math.max(first.endLine, second.endLine), text };
}

/**
 * Joins the lines of two pieces and takes shared lines only once; returns undefined when the shared
 * lines differ.
 */
function joinLines(head: readonly string[], tail: readonly string[], from: number): string | undefined {
  const shared = Math.min(head.length - from, tail.length);
  for (let line = 0; line < shared; line++) if (head[from + line] !== tail[line]) return undefined;
  return [...head, ...tail.slice(shared)].join("\n");
}

/**
 * The length of an overlap in characters. Fewer equal characters may be chance. Longer overlaps are
 * not searched, because a hostile text can make that slow.
 */
const OVERLAP = { least: 24, most: 2000 };
/**
 * The most comparisons in one merge. A comparison takes at most a tenth of a millisecond, and a
 * hostile text can make every pair of hits comparable.
 */
const MAX_COMPARISONS = 400;

/**
 * Joins two pieces that were cut from one line with an overlap. The line begins in the first piece.
 */
function joinCutLine(first: Piece, second: Piece, comparisons: { left: number }): string | undefined {
  if (second.startLine > first.endLine) return undefined;
  const whole = overlap(first.text, second.text, comparisons);
  // Pieces of one line have the same line number, so only their texts show their order.
  return whole ?? (first.startLine === second.startLine ? overlap(second.text, first.text, comparisons) : undefined);
}

/**
 * Joins two texts when the end of the first is the beginning of the second; returns undefined when
 * it is not. Takes linear time, because each hit is compared with each other hit: a naive search
 * took two seconds for twelve hits of a line of equal letters.
 */
function overlap(head: string, tail: string, comparisons: { left: number }): string | undefined {
  const [end, start] = [head.slice(-OVERLAP.most), tail.slice(0, OVERLAP.most)];
  if (start.length < OVERLAP.least || !end.includes(start.slice(0, OVERLAP.least))) return undefined;
  if (comparisons.left-- <= 0) return undefined;
  const borders = failureTable(start);
  let shared = 0;
  for (let at = 0; at < end.length; at++) shared = nextMatchLength(start, borders, shared, end.charCodeAt(at));
  return shared < OVERLAP.least ? undefined : head + tail.slice(shared);
}

/** Returns whether a text has as many lines as its line numbers say. */
function isWhole({ startLine, endLine }: Piece, lines: readonly string[]): boolean {
  return lines.length === endLine - startLine + 1;
}
