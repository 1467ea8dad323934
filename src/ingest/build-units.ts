import { QUALITY } from "./break-quality.ts";
import { QUARTERS_PER_TOKEN } from "./estimate-tokens.ts";
import type { LineRuler } from "./line-ruler.ts";
import type { Unit } from "./pack-units.ts";
import { type Piece, splitLine } from "./split-line.ts";
import type { TokenLimit } from "./token-limit.ts";

/** What decides which lines are too long for a chunk. */
export interface UnitSettings {
  /** The line to begin with. */
  readonly firstLine: number;
  readonly budget: number;
  readonly overlap: number;
  readonly limit: TokenLimit | undefined;
  /** Most tokens of a chunk that begins at a line. */
  readonly roomAt: (line: number) => number;
}

/** Pieces of a line are at most this part of what the model reads, so that several fill a chunk well. */
const PIECES_A_CHUNK = 4;

/** One unit for each line that is not blank, several for a line that no chunk can hold. */
export function buildUnits(
  lines: readonly string[],
  ruler: LineRuler,
  qualities: Float64Array,
  settings: UnitSettings,
): Unit[] {
  const { firstLine, budget, overlap, roomAt } = settings;
  const units: Unit[] = [];
  // Pieces small enough that one fits the overlap and several fill a chunk well, unless the overlap is tiny.
  const pieceMax = Math.max(QUARTERS_PER_TOKEN, Math.floor(Math.min(budget / 4, Math.max(budget / 8, overlap))));
  let offset = 0;
  let headings = firstLine;
  for (const [line, text] of lines.entries()) {
    const quality = qualities[line] ?? 0;
    if (line >= firstLine && !ruler.isBlank(line)) {
      const [from, to] = [ruler.weightBefore(line), ruler.weightBefore(line + 1) - 1];
      const [tokensFrom, tokensTo] = [ruler.tokensBefore(line), ruler.tokensBefore(line + 1)];
      // A one-line paragraph that fits alone, but not together with the heading above it, is split as well: the heading
      // would be left alone otherwise. Headings that fill half a chunk themselves are past help.
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

/** The pieces of a line, smaller ones where they are too many tokens: of base64 a model makes three times what prose is. */
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
