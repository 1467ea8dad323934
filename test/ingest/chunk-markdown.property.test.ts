import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chunk, type ChunkSettings, chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { estimateTokens } from "../../src/ingest/estimate-tokens.ts";
import { readFrontMatter } from "../../src/ingest/front-matter.ts";
import { contentHash, toLines } from "../../src/ingest/normalise.ts";

const words = fc
  .array(
    fc.constantFrom(
      "alpha",
      "beta.",
      "`code`",
      "漢字",
      "😀",
      "e\u0301",
      "[x](y)",
      "**b**",
      "|",
      "a:",
      "한국어。",
      "\u00a0",
      "<b>",
    ),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(" "));
const block: fc.Arbitrary<string> = fc.oneof(
  words,
  fc.array(words, { maxLength: 8 }).map((lines) => lines.join("\n")),
  fc.tuple(fc.integer({ min: 1, max: 6 }), words).map(([depth, text]) => `${"#".repeat(depth)} ${text}`),
  words.map((text) => `${text}\n===`),
  fc.array(words, { maxLength: 10 }).map((lines) => `\`\`\`js\n${lines.join("\n\n")}\n\`\`\``),
  fc.array(words, { maxLength: 10 }).map((rows) => `| a | b |\n|---|---|\n${rows.map((r) => `| ${r} |`).join("\n")}`),
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 5 }), words), { maxLength: 10 })
    .map((items) => items.map(([depth, text]) => `${"  ".repeat(depth)}- ${text}`).join("\n")),
  fc.array(words, { maxLength: 5 }).map((lines) => lines.map((line) => `> ${line}`).join("\n")),
  fc.constantFrom("---", "~~~", "<div>", "<!--", "", "   ", "\n\n\n", "[a]: b", "    indented", "1. one", "\t- tab"),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.tuple(words, fc.integer({ min: 1, max: 8 })).map(([text, times]) => text.repeat(times)),
);
const frontMatter = fc.constantFrom("", "---\ntitle: The title\ntags: [a, b]\n---\n", "---\n");
const document = fc
  .tuple(frontMatter, fc.array(fc.tuple(block, fc.constantFrom("\n", "\n\n", "\n \n\n")), { maxLength: 25 }))
  .map(([head, blocks]) => head + blocks.flat().join(""));
const settings = fc.record({
  tokens: fc.integer({ min: 1, max: 120 }),
  overlap: fc.integer({ min: 0, max: 40 }),
  format: fc.constantFrom("markdown" as const, "plain" as const),
});

const lineRange = (lines: readonly string[], chunk: Chunk) =>
  lines.slice(chunk.startLine - 1, chunk.endLine).join("\n");

function checkChunk(chunk: Chunk, lines: readonly string[], { tokens }: ChunkSettings): void {
  expect(chunk.startLine).toBeGreaterThanOrEqual(1);
  expect(chunk.endLine).toBeGreaterThanOrEqual(chunk.startLine);
  expect(chunk.endLine).toBeLessThanOrEqual(lines.length);
  expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(tokens);
  const keywords = chunk.keywords === undefined ? "" : `\0${chunk.keywords}`;
  expect(chunk.hash).toBe(contentHash(`${chunk.heading}\n${chunk.text}${keywords}`));
  expect(chunk.heading.length).toBeLessThanOrEqual(300);
  expect(chunk.text.trim()).not.toBe("");
  expect(chunk.text.isWellFormed()).toBe(true);
  const range = lineRange(lines, chunk);
  if (chunk.text !== range) {
    expect(range).toContain(chunk.text);
    // Only a line that does not fit a chunk together with its heading may be cut.
    const ends = [lines[chunk.startLine - 1] ?? "", lines[chunk.endLine - 1] ?? ""];
    expect(Math.max(...ends.map(estimateTokens))).toBeGreaterThan(tokens / 2);
  }
}

/**
 * Returns the first line that chunks are made of: the line after a front matter that is followed by
 * text.
 */
function firstLineOf(lines: readonly string[], { format }: ChunkSettings): number {
  const front = format === "plain" ? 0 : readFrontMatter(lines).lines;
  return lines.slice(front).some((line) => line.trim() !== "") ? front : 0;
}

/**
 * Checks that everything except white space is covered, in order: each chunk starts no later than
 * the end of the chunk before it.
 */
function checkCoverage(chunks: readonly Chunk[], lines: readonly string[], firstLine: number): void {
  const source = lines.join("\n");
  const lineStarts: number[] = [];
  for (let at = 0, i = 0; i < lines.length; at += (lines[i++]?.length ?? 0) + 1) {
    lineStarts.push(at);
  }
  let covered = lineStarts[firstLine] ?? 0;
  for (const chunk of chunks) {
    const limit = source.slice(covered).search(/\S/) + covered;
    const lowest = lineStarts[chunk.startLine - 1] ?? 0;
    // A piece of a repetitive line occurs in many places. The last place that leaves no gap counts.
    const start = source.lastIndexOf(chunk.text, limit);
    expect(start).toBeGreaterThanOrEqual(lowest);
    covered = start + chunk.text.length;
  }
  expect(source.slice(covered).trim()).toBe("");
}

describe("chunkMarkdown", () => {
  it("holds its invariants on any mix of Markdown", () => {
    fc.assert(
      fc.property(document, settings, (content, config) => {
        const lines = toLines(content);
        const chunks = chunkMarkdown(content, config);
        for (const [i, chunk] of chunks.entries()) {
          expect(chunk.ordinal).toBe(i);
          checkChunk(chunk, lines, config);
          const previous = chunks[i - 1];
          if (previous !== undefined) {
            expect(chunk.startLine).toBeGreaterThanOrEqual(previous.startLine);
            expect(chunk.endLine).toBeGreaterThanOrEqual(previous.endLine);
          }
        }
        checkCoverage(chunks, lines, firstLineOf(lines, config));
      }),
      { numRuns: 400 },
    );
  });

  it("covers every line that is not blank", () => {
    fc.assert(
      fc.property(document, settings, (content, config) => {
        const chunks = chunkMarkdown(content, config);
        const lines = toLines(content);
        const firstLine = firstLineOf(lines, config);
        for (const [i, line] of lines.entries()) {
          if (i >= firstLine && line.trim() !== "") {
            expect(chunks.some(({ startLine, endLine }) => startLine <= i + 1 && i + 1 <= endLine)).toBe(true);
          }
        }
      }),
    );
  });

  it("makes the same chunks of a file with CRLF, CR or a byte order mark", () => {
    fc.assert(
      fc.property(document, settings, (content, config) => {
        const text = content.replaceAll("\r", "").replace(/^\uFEFF+/, "");
        const expected = chunkMarkdown(text, config);
        expect(chunkMarkdown(text.replaceAll("\n", "\r\n"), config)).toEqual(expected);
        expect(chunkMarkdown(text.replaceAll("\n", "\r"), config)).toEqual(expected);
        expect(chunkMarkdown(`\uFEFF${text}`, config)).toEqual(expected);
      }),
    );
  });

  it("repeats no more than the overlap", () => {
    fc.assert(
      fc.property(document, settings, (content, config) => {
        const lines = toLines(content);
        const limit = Math.min(config.overlap, config.tokens / 2);
        const chunks = chunkMarkdown(content, config);
        for (const [i, chunk] of chunks.entries()) {
          const previous = chunks[i - 1];
          const whole = previous !== undefined && [previous, chunk].every((c) => c.text === lineRange(lines, c));
          if (whole && chunk.startLine <= previous.endLine) {
            const repeated = lines.slice(chunk.startLine - 1, previous.endLine).join("\n");
            expect(estimateTokens(repeated)).toBeLessThanOrEqual(Math.ceil(limit));
          }
        }
      }),
    );
  });

  it("loses and repeats nothing of an over-long line when there is no overlap", () => {
    const line = fc
      .array(words, { minLength: 5, maxLength: 40 })
      .map((parts) => `x${parts.join(" ").replace(/\s+/g, " ")}x`);
    fc.assert(
      fc.property(line, fc.integer({ min: 5, max: 60 }), (content, tokens) => {
        const chunks = chunkMarkdown(content, { tokens, overlap: 0 });
        const text = chunks.map((chunk) => chunk.text).join("");
        expect(text.replaceAll(" ", "")).toBe(content.replaceAll(" ", ""));
        expect(chunks.every(({ startLine, endLine }) => startLine === 1 && endLine === 1)).toBe(true);
      }),
    );
  });
});
