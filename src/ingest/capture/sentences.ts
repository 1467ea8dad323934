import { MASK } from "./own-words.ts";

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

/**
 * The longest sentence that is read. A longer one is not a statement, and the bound limits the work
 * of the patterns.
 */
const MAX_SENTENCE_CHARS = 1000;
/**
 * A line of at least this length continues in the next line when that begins with a small letter.
 */
const WRAPPED_CHARS = 60;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Sra|Mme|Hr|Fr|No|Nr|vs|etc|e\.g|i\.e|z\.\s?B|d\.\s?h|bzw|ca|approx|p\.\s?ej|Tel|Apt|Ave|Blvd|Rd)\.\s*$|str\.\s*$/iu;
/**
 * Matches a sentence end before a small letter: "I live in Rome. my name is Bob". Intl.Segmenter
 * sees no end there, and such sentences are common in chats.
 */
const SMALL_START =
  /[.…]\s+(?=(?:i|i'm|i've|i'd|my|we|we're|we've|our|you|he|she|it|it's|they|the|this|that|please|also|and|but|so|btw|remember|always|never|don't|can|could|would|what|how|when|thanks|ich|mein|meine|wir|unser|unsere|bitte|kannst|merk|immer|nie|je|j'\p{L}+|mon|ma|nous|notre|souviens|peux|mi|mis|vivo|trabajo|me|nuestro|nuestra|recuerda|puedes)\s)/gu;
/** Matches the number in "am 4. Mai" and "im 3. Stock", where the point makes a German ordinal. */
const ORDINAL = /(?:^|\s)\d{1,2}\.\s*$/;
const COUNTED =
  /^(?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Stock|Etage|OG|Klasse|Quartal|Semester|Geburtstag|Januar|Jänner|Februar|März|April|Juni|Juli|August|September|Oktober|November|Dezember)\b/;
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
 * sentence at the point of "Dr. Weber" and "4. Mai", and sees no end before a small letter.
 */
function segment(line: string, offset: number): [number, number][] {
  const spans: [number, number][] = [];
  let open = 0;
  for (const end of ends(line)) {
    const before = line.slice(Math.max(open, end - 12), end);
    const isOrdinal = ORDINAL.test(before) && COUNTED.test(line.slice(end, end + 12));
    if (end < line.length && (ABBREVIATED.test(before) || isOrdinal)) continue;
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
    const isSpace = /\s/.test(text.charAt(at)) && mask.charAt(at) !== MASK;
    if (isSpace && (own === "" || own.endsWith(" "))) continue;
    places.push(at);
    own += isSpace ? " " : mask.charAt(at);
    shown += isSpace || /[\s\p{Cc}]/u.test(text.charAt(at)) ? " " : text.charAt(at);
  }
  return { text: shown, mask: own, places };
}
