import { QUALITY } from "./break-quality.ts";
import { codeUnitWeight } from "./estimate-tokens.ts";

/** A piece of an over-long line: the pieces follow each other without a gap and together are the line. */
export interface Piece {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** In quarters of a token. */
  readonly weight: number;
  /** How good it is to start a chunk after this piece. */
  readonly quality: number;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const LATIN_END = /[.!?…]["')\]]?$/;
const CJK_END = "。！？｡";
const CJK_PAUSE = "、，；：";
const PUNCTUATION = ",;|)]}>";

/**
 * Cuts a line into pieces of at most `max` quarters of a token (at least 4, the weight of the heaviest character): after
 * a sentence, else a word, else punctuation (minified JSON), else anywhere but inside a character.
 */
export function splitLine(line: string, max: number): Piece[] {
  const pieces: Piece[] = [];
  for (let start = 0; start < line.length; ) {
    const piece = cutPiece(line, start, max);
    pieces.push(piece);
    start = piece.end;
  }
  return pieces;
}

function cutPiece(line: string, start: number, max: number): Piece {
  const ends = { sentence: 0, word: 0, punctuation: 0 };
  let weight = 0;
  let at = start;
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at);
    const next = weight + codeUnitWeight(code);
    if (next > max) {
      break;
    }
    weight = next;
    noteEnd(line, at, code, ends);
  }
  if (at === line.length) {
    return { start, end: at, weight, quality: QUALITY.line };
  }
  const { end, quality } = chooseEnd(line, start, at, ends);
  for (let i = end; i < at; i++) {
    weight -= codeUnitWeight(line.charCodeAt(i));
  }
  return { start, end, weight, quality };
}

function noteEnd(
  line: string,
  at: number,
  code: number,
  ends: { sentence: number; word: number; punctuation: number },
) {
  if (code === 0x20 || code === 0x09 || code === 0xa0 || code === 0x3000) {
    ends.word = at + 1;
    if (LATIN_END.test(line.slice(Math.max(0, at - 2), at))) {
      ends.sentence = at + 1;
    }
  } else if (code < 0x80 ? PUNCTUATION.includes(line.charAt(at)) : code >= 0x3000) {
    const char = line.charAt(at);
    if (CJK_END.includes(char)) {
      ends.sentence = at + 1;
    } else if (CJK_PAUSE.includes(char)) {
      ends.word = at + 1;
    } else if (code < 0x80) {
      ends.punctuation = at + 1;
    }
  }
}

/** An end too near the start is passed over for a worse kind: pieces stay large enough to make the scan linear. */
function chooseEnd(
  line: string,
  start: number,
  at: number,
  ends: { sentence: number; word: number; punctuation: number },
): { end: number; quality: number } {
  const least = start + (at - start) / 4;
  if (ends.sentence > least) {
    return { end: ends.sentence, quality: QUALITY.line };
  }
  if (ends.word > least) {
    return { end: ends.word, quality: QUALITY.word };
  }
  if (ends.punctuation > least) {
    return { end: ends.punctuation, quality: QUALITY.anywhere };
  }
  return { end: characterStart(line, start, at), quality: QUALITY.anywhere };
}

/** The last character boundary after `start` and at or before `at`, seen through a window: segmenting it all is slow. */
function characterStart(line: string, start: number, at: number): number {
  const from = Math.max(start, at - 32);
  const segment = graphemes.segment(line.slice(from, at + 16)).containing(at - from);
  const end = from + (segment?.index ?? at - from);
  if (end > start) {
    return end;
  }
  // One "character" longer than the window (stacked accents): give up on it, but never halve a surrogate pair.
  return isLowSurrogate(line, at) && at - 1 > start ? at - 1 : at;
}

function isLowSurrogate(line: string, index: number): boolean {
  const code = line.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
