/** A sentence, a line, a row of a table, or a piece of a long sentence. */
export interface Passage {
  /** Its place in the text; the white space behind a sentence belongs to it. */
  readonly start: number;
  readonly end: number;
  /**
   * The number of its message, or, in a text without messages, of its line. Passages of one block
   * belong together.
   */
  readonly block: number;
  /** Whether it begins its block. */
  readonly isFirst: boolean;
  /** The passage that it cannot be understood without: the heading above, or its table's header. */
  readonly context: number | undefined;
}

/** A line that is longer is cut into sentences. */
const MAX_LINE = 100;
/** The longest passage. A longer sentence is cut after a word. */
const MAX_PASSAGE = 240;
/** The shortest sentence; a shorter one belongs to the next. */
const MIN_SENTENCE = 20;
/** The most signs that close a sentence, such as brackets and quotation marks. */
const MAX_CLOSING = 6;
/**
 * The most passages of a text, about. Choosing takes time quadratic in this number, so the short
 * lines and sentences of a text with more are joined.
 */
const MAX_PASSAGES = 200;
/** So much shorter may passages be: lines of a usual hit are not joined. */
const FREE_LEAST = 10;
/** A text whose passages must be longer than this is too long for rows and headings of its own. */
const LONG_LEAST = 50;
const HEADING = /^#{1,6}\s/;
const DELIMITERS = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

interface Line {
  start: number;
  end: number;
}

/** What cutting has read so far. */
interface Cutting {
  readonly text: string;
  readonly starts: readonly number[] | undefined;
  /** The least length of a passage. */
  readonly least: number;
  readonly passages: Passage[];
  block: number;
  /** The heading above, and the header of the table that goes on. */
  heading: number | undefined;
  header: number | undefined;
}

/**
 * Cuts a text into passages: lines, and the sentences of long lines. Blank lines are left out. The
 * two lines of a table's header are one passage.
 *
 * @param starts where messages begin, for a conversation
 */
export function cutPassages(text: string, starts?: readonly number[]): Passage[] {
  const lines = linesOf(text);
  const least = Math.max(0, text.length / MAX_PASSAGES - FREE_LEAST);
  const cutting: Cutting = { text, starts, least, passages: [], block: -1, heading: undefined, header: undefined };
  for (let at = 0; at < lines.length; ) at = cutLine(cutting, lines, at);
  return cutting.passages;
}

/** Cuts one line, or several short ones, and returns the number of the next line. */
function cutLine(cutting: Cutting, lines: readonly Line[], at: number): number {
  const { text, starts, least, passages } = cutting;
  const { start, end } = lines[at] as Line;
  const opensMessage = openBlock(cutting, start);
  const kind = isBlank(text, start, end) ? "blank" : kindOf(cutting, lines, at);
  if (kind === "blank" || kind === "text" || kind === "heading") cutting.header = undefined;
  if (kind === "blank") return at + 1;
  let last = kind === "header" ? at + 1 : at;
  const nextMessage = starts?.[cutting.block + 1];
  if (kind === "text")
    while ((lines[last] as Line).end - start < least && isJoinable(cutting, lines[last + 1], nextMessage)) last++;
  const to = (lines[last] as Line).end;
  const context = kind === "heading" ? undefined : (cutting.header ?? cutting.heading);
  const isCut = kind === "text" && to - start > MAX_LINE;
  let from = start;
  for (const sentence of isCut ? sentencesOf(text, start, to, least) : [to]) {
    for (const piece of shortPieces(text, from, sentence)) {
      const isFirst = from === start && opensMessage;
      passages.push({ start: from, end: piece, block: cutting.block, isFirst, context });
      from = piece;
    }
  }
  if (kind === "header") cutting.header = passages.length - 1;
  if (kind === "heading") cutting.heading = passages.length - 1;
  return last + 1;
}

/** Counts the block of a line, and returns whether the line opens it. */
function openBlock(cutting: Cutting, start: number): boolean {
  const { starts, block } = cutting;
  if (!starts) cutting.block++;
  else while ((starts[cutting.block + 1] ?? Number.POSITIVE_INFINITY) <= start) cutting.block++;
  return cutting.block !== block;
}

/**
 * Returns the kind of a line that is not blank. A text that is very long has only text, so that it
 * has few passages.
 */
function kindOf({ text, starts, least, header }: Cutting, lines: readonly Line[], at: number) {
  const { start, end } = lines[at] as Line;
  const next = lines[at + 1];
  if (least > LONG_LEAST) return "text";
  if (!starts && HEADING.test(text.slice(start, start + 8))) return "heading";
  if (!hasBar(text, { start, end })) return "text";
  if (header !== undefined) return "row";
  return next && isDelimiters(text, next) ? "header" : "text";
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

function isBlank(text: string, start: number, end: number): boolean {
  return text.slice(start, end).trim() === "";
}

function isDelimiters(text: string, { start, end }: Line): boolean {
  const line = text.slice(start, Math.min(end, start + 1000));
  return line.includes("|") && line.includes("-") && DELIMITERS.test(line);
}

/** Returns whether a line may be joined to a short one before it. */
function isJoinable(
  { text, least }: Cutting,
  line: Line | undefined,
  nextMessage = Number.POSITIVE_INFINITY,
): line is Line {
  if (!line || line.start >= nextMessage || isBlank(text, line.start, line.end)) return false;
  return least > LONG_LEAST || !(HEADING.test(text.slice(line.start, line.start + 8)) || hasBar(text, line));
}

function hasBar(text: string, { start, end }: Line): boolean {
  return text.slice(start, Math.min(end, start + 1000)).includes("|");
}

const SPACE = /\s/;
const SPACED_END = ".!?…;";
/** The ends of sentences in scripts without spaces. */
const UNSPACED_END = "。！？";
const CLOSING = `"')]”’».!?…。！？`;
/** A word before a full stop that does not end a sentence: "27." in a date, "Dr.", "z.B.". */
const BEFORE_POINT = /(?:\d|(?:^|[^\p{L}\p{N}])(?:\p{L}|\p{Lu}\p{L}{1,2}))$/u;

/** Returns the ends of the sentences of a line. */
function sentencesOf(text: string, start: number, end: number, least: number): number[] {
  const ends: number[] = [];
  let from = start;
  for (let at = start; at < end; at++) {
    const after = sentenceEnd(text, { from, at, end }, least);
    if (after === undefined) continue;
    if (after >= end) break;
    ends.push(after);
    from = after;
    at = after - 1;
  }
  return [...ends, end];
}

/** Returns where the next sentence begins, if a sentence ends at a character. */
function sentenceEnd(
  text: string,
  { from, at, end }: { from: number; at: number; end: number },
  least: number,
): number | undefined {
  const character = text.charAt(at);
  const isUnspaced = UNSPACED_END.includes(character);
  if (!isUnspaced && !SPACED_END.includes(character)) return undefined;
  if (at - from < (isUnspaced ? least : Math.max(MIN_SENTENCE, least))) return undefined;
  let after = at + 1;
  while (after < end && after - at < MAX_CLOSING && CLOSING.includes(text.charAt(after))) after++;
  if (!isUnspaced && !SPACE.test(text.charAt(after))) return undefined;
  if (character === "." && BEFORE_POINT.test(text.slice(Math.max(from, at - 5), at))) return undefined;
  while (after < end && SPACE.test(text.charAt(after))) after++;
  return after;
}

/** Returns the ends of the pieces of a sentence, one if it is short. */
function shortPieces(text: string, start: number, end: number): number[] {
  const ends: number[] = [];
  let from = start;
  while (end - from > MAX_PASSAGE) {
    let to = from + MAX_PASSAGE;
    while (to > from + MAX_PASSAGE / 2 && !SPACE.test(text.charAt(to - 1))) to--;
    if (to === from + MAX_PASSAGE / 2) to = from + MAX_PASSAGE;
    if (/[\udc00-\udfff]/.test(text.charAt(to)) && /[\ud800-\udbff]/.test(text.charAt(to - 1))) to--;
    ends.push(to);
    from = to;
  }
  return [...ends, end];
}
