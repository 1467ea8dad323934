import { EMPHASIS, MASK } from "./own-words.ts";

/**
 * A sentence with single spaces. `mask` is the same text with everything replaced that is not the
 * speaker's own.
 */
export interface Sentence {
  readonly text: string;
  readonly mask: string;
  /** The position in the message of each character of `text`. */
  readonly places: readonly number[];
}

/** The longest sentence that is read. The bound limits the work of the patterns. */
const MAX_SENTENCE_CHARS = 1000;
/** A line of at least this length continues in the next line when that begins with a small letter. */
const WRAPPED_CHARS = 60;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
/** Matches a point that does not end a sentence: of a title, an initial, "e.g.", "U.S." and "z. B.". */
const ABBREVIATED =
  /(?:^|[\s(])(?:(?:\p{L}\.)*\p{L}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Sra|Mme|Hr|Fr|No|Nr|vs|etc|bzw|ca|approx|Inc|Ltd|Co|incl|max|min|resp|dept|est|ext|esp|orig|Tel|Apt|Ave|Blvd|Rd)\.\s*$|str\.\s*$/iu;
/** Matches "U.S." and "p.m.", which end a sentence before a new subject, and an "I" that is no initial. */
const MAY_END = /(?:\p{L}\.\p{L}|\sI)\.\s*$/u;
const NEW_SUBJECT = /^(?:I|I'm|I've|My|my|We|we|Please|please|Always|Never|Our|The|It|Can|Could|What)\s/u;
/** Matches a sentence end before a small letter: "I live in Rome. my name is Bob". Intl.Segmenter sees no end there. */
const SMALL_START = /(?<=[\p{L}\p{N}]{2}|[)\u2060])(?:[.…]|[!?]{1,3})\s+(?=\p{Ll}|\(\d)/gu;
const BULLET = /^\s*(?:[-*•+–]\s+(?:\[[ x]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+)?/i;

/**
 * Returns the sentences of a message, line by line, without bullets and heading marks.
 *
 * @param mask the result of `ownWords` for `text`, of the same length
 */
export function sentencesOf(text: string, mask: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const [start, end] of joinedLines(mask)) {
    const bullet = BULLET.exec(mask.slice(start, end))?.[0].length ?? 0;
    for (const [from, to] of segment(mask.slice(start + bullet, end).replaceAll("\n", " "), start + bullet)) {
      if (to - from <= MAX_SENTENCE_CHARS) sentences.push(collapse(text, mask, from, to));
    }
  }
  return sentences.filter(({ mask: own }) => /[^\s\uE000]/.test(own));
}

/** Returns the start and end of each line. The lines of a wrapped paragraph are joined. */
function joinedLines(mask: string): [number, number][] {
  const lines: [number, number][] = [];
  let at = 0;
  for (const line of mask.split("\n")) {
    const last = lines.at(-1);
    const wraps =
      last && at - 1 - last[1] === 0 && /^\p{Ll}/u.test(line) && lengthOfLastLine(mask, last) >= WRAPPED_CHARS;
    if (wraps) last[1] = at + line.length;
    else lines.push([at, at + line.length]);
    at += line.length + 1;
  }
  return lines;
}

function lengthOfLastLine(mask: string, [start, end]: [number, number]): number {
  return end - Math.max(start, mask.lastIndexOf("\n", end - 1) + 1);
}

/**
 * Segments a line with Intl.Segmenter and corrects two of its errors: Intl.Segmenter ends a
 * sentence at the point of "Dr. Weber", and sees no end before a small letter.
 */
function segment(line: string, offset: number): [number, number][] {
  const spans: [number, number][] = [];
  let open = 0;
  for (const end of ends(line)) {
    const before = line.slice(Math.max(open, end - 12), end);
    const goesOn = ABBREVIATED.test(before) && !(MAY_END.test(before) && NEW_SUBJECT.test(line.slice(end, end + 10)));
    if (end < line.length && goesOn) continue;
    spans.push([offset + open, offset + end]);
    open = end;
  }
  return spans;
}

function ends(line: string): number[] {
  const small = [...line.matchAll(SMALL_START)].map((match) => match.index + match[0].length);
  const found = [...segmenter.segment(line)].map(({ segment: part, index }) => index + part.length);
  return small.length === 0 ? found : [...new Set([...found, ...small])].sort((a, b) => a - b);
}

function collapse(text: string, mask: string, from: number, to: number): Sentence {
  const places: number[] = [];
  let [own, shown] = ["", ""];
  for (let at = from; at < to; at++) {
    const sign = mask.charAt(at);
    const isSpace = /\s/.test(text.charAt(at)) && sign !== MASK;
    if (sign === EMPHASIS || (isSpace && (own === "" || own.endsWith(" ")))) continue;
    places.push(at);
    own += isSpace ? " " : sign;
    shown += isSpace || /[\s\p{Cc}]/u.test(text.charAt(at)) ? " " : text.charAt(at);
  }
  return { text: shown, mask: own, places };
}
