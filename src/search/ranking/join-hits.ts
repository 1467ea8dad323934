import { failureTable, nextMatchLength } from "../../base/knuth-morris-pratt.ts";
import type { HitPart } from "../snippets/snippet.ts";

/** A message beside a hit, or in it, as lines of the transcript. */
export interface NearMessage {
  seq: number;
  firstLine: number;
  lineCount: number;
  /** As the transcript has it. */
  text: string;
}

/** A piece of a conversation with the messages around it; without them one that stays as it is. */
export interface Surrounded extends Piece {
  around?: readonly NearMessage[] | undefined;
  /** Of a piece that has grown: the messages that it shows. */
  parts?: readonly HitPart[] | undefined;
}

/** A piece as it was found. */
interface Found extends Surrounded {
  score?: number;
}

/**
 * Shows each hit of a conversation with the messages around it, as many as have room: what finds a passage best is short, what
 * answers is often said just before or after it. First it grows as far as other hits close by, best first: where one thing answers
 * and another near it does, what is between them is likelier to than what is on the other side. Then message by message, in
 * turn after and before, up to what an earlier hit shows. A hit that an earlier one has come to show is left out, so its place
 * goes to another.
 *
 * @param hits best first
 * @param maxChars of a hit that grows; a longer one stays as it is
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

/** Places of messages in a list, the last included. */
interface Span {
  from: number;
  to: number;
}

function grow<T extends Found>(hit: T, near: readonly Found[], others: readonly Piece[], maxChars: number): T {
  const messages = hit.around ?? [];
  const inside = spanOf(messages, hit);
  // A piece of a long message, or one of which some are missing, cannot be continued line by line.
  if (!inside || textOf(messages, inside) !== hit.text) return hit;
  const reach = reachOf(messages, inside, others);
  const joined = joinNear(messages, inside, near, { reach, maxChars });
  const whole = extend(messages, joined, { reach, maxChars });
  const [first, last] = [messages[whole.from], messages[whole.to]];
  const parts = partsOf(messages.slice(whole.from, whole.to + 1), hit, near);
  return { ...hit, startLine: first?.firstLine, endLine: lastLine(last), text: textOf(messages, whole), parts };
}

/** The messages of a hit, each with the score of the best of the passages found that has it, as a share of the hit's own. */
function partsOf(messages: readonly NearMessage[], { score = 0 }: Found, near: readonly Found[]): HitPart[] {
  return messages.map((one) => {
    const scores = near.flatMap((hit) =>
      hit.startLine <= one.firstLine && lastLine(one) <= hit.endLine ? (hit.score ?? 0) : [],
    );
    return { text: one.text, weight: score > 0 ? Math.min(1, Math.max(0, ...scores) / score) : 0 };
  });
}

/** The messages that a piece is of; undefined when it is not of whole ones that are known. */
function spanOf(messages: readonly NearMessage[], { startLine, endLine }: Piece): Span | undefined {
  const from = messages.findIndex((one) => one.firstLine === startLine);
  const to = messages.findIndex((one) => lastLine(one) === endLine);
  return from === -1 || to < from ? undefined : { from, to };
}

/** As far as messages follow each other without one that is missing or that an earlier hit shows. */
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

/** The span with those of the hits close by that fit. */
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

/** The span with messages after and before it in turn. */
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
    .map((one) => one.text)
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

/** A piece of a document, as it stands on its lines. */
export interface Piece {
  path: string;
  startLine: number;
  endLine: number;
  text: string;
  /** Of a conversation: the messages around it, with which it has grown as far as it may (`growHits`). */
  around?: readonly unknown[] | undefined;
}

/**
 * Joins hits that stand next to each other in one document: two chunks of one section are one answer, and the place that is
 * freed goes to another. The joined hit stands where the better of the two stood and keeps its other fields. Where chunks
 * overlap the lines are taken once; where a long line was cut between them, what the end of one and the beginning of the other
 * share. Without an overlap the cut cannot be seen, and they stay apart.
 *
 * @param hits best first
 * @param maxChars a joined text is never longer
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
      // What it was joined with may now touch a third one before it.
      whole = { ...other, ...joined };
      merged.splice(index, 1);
      place = index;
      index = merged.length;
    }
    merged.splice(place, 0, whole);
  }
  return merged;
}

/** The two as one piece; undefined when they do not touch, or not in whole lines. */
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

/** The lines of both, those that they share once; undefined when these are not the same. */
function joinLines(head: readonly string[], tail: readonly string[], from: number): string | undefined {
  const shared = Math.min(head.length - from, tail.length);
  for (let line = 0; line < shared; line++) if (head[from + line] !== tail[line]) return undefined;
  return [...head, ...tail.slice(shared)].join("\n");
}

/** Fewer equal characters may be chance; more are not looked for, as a hostile text can make that slow. */
const OVERLAP = { least: 24, most: 2000 };
/** Each takes a tenth of a millisecond at most, and a text can be such that every hit has to be compared with every other. */
const MAX_COMPARISONS = 400;

/** Two pieces that were cut from one line with an overlap, in their order: the line begins in the first. */
function joinCutLine(first: Piece, second: Piece, comparisons: { left: number }): string | undefined {
  if (second.startLine > first.endLine) return undefined;
  const whole = overlap(first.text, second.text, comparisons);
  // Pieces of one line stand on the same line, so that their order is known from their texts alone.
  return whole ?? (first.startLine === second.startLine ? overlap(second.text, first.text, comparisons) : undefined);
}

/**
 * Both as one, when the one ends as the other begins. Linear: each hit is compared with each, and a
 * search for one place after the other took two seconds for twelve hits of a line of equal letters.
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

/** Whether the text is as many lines as it stands on. */
function isWhole({ startLine, endLine }: Piece, lines: readonly string[]): boolean {
  return lines.length === endLine - startLine + 1;
}
