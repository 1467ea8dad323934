import { MASK } from "./mask-quotes.ts";

/** A sentence with single spaces. `mask` is the same with everything that is not the speaker's own replaced. */
export interface Sentence {
  readonly text: string;
  readonly mask: string;
  /** For each character of `text` its place in the message. */
  readonly places: readonly number[];
}

/** A longer one is no statement; it also bounds what a pattern is asked to read. */
const MAX_SENTENCE_CHARS = 1000;
/** A line that is at least as long goes on in the next when that begins with a small letter. */
const WRAPPED_CHARS = 60;

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const ABBREVIATED =
  /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Sr|Sra|Mme|Hr|Fr|No|Nr|vs|etc|e\.g|i\.e|z\.\s?B|d\.\s?h|bzw|ca|approx|p\.\s?ej)\.\s*$/iu;
const BULLET = /^\s*(?:[-*•+–]\s+(?:\[[ x]\]\s+)?|\d{1,3}[.)]\s+|#{1,6}\s+)?/i;

/**
 * The sentences of a message, line by line, bullets and heading marks taken off.
 *
 * @param mask what `ownWords` made of `text`, of the same length
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

/** Start and end of each line; a paragraph that was wrapped is one. */
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

/** Intl.Segmenter, which takes the point of "Dr. Weber" and "e.g. Rust" for an end. */
function segment(line: string, offset: number): [number, number][] {
  const spans: [number, number][] = [];
  let open: number | undefined;
  for (const { segment: part, index } of segmenter.segment(line)) {
    open ??= index;
    const end = index + part.length;
    if (end < line.length && ABBREVIATED.test(part.slice(-12))) continue;
    spans.push([offset + open, offset + end]);
    open = undefined;
  }
  return spans;
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
