import MarkdownIt, { type Token } from "markdown-it";
import { blockQuality, headingQuality, INSIDE_WHOLE, QUALITY } from "./break-quality.ts";
import { headerOfDelimited, SAMPLED_LINES } from "./delimited-table.ts";
import { type Heading, headingText } from "./heading-path.ts";
import type { LineRuler } from "./line-ruler.ts";
import { tableRule } from "./table-rule.ts";

interface Structure {
  /** How good it is to start a chunk at each line. */
  readonly quality: Float64Array;
  readonly headings: readonly Heading[];
  readonly tables: readonly Table[];
}

/** A table: `from` is the line of its header, `to` the line behind its last row. */
export interface Table {
  readonly from: number;
  readonly to: number;
  /** The first line that is a row. */
  readonly rows: number;
  readonly header: string;
}

// Block rules only. "commonmark" stops at 20 levels of nesting, so hostile nesting costs nothing;
// deeper blocks count as plain lines. Link definitions stay paragraphs: parsing them would only
// remove their lines from the tokens.
const parser = new MarkdownIt("commonmark").enable("table").disable("reference");
parser.block.ruler.at("table", tableRule, { alt: ["paragraph", "reference"] });

const BLOCKS = new Set([
  "heading_open",
  "hr",
  "paragraph_open",
  "fence",
  "code_block",
  "html_block",
  "table_open",
  "bullet_list_open",
  "ordered_list_open",
  "list_item_open",
  "blockquote_open",
]);
const FENCE_MARK = /^[\s>]*(?:`{3,}|~{3,})\s*$/;

interface Draft {
  readonly lines: readonly string[];
  readonly ruler: LineRuler;
  readonly quality: Float64Array;
  /** Upper bounds on the quality, for lines that belong to the line before. */
  readonly cap: Float64Array;
  /** 1 for the lines inside a block that is kept whole. */
  readonly whole: Uint8Array;
  readonly headings: Heading[];
  readonly tables: Table[];
  /** The end of the last block that is kept whole. The lines before it are marked already. */
  wholeUntil: number;
  /** The block just read, when it was a paragraph that ends in a colon. */
  announcement: { level: number } | undefined;
}

function newDraft(lines: readonly string[], ruler: LineRuler): Draft {
  const quality = new Float64Array(lines.length).fill(QUALITY.line);
  const cap = new Float64Array(lines.length).fill(1);
  const whole = new Uint8Array(lines.length);
  return { lines, ruler, quality, cap, whole, headings: [], tables: [], wholeUntil: 0, announcement: undefined };
}

/**
 * Reads the block structure of Markdown from line `first` on; the lines before it are front matter.
 * Marks blocks that fit a chunk to be kept whole.
 */
export function readMarkdown(lines: readonly string[], first: number, ruler: LineRuler): Structure {
  const tokens = parseBlocks(lines.slice(first).join("\n"));
  const draft = newDraft(lines, ruler);
  if (first > 0) {
    keepWhole(draft, 0, first);
  }
  for (const [i, token] of tokens.entries()) {
    if (token.map !== null) {
      const from = token.map[0] + first;
      readBlock(draft, token, from, ruler.trimEnd(from, token.map[1] + first), tokens[i + 1]);
    }
  }
  return finish(draft);
}

/**
 * Returns the opening tokens of blocks, each heading followed by its text. Drops the other tokens
 * at once, so that they are freed early: if all are kept, half of the time goes to the garbage
 * collector.
 */
function parseBlocks(source: string): Token[] {
  const kept: Token[] = [];
  const sink: Token[] = [];
  sink.push = (token: Token) => {
    if (BLOCKS.has(token.type) || (token.type === "inline" && kept.at(-1)?.type === "heading_open")) {
      kept.push(token);
    }
    return kept.length;
  };
  parser.block.parse(source, parser, {}, sink);
  return kept;
}

/**
 * Returns the structure of text that is not Markdown: paragraphs between blank lines, no headings.
 */
export function readPlainText(lines: readonly string[], ruler: LineRuler): Structure {
  const draft = newDraft(lines, ruler);
  for (let from = ruler.nextInk(0); from < ruler.count; ) {
    let to = from + 1;
    while (to < ruler.count && !ruler.isBlank(to)) {
      to++;
    }
    raise(draft, from, QUALITY.block);
    keepWhole(draft, from, to);
    from = ruler.nextInk(to);
  }
  return finish(draft);
}

/**
 * Reads one opening or self-contained token that covers the lines from..to; `inline` is the token
 * after it.
 */
function readBlock(draft: Draft, token: Token, from: number, to: number, inline: Token | undefined): void {
  if (token.type === "heading_open") {
    readHeading(draft, token, from, to, inline?.content ?? "");
  } else if (token.type === "hr") {
    raise(draft, from, blockQuality(token.level));
    raise(draft, draft.ruler.nextInk(to), token.level === 0 ? QUALITY.section : blockQuality(token.level));
  } else if (token.type !== "inline") {
    raise(draft, from, blockQuality(token.level));
    if (draft.announcement?.level === token.level && token.type !== "paragraph_open") {
      lowerCap(draft, from, QUALITY.announced);
    }
    readInside(draft, token.type, from, to);
    if (token.type === "paragraph_open") readDelimited(draft, from, to);
  } else {
    return;
  }
  const announces = token.type === "paragraph_open" && /[:：]\s*$/.test((draft.lines[to - 1] ?? "").slice(-20));
  draft.announcement = announces ? { level: token.level } : undefined;
}

function readHeading(draft: Draft, token: Token, from: number, to: number, markdown: string): void {
  const depth = Number(token.tag.slice(1));
  // A heading inside a quote or a list item belongs to the quoted text and starts no section of
  // this file.
  if (token.level === 0) {
    draft.headings.push({ line: from, depth, text: headingText(markdown) });
    raise(draft, from, headingQuality(depth));
  } else {
    raise(draft, from, blockQuality(token.level));
  }
  keepWhole(draft, from, to);
  for (let line = from + 1; line < to; line++) {
    lowerCap(draft, line, QUALITY.afterHeading); // the underline of a heading, or a heading of several lines
  }
  lowerCap(draft, draft.ruler.nextInk(to), QUALITY.afterHeading);
}

function readInside(draft: Draft, type: string, from: number, to: number): void {
  if (!type.endsWith("list_open") && type !== "blockquote_open") {
    keepWhole(draft, from, to);
  }
  if (type === "table_open") {
    draft.tables.push({ from, to, rows: from + 2, header: barred(draft.lines[from] ?? "") });
    for (let line = from + 1; line < to; line++) {
      raise(draft, line, QUALITY.row);
    }
    lowerCap(draft, from + 1, QUALITY.glued);
    lowerCap(draft, from + 2, QUALITY.glued);
  } else if (type === "fence" || type === "code_block" || type === "html_block") {
    for (let line = from + 1; line < to; line++) {
      if (draft.ruler.isBlank(line - 1)) {
        raise(draft, line, QUALITY.row);
      }
    }
    if (type === "fence") {
      lowerCap(draft, draft.ruler.nextInk(from + 1), QUALITY.glued);
      if (to - 1 > from && FENCE_MARK.test((draft.lines[to - 1] ?? "").slice(0, 1000))) {
        lowerCap(draft, to - 1, QUALITY.glued);
      }
    }
  }
}

/** Reads a paragraph that may be a table in plain text, such as CSV. */
function readDelimited(draft: Draft, from: number, to: number): void {
  const header = headerOfDelimited(draft.lines.slice(from, Math.min(to, from + SAMPLED_LINES)));
  if (header === undefined) return;
  draft.tables.push({ from, to, rows: from + 1, header });
  for (let line = from + 1; line < to; line++) raise(draft, line, QUALITY.row);
  lowerCap(draft, from + 1, QUALITY.glued);
}

/** Returns a header with bars at both ends, without which it could not be told from a heading. */
function barred(line: string): string {
  const header = line.trim();
  return header.startsWith("|") ? header : `| ${header} |`;
}

function raise(draft: Draft, line: number, quality: number): void {
  if (line < draft.quality.length) {
    draft.quality[line] = Math.max(draft.quality[line] ?? 0, quality);
  }
}

function lowerCap(draft: Draft, line: number, cap: number): void {
  if (line < draft.cap.length) {
    draft.cap[line] = Math.min(draft.cap[line] ?? 1, cap);
  }
}

/**
 * Marks the inside of a block that fits a chunk. Blocks come outermost first, so the lines of a
 * nested list are visited once and not once per level.
 */
function keepWhole(draft: Draft, from: number, to: number): void {
  if (from < draft.wholeUntil || !draft.ruler.fits(from, to)) {
    return;
  }
  draft.wholeUntil = to;
  draft.whole.fill(1, from + 1, to);
}

function finish(draft: Draft): Structure {
  const quality = draft.quality.map(
    (value, line) => Math.min(value, draft.cap[line] ?? 1) * (draft.whole[line] === 1 ? INSIDE_WHOLE : 1),
  );
  return { quality, headings: draft.headings, tables: draft.tables };
}
