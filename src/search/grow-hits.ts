import type { Piece } from "./merge-neighbours.ts";

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
}

/**
 * Shows each hit of a conversation with the messages before and after it, as many as have room: what finds a passage best is
 * short, what answers is often said just before or after it. In turn after and before, so that the hit stays in the middle, up to
 * what an earlier hit shows. A hit that an earlier one has come to show is left out, so its place goes to another.
 *
 * @param hits best first
 * @param maxChars of a hit that grows; a longer one stays as it is
 */
export function growHits<T extends Surrounded>(hits: readonly T[], maxChars: number): T[] {
  const shown: T[] = [];
  for (const hit of hits) {
    const others = hit.around ? shown.filter(({ path, around }) => around && path === hit.path) : [];
    const isShown = others.some(({ startLine, endLine }) => startLine <= hit.startLine && hit.endLine <= endLine);
    if (!isShown) shown.push(grow(hit, others, maxChars));
  }
  return shown;
}

function grow<T extends Surrounded>(hit: T, others: readonly T[], maxChars: number): T {
  const messages = hit.around ?? [];
  const inside = messages.filter((one) => one.firstLine >= hit.startLine && lastLine(one) <= hit.endLine);
  // A piece of a long message, or one of which some are missing, cannot be continued line by line.
  if (inside.length === 0 || textOf(inside) !== hit.text) return hit;
  let from = messages.indexOf(inside[0] as NearMessage);
  let to = from + inside.length - 1;
  let room = maxChars - hit.text.length;
  const fits = (at: number, touches: (one: NearMessage) => boolean) => {
    const one = messages[at];
    if (!one || one.text.length + 1 > room || !touches(one) || isTaken(one, others)) return false;
    room -= one.text.length + 1;
    return true;
  };
  for (let grew = true; grew; ) {
    const after = fits(to + 1, (one) => one.firstLine === lastLine(messages[to]) + 1);
    if (after) to++;
    const before = fits(from - 1, (one) => lastLine(one) + 1 === messages[from]?.firstLine);
    if (before) from--;
    grew = after || before;
  }
  const whole = messages.slice(from, to + 1);
  return { ...hit, startLine: whole[0]?.firstLine, endLine: lastLine(whole.at(-1)), text: textOf(whole) };
}

function textOf(messages: readonly NearMessage[]): string {
  return messages.map((one) => one.text).join("\n");
}

function lastLine(message: NearMessage | undefined): number {
  return message ? message.firstLine + message.lineCount - 1 : 0;
}

function isTaken(message: NearMessage, others: readonly Piece[]): boolean {
  return others.some(({ startLine, endLine }) => startLine <= lastLine(message) && message.firstLine <= endLine);
}
