import { AppError } from "../base/errors.ts";
import { QUALITY } from "./break-quality.ts";
import { QUARTERS_PER_TOKEN } from "./estimate-tokens.ts";
import { readFrontMatter } from "./front-matter.ts";
import { headingPaths } from "./heading-path.ts";
import { type LineRuler, measureLines } from "./line-ruler.ts";
import { readMarkdown, readPlainText } from "./markdown-structure.ts";
import { contentHash, toLines } from "./normalise.ts";
import { packUnits, type Unit } from "./pack-units.ts";
import { splitLine } from "./split-line.ts";

// Parsing costs about 3 µs and 600 bytes a line in the worst case (1.25 million list items: 3.4 s, 760 MB). A file with
// more lines than this is a dump of data, not a document, and is cut as plain text.
const MAX_MARKDOWN_LINES = 300_000;

export interface ChunkSettings {
  /** Largest size of a chunk in estimated tokens, overlap included, heading path not. */
  readonly tokens: number;
  /** At most this many estimated tokens are repeated from the chunk before; never more than half of `tokens`. */
  readonly overlap: number;
  /** Whether a chunk stands under its headings. Default true; without, every `heading` is empty. */
  readonly headings?: boolean;
  /** `plain` reads no Markdown: for source code and logs, where "# x" is no heading. Default `markdown`, up to 300,000 lines. */
  readonly format?: "markdown" | "plain";
}

export interface Chunk {
  /** 0, 1, 2, … in the order of the file. */
  readonly ordinal: number;
  /** 1-based, inclusive, in the lines of `toLines`. */
  readonly startLine: number;
  readonly endLine: number;
  /** The heading path "A > B > C" in force at the first line, its own heading included; at most 300 characters. */
  readonly heading: string;
  /** The lines startLine..endLine joined by "\n", or, at a piece of an over-long line, a part of that. */
  readonly text: string;
  /** SHA-256, in hex, of heading + "\n" + text: a chunk that moved under another heading is embedded anew. */
  readonly hash: string;
}

/**
 * Cuts a document into chunks along its Markdown structure: before headings first, then between blocks, then between
 * list items, rows, lines, sentences, words. Blocks that fit a chunk stay whole, small sections share a chunk, a heading
 * stays with its text. Chunks start and end at lines that are not blank; every such line is in a chunk. CRLF, CR and a
 * byte order mark make no difference; lone surrogates read as U+FFFD (`toLines`). Time is linear in the content.
 * @throws AppError `config_invalid` when `tokens` or `overlap` is no sensible whole number; never because of the content
 */
export function chunkMarkdown(content: string, settings: ChunkSettings): Chunk[] {
  const { budget, overlap } = readSettings(settings);
  const lines = toLines(content);
  const ruler = measureLines(lines);
  const plain = settings.format === "plain" || lines.length > MAX_MARKDOWN_LINES;
  const frontMatter = plain ? { lines: 0, title: "" } : readFrontMatter(lines);
  const structure = plain ? readPlainText(lines, ruler, budget) : readMarkdown(lines, frontMatter.lines, ruler, budget);
  const units = buildUnits(lines, ruler, structure.quality, budget, overlap);
  const headingAt = headingPaths(frontMatter.title, structure.headings);
  const source = lines.join("\n");
  const chunks: Chunk[] = [];
  for (const { first, last } of packUnits(units, budget, overlap)) {
    const from = units[first];
    const to = units[last];
    const text = source.slice(from?.start, to?.end);
    // Only inside an over-long line, where a long run of spaces can fill a chunk.
    if (from !== undefined && to !== undefined && text.trim() !== "") {
      const heading = settings.headings === false ? "" : headingAt(from.line);
      const hash = contentHash(`${heading}\n${text}`);
      chunks.push({ ordinal: chunks.length, startLine: from.line + 1, endLine: to.line + 1, heading, text, hash });
    }
  }
  return chunks;
}

function readSettings({ tokens, overlap }: ChunkSettings): { budget: number; overlap: number } {
  if (!Number.isSafeInteger(tokens) || tokens < 1 || !Number.isSafeInteger(overlap) || overlap < 0) {
    throw new AppError(
      "config_invalid",
      "Set chunking.tokens to a whole number of at least 1 and chunking.overlap to one of at least 0.",
      { details: { tokens, overlap } },
    );
  }
  const budget = tokens * QUARTERS_PER_TOKEN;
  return { budget, overlap: Math.min(overlap * QUARTERS_PER_TOKEN, budget / 2) };
}

/** One unit for each line that is not blank, several for a line that no chunk can hold. */
function buildUnits(
  lines: readonly string[],
  ruler: LineRuler,
  qualities: Float64Array,
  budget: number,
  overlap: number,
): Unit[] {
  const units: Unit[] = [];
  // Pieces small enough that one fits the overlap and several fill a chunk well, unless the overlap is tiny.
  const pieceMax = Math.max(QUARTERS_PER_TOKEN, Math.floor(Math.min(budget / 4, Math.max(budget / 8, overlap))));
  let offset = 0;
  let headings = 0;
  for (const [line, text] of lines.entries()) {
    const from = ruler.weightBefore(line);
    const to = ruler.weightBefore(line + 1) - 1;
    const quality = qualities[line] ?? 0;
    if (!ruler.isBlank(line)) {
      // A one-line paragraph that fits alone, but not together with the heading above it, is split as well: the heading
      // would be left alone otherwise. Headings that fill half a chunk themselves are past help.
      headings = quality <= QUALITY.afterHeading ? headings : from;
      const room = from - headings > budget / 2 ? budget : budget - (from - headings);
      if (to - from <= room) {
        units.push({ line, start: offset, end: offset + text.length, from, to, quality });
      } else {
        appendPieces(units, { line, start: offset, from, quality }, text, pieceMax);
      }
    }
    offset += text.length + 1;
  }
  return units;
}

function appendPieces(
  units: Unit[],
  at: { line: number; start: number; from: number; quality: number },
  text: string,
  pieceMax: number,
): void {
  let { from, quality } = at;
  for (const piece of splitLine(text, pieceMax)) {
    const to = from + piece.weight;
    units.push({ line: at.line, start: at.start + piece.start, end: at.start + piece.end, from, to, quality });
    from = to;
    quality = piece.quality;
  }
}
