import { QUALITY } from "./break-quality.ts";
import { codeUnitWeight, QUARTERS_PER_TOKEN, type TokenLimit } from "./estimate-tokens.ts";
import type { LineRuler } from "./line-ruler.ts";
import type { Unit } from "./pack-units.ts";

/** The limits that decide which lines are too long for a chunk. */
interface UnitSettings {
  /** The first line that becomes a unit. */
  readonly firstLine: number;
  readonly budget: number;
  readonly overlap: number;
  readonly limit: TokenLimit | undefined;
  /** Returns the most tokens of a chunk that begins at a line. */
  readonly roomAt: (line: number) => number;
}

/**
 * The number of pieces of an over-long line that fit a chunk by their tokens. Several small pieces
 * fill a chunk well.
 */
const PIECES_A_CHUNK = 4;

/**
 * Returns one unit for each line that is not blank, and several units for a line that no chunk can
 * hold.
 */
export function buildUnits(
  lines: readonly string[],
  ruler: LineRuler,
  qualities: Float64Array,
  settings: UnitSettings,
): Unit[] {
  const { firstLine, budget, overlap, roomAt } = settings;
  const units: Unit[] = [];
  // A piece fits the overlap, and several pieces fill a chunk well, unless the overlap is tiny.
  const pieceMax = Math.max(QUARTERS_PER_TOKEN, Math.floor(Math.min(budget / 4, Math.max(budget / 8, overlap))));
  let offset = 0;
  let headings = firstLine;
  for (const [line, text] of lines.entries()) {
    const quality = qualities[line] ?? 0;
    if (line >= firstLine && !ruler.isBlank(line)) {
      const [from, to] = [ruler.weightBefore(line), ruler.weightBefore(line + 1) - 1];
      const [tokensFrom, tokensTo] = [ruler.tokensBefore(line), ruler.tokensBefore(line + 1)];
      // A one-line paragraph that fits a chunk alone, but not together with the headings above it,
      // is split too. Otherwise the headings would be left alone. Headings that fill half a chunk
      // by themselves are not counted.
      headings = quality <= QUALITY.afterHeading ? headings : line;
      const room = left(budget, from - ruler.weightBefore(headings));
      const tokenRoom = left(roomAt(line), tokensFrom - ruler.tokensBefore(headings));
      const at = { line, start: offset, from, tokensFrom, quality };
      if (to - from <= room && tokensTo - tokensFrom <= tokenRoom) {
        units.push({ ...at, end: offset + text.length, to, tokensTo, isPiece: false });
      } else {
        appendPieces(units, at, text, pieceMax, settings.limit);
      }
    }
    offset += text.length + 1;
  }
  return units;
}

function left(whole: number, used: number): number {
  return used > whole / 2 ? whole : whole - used;
}

function appendPieces(
  units: Unit[],
  at: Pick<Unit, "line" | "start" | "from" | "tokensFrom" | "quality">,
  text: string,
  pieceMax: number,
  limit: TokenLimit | undefined,
): void {
  let { from, tokensFrom, quality } = at;
  for (const piece of splitWithin(text, pieceMax, limit)) {
    const [to, tokensTo] = [from + piece.weight, tokensFrom + piece.tokens];
    const [start, end] = [at.start + piece.start, at.start + piece.end];
    units.push({ line: at.line, start, end, from, to, tokensFrom, tokensTo, quality, isPiece: true });
    from = to;
    tokensFrom = tokensTo;
    quality = piece.quality;
  }
}

/**
 * Cuts a line into pieces, and cuts a piece again if it has too many tokens: base64 has three times
 * the tokens of prose.
 */
function splitWithin(line: string, max: number, limit: TokenLimit | undefined): (Piece & { tokens: number })[] {
  return splitLine(line, max).flatMap((piece) => {
    const text = line.slice(piece.start, piece.end);
    const tokens = limit?.count(text) ?? 0;
    if (!limit || tokens <= limit.tokens / PIECES_A_CHUNK || max <= QUARTERS_PER_TOKEN) return [{ ...piece, tokens }];
    const parts = splitWithin(text, Math.max(QUARTERS_PER_TOKEN, Math.floor(max / 2)), limit);
    return parts.map((part, index) => ({
      ...part,
      start: piece.start + part.start,
      end: piece.start + part.end,
      quality: index === parts.length - 1 ? piece.quality : part.quality,
    }));
  });
}

/**
 * A piece of an over-long line. The pieces follow each other without a gap and together are the
 * whole line.
 */
interface Piece {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** The weight in quarters of a token. */
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
 * Cuts a line into pieces of at most `max` quarters of a token (at least 4, the weight of the
 * heaviest character). Cuts after a sentence, else after a word, else after punctuation (minified
 * JSON), else anywhere but inside a character.
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

/**
 * Chooses where a piece ends. Skips an end that is too near the start and takes a worse kind of
 * end, so that pieces stay large enough to make the scan linear.
 */
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

/**
 * Returns the last character boundary after `start` and at or before `at`. Looks only through a
 * window, because segmenting the whole line is slow.
 */
function characterStart(line: string, start: number, at: number): number {
  const from = Math.max(start, at - 32);
  const segment = graphemes.segment(line.slice(from, at + 16)).containing(at - from);
  const end = from + (segment?.index ?? at - from);
  if (end > start) {
    return end;
  }
  // A "character" that is longer than the window (stacked accents) may be cut, but never between
  // the halves of a surrogate pair.
  return isLowSurrogate(line, at) && at - 1 > start ? at - 1 : at;
}

function isLowSurrogate(line: string, index: number): boolean {
  const code = line.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
