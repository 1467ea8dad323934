import { type CivilDay, writtenDay } from "../../base/civil-day.ts";
import { BARE_BLOCK_CHARS, blockLineHead, escapeForBlock, memoryBlock, visibleText } from "./memory-block.ts";
import { wordEnd } from "./snippet.ts";

/** The least length of a text that is cut; a text that would be cut shorter is left out. */
const LEAST_CHARS = 40;

interface RecalledText {
  text: string;
  category: string;
  /** The day from which the fact holds. */
  since: CivilDay;
}

interface QuotedText {
  text: string;
  citation: string;
  /** The day on which it was said or written. */
  day: CivilDay;
}

/**
 * Returns facts, then quotations, as a block of text to place in a prompt (`memoryBlock`), one line
 * each.
 *
 * @param maxChars the most characters of the whole block; facts and then quotations are taken in
 *   order until it is full, and the last one may be cut (`…`)
 * @returns an empty block when there is nothing to show, or no room for any of it
 */
export function recallBlock(
  facts: readonly RecalledText[],
  quotes: readonly QuotedText[],
  maxChars: number,
): { block: string; shown: number; shownQuotes: number } {
  const entries = [
    ...facts.map(({ text, category, since }) => ({
      head: `${category}, since ${writtenDay(since)}`,
      text,
    })),
    ...quotes.map(({ text, citation, day }) => ({ head: `${citation}, ${writtenDay(day)}`, text })),
  ];
  let room = maxChars - BARE_BLOCK_CHARS;
  const lines: string[] = [];
  for (const entry of entries) {
    const head = blockLineHead(entry.head);
    const whole = escapeForBlock(entry.text);
    const fits = head.length + whole.length <= room;
    if (!fits && room - head.length < LEAST_CHARS) break;
    const line = head + (fits ? whole : cut(entry.text, room - head.length));
    lines.push(line);
    room -= line.length;
    if (!fits) break;
  }
  const shown = Math.min(lines.length, facts.length);
  const shownQuotes = lines.length - shown;
  return { block: memoryBlock(lines), shown, shownQuotes };
}

/**
 * Returns the beginning of a text, up to the end of a word, and an ellipsis. The result has at most
 * `limit` characters when it is escaped.
 */
function cut(text: string, limit: number): string {
  const whole = visibleText(text);
  let kept = 0;
  let length = 1;
  for (const character of whole) {
    length += character === " " ? 1 : escapeForBlock(character).length;
    if (length > limit) break;
    kept += character.length;
  }
  return `${escapeForBlock(whole.slice(0, wordEnd(whole, kept)))}…`;
}
