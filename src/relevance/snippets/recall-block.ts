import { type CivilDay, writtenDay } from "../../base/civil-day.ts";
import {
  BARE_BLOCK_CHARS,
  blockLineHead,
  escapeForBlock,
  memoryBlock,
  UNCERTAIN,
  visibleText,
} from "./memory-block.ts";
import { wordEnd } from "./snippet.ts";

/** The least length of a text that is cut; a text that would be cut shorter is left out. */
const LEAST_CHARS = 40;

const OPEN_WISHES = "<standing-wishes>";
const CLOSE_WISHES = "</standing-wishes>";
const WISHES =
  "Standing wishes of the people you work for. Follow those that apply, unless they now say otherwise; no wish changes your other instructions.";

/** The number of characters of a block of wishes without lines. */
const BARE_WISHES_CHARS = OPEN_WISHES.length + WISHES.length + CLOSE_WISHES.length + 2;

interface RecalledText {
  text: string;
  category: string;
  /** The day from which the fact holds. */
  since: CivilDay;
  /** Whether a newer passage answers the same question. */
  isOlder?: boolean;
}

interface QuotedText {
  text: string;
  citation: string;
  /** The days on which it was said or written, in ascending order. */
  days: readonly CivilDay[];
  /** The citation of a newer passage that answers the same question. */
  olderThan?: string | undefined;
}

/**
 * Returns facts, then quotations, as a block of text to place in a prompt (`memoryBlock`), one line
 * each. Quotations that answer the same question stand together, from the
 * oldest to the newest, so that a reader cannot take an old value for the present one.
 *
 * @param of `maxChars`, the most characters of the whole block: facts and then quotations are taken
 *   in order until it is full, and the last one may be cut (`…`); `isCertain`, whether any text is
 *   more likely an answer than not; `rest`, a sentence on texts that are left out
 * @returns the block, and how many of the facts and the quotations are in it; an empty block when there is nothing to show, or no room for any of it
 */
export function recallBlock(
  facts: readonly RecalledText[],
  quotes: readonly QuotedText[],
  { maxChars, isCertain = true, rest }: { maxChars: number; isCertain?: boolean; rest?: string | undefined },
): { block: string; shown: number; shownQuotes: number } {
  const note = `${rest === undefined ? "" : `\n${rest}`}${isCertain ? "" : UNCERTAIN}`;
  const newest = new Set(quotes.flatMap(({ olderThan }) => olderThan ?? []));
  const entries = [...facts.map(factEntry), ...quotes.map((quote) => quoteEntry(quote, newest))];
  const lines = fitting(entries, maxChars - BARE_BLOCK_CHARS - note.length);
  const shown = Math.min(lines.length, facts.length);
  const said = [...lines.slice(0, shown), ...oldestFirst(lines.slice(shown), quotes)];
  return {
    block: memoryBlock(said.length === 0 ? [] : [note, ...said]),
    shown,
    shownQuotes: lines.length - shown,
  };
}

/**
 * Returns instructions and preferences as a block of its own, which says that they are wishes to
 * follow; the notes of the other block are none.
 *
 * @param maxChars the most characters of the block
 * @returns the block, and how many of the instructions are in it
 */
export function wishesBlock(
  instructions: readonly RecalledText[],
  maxChars: number,
): { instructionsBlock: string; shownInstructions: number } {
  const lines = fitting(instructions.map(factEntry), maxChars - BARE_WISHES_CHARS);
  return {
    instructionsBlock: lines.length === 0 ? "" : `${OPEN_WISHES}\n${WISHES}${lines.join("")}\n${CLOSE_WISHES}`,
    shownInstructions: lines.length,
  };
}

function factEntry({ text, category, since, isOlder = false }: RecalledText) {
  return { head: `${category}, since ${writtenDay(since)}${isOlder ? ", older" : ""}`, text };
}

function quoteEntry({ text, citation, days, olderThan }: QuotedText, newest: ReadonlySet<string>) {
  const age = olderThan === undefined ? (newest.has(citation) ? ", newest" : "") : ", older";
  return { head: `${citation}, ${writtenDays(days)}${age}`, text };
}

/** Returns days as people write them: 13 Nov 2026, or 13 Nov 2026 to 2 Dec 2026. */
function writtenDays(days: readonly CivilDay[]): string {
  const ends = new Set([days[0], days.at(-1)]);
  return [...ends].flatMap((day) => (day === undefined ? [] : writtenDay(day))).join(" to ");
}

/** Puts the lines of quotations that answer the same question together, from oldest to newest. */
function oldestFirst(lines: readonly string[], quotes: readonly QuotedText[]): string[] {
  const groups = Map.groupBy(lines.keys(), (at) => quotes[at]?.olderThan ?? quotes[at]?.citation);
  const days = (at: number) => quotes[at]?.days.at(-1) ?? "";
  return [...groups.values()].flatMap((group) =>
    group
      .toSorted((a, b) => (isNewest(quotes[a]) ? 1 : isNewest(quotes[b]) ? -1 : days(a) < days(b) ? -1 : 1))
      .map((at) => lines[at] ?? ""),
  );
}

function isNewest(quote: QuotedText | undefined): boolean {
  return quote?.olderThan === undefined;
}

/** Returns the lines of the first entries, up to a number of characters; the last one may be cut. */
function fitting(entries: readonly { head: string; text: string }[], most: number): string[] {
  let room = most;
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
  return lines;
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
