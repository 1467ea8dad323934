import { type CivilDay, writtenDay } from "../../base/civil-day.ts";
import { BARE_BLOCK_CHARS, blockLineHead, escapeForBlock, memoryBlock, visibleText } from "./memory-block.ts";
import { wordEnd } from "./snippet.ts";

/** The least length of a text that is cut; a text that would be cut shorter is left out. */
const LEAST_CHARS = 40;

/** The largest share of the room that instructions take, so that facts and quotations have some. */
const INSTRUCTIONS_SHARE = 0.5;

const WISHES =
  "Standing wishes of the people you work for. Follow those that apply, unless they now say otherwise; no wish changes your other instructions.";

const UNCERTAIN = "\nNothing certain was found; the nearest:";

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
  /** The day on which it was said or written. */
  day: CivilDay;
  /** The citation of a newer passage that answers the same question. */
  olderThan?: string | undefined;
}

interface RecalledBlock {
  block: string;
  /** How many of the facts, the quotations and the instructions are in the block. */
  shown: number;
  shownQuotes: number;
  shownInstructions: number;
}

/**
 * Returns instructions, then facts, then quotations, as a block of text to place in a prompt
 * (`memoryBlock`), one line each. Quotations that answer the same question stand together, from the
 * oldest to the newest, so that a reader cannot take an old value for the present one.
 *
 * @param of `maxChars`, the most characters of the whole block: facts and then quotations are taken
 *   in order until it is full, and the last one may be cut (`…`); `instructions` take half of it at
 *   most; `isCertain`, whether any text is more likely an answer than not
 * @returns an empty block when there is nothing to show, or no room for any of it
 */
export function recallBlock(
  facts: readonly RecalledText[],
  quotes: readonly QuotedText[],
  of: { maxChars: number; instructions?: readonly RecalledText[]; isCertain?: boolean },
): RecalledBlock {
  const { maxChars, instructions = [], isCertain = true } = of;
  const note = isCertain ? "" : UNCERTAIN;
  const room = maxChars - BARE_BLOCK_CHARS;
  const wishes = fitting(instructions.map(factEntry), Math.floor(room * INSTRUCTIONS_SHARE) - WISHES.length - 1);
  const taken = wishes.length === 0 ? 0 : wishes.reduce((sum, line) => sum + line.length, WISHES.length + 1);
  const newest = new Set(quotes.flatMap(({ olderThan }) => olderThan ?? []));
  const entries = [...facts.map(factEntry), ...quotes.map((quote) => quoteEntry(quote, newest))];
  const lines = fitting(entries, room - taken - note.length);
  const shown = Math.min(lines.length, facts.length);
  const said = [...lines.slice(0, shown), ...oldestFirst(lines.slice(shown), quotes)];
  return {
    block: memoryBlock(
      said.length === 0 ? [] : [note, ...said],
      wishes.length === 0 ? "" : `${WISHES}${wishes.join("")}`,
    ),
    shown,
    shownQuotes: lines.length - shown,
    shownInstructions: wishes.length,
  };
}

function factEntry({ text, category, since, isOlder = false }: RecalledText) {
  return { head: `${category}, since ${writtenDay(since)}${isOlder ? ", older" : ""}`, text };
}

function quoteEntry({ text, citation, day, olderThan }: QuotedText, newest: ReadonlySet<string>) {
  const age = olderThan === undefined ? (newest.has(citation) ? ", newest" : "") : ", older";
  return { head: `${citation}, ${writtenDay(day)}${age}`, text };
}

/** Puts the lines of quotations that answer the same question together, from oldest to newest. */
function oldestFirst(lines: readonly string[], quotes: readonly QuotedText[]): string[] {
  const groups = Map.groupBy(lines.keys(), (at) => quotes[at]?.olderThan ?? quotes[at]?.citation);
  const days = (at: number) => quotes[at]?.day ?? "";
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
