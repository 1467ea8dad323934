import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { estimateTokens } from "../../src/ingest/estimate-tokens.ts";
import { toLines } from "../../src/ingest/normalise.ts";
import { processorTime } from "../support/processor-time.ts";

const settings = { tokens: 400, overlap: 80 };

// Each text takes 1 to 600 ms of a slow processor. A quadratic step would take minutes, so the
// bound is loose on purpose.
const LIMIT_MS = 4000;

/**
 * Returns a table whose rows of one cell the parser pads to the width of the head: 51 cells for
 * each character.
 */
const paddedTable = (columns: number, rows: number) =>
  `${"|".repeat(columns + 1)}\n${"|-".repeat(columns)}|\n${"a\n".repeat(rows)}\n`;

const HOSTILE: readonly (readonly [name: string, content: () => string])[] = [
  ["1 MB on one line", () => "word ".repeat(200_000)],
  ["1 MB on one line without a space", () => "x".repeat(1_000_000)],
  ["1 MB of spaces and a word", () => `${" ".repeat(1_000_000)}x`],
  ["1 MB of short sentences on one line", () => "A b. ".repeat(200_000)],
  ["5 MB of 200,000 lines", () => "some text of a line here\n".repeat(200_000)],
  ["5 MB of list items", () => "- some text of an item\n".repeat(200_000)],
  ["5 MB of table rows", () => `| a | b |\n|-|-|\n${"| one | two three |\n".repeat(240_000)}`],
  ["a million blank lines", () => "\n".repeat(1_000_000)],
  ["a million paragraphs", () => "a\n\n".repeat(1_000_000)],
  ["1 MB of tables whose rows are padded", () => paddedTable(256, 255).repeat(780)],
  ["a padded table of 100,000 columns", () => paddedTable(100_000, 100_000)],
  [
    "padded tables in quotes and lists",
    () =>
      paddedTable(256, 255)
        .replaceAll(/^(?=.)/gm, "> - > ")
        .repeat(200),
  ],
  ["10,000 quote marks", () => `${">".repeat(10_000)} x`],
  ["2,000 levels of lists", () => Array.from({ length: 2000 }, (_, i) => `${" ".repeat(2 * i)}- x`).join("\n")],
  ["10,000 list marks on a line", () => `${"- ".repeat(10_000)}x`],
  ["100,000 brackets", () => "[".repeat(100_000)],
  ["100,000 backticks", () => "`".repeat(100_000)],
  ["100,000 stars", () => "*".repeat(100_000)],
  ["100,000 lines of a star", () => "*\n".repeat(100_000)],
  ["100,000 headings", () => "# a\n".repeat(100_000)],
  ["100,000 underlined headings", () => "a\n=\n".repeat(100_000)],
  ["headings full of brackets", () => `# ${"[a](b".repeat(160)}${"<a ".repeat(300)}\n`.repeat(500)],
  ["a heading of 500,000 characters", () => `# ${"[a](b".repeat(100_000)}`],
  ["50,000 link definitions", () => "[a]: b\n".repeat(50_000)],
  ["an unclosed fence", () => `\`\`\`\n${"code\n".repeat(200_000)}`],
  ["an unclosed comment", () => `<!--\n${"code\n\n".repeat(100_000)}`],
  ["an unclosed front matter", () => `---\n${"a: b\n".repeat(200_000)}`],
  ["stacked accents", () => `a${"\u0301".repeat(300_000)}`],
  ["family emoji", () => "👩‍👩‍👧‍👦".repeat(40_000)],
  ["lone surrogates", () => "\uD800\n\uDC00x".repeat(50_000)],
  ["NUL", () => "\u0000".repeat(100_000)],
];

const MARKS = [
  ...[
    "|",
    "-|",
    ":",
    "\\",
    " ",
    "\t",
    "a",
    "b ",
    "> ",
    "- ",
    "1. ",
    "    ",
    "=",
    "# ",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "---",
  ],
  ...[
    "<div>",
    "<!--",
    "-->",
    "<a ",
    "[a]: ",
    "[",
    "](",
    ")",
    "*",
    "_",
    "`",
    "&amp;",
    "[^1]: ",
    "設定",
    "\u0301",
    "👩‍👩‍👧",
  ],
];
const mark = fc.array(fc.constantFrom(...MARKS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
const SIZE = 60_000;
const side = Math.ceil(Math.sqrt(SIZE));
/**
 * Texts that make a parser look twice: a mark repeated, on lines, on long lines, on ever longer
 * lines, or after another mark.
 */
const shape = fc.tuple(mark, mark, fc.nat(4)).map(([a, b, kind]) => {
  const fill = (text: string, size: number) => text.repeat(Math.ceil(size / text.length));
  if (kind === 0) return fill(a, SIZE);
  if (kind === 1) return fill(`${a}\n`, SIZE);
  if (kind === 2) return `${fill(a, SIZE / 2)}\n${fill(b, SIZE / 2)}`;
  if (kind === 3) return fill(`${fill(a, side)}${b}\n`, SIZE);
  return Array.from({ length: side }, (_, i) => `${a.repeat(i / a.length)}${b}`).join("\n");
});

describe("chunkMarkdown on hostile text", () => {
  it("takes time in proportion to the text, whatever its shape", () => {
    fc.assert(
      fc.property(shape, (content) => {
        const spent = processorTime();
        chunkMarkdown(content, settings);
        // Each text takes 10 to 100 ms of a slow processor.
        expect(spent()).toBeLessThan(LIMIT_MS / 2);
      }),
      { numRuns: 60 },
    );
  });

  it.each(HOSTILE)("%s", (_name, make) => {
    const content = make();
    const spent = processorTime();
    const chunks = chunkMarkdown(content, settings);
    expect(spent()).toBeLessThan(LIMIT_MS);
    const blank = content.trim() === "";
    expect(chunks.length > 0).toBe(!blank);
    const lines = toLines(content).length;
    for (const chunk of chunks) {
      if (estimateTokens(chunk.text) > settings.tokens || !chunk.text.isWellFormed() || chunk.endLine > lines) {
        expect.unreachable(`chunk ${chunk.ordinal} is too large, not well-formed or outside the file`);
      }
    }
  });

  it("reads a file of more than 300,000 lines as plain text", () => {
    const chunks = chunkMarkdown(`# Title\n${"text\n".repeat(300_000)}`, settings);
    expect(chunks[1]?.heading).toBe("");
  });
});
