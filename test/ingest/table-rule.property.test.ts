import fc from "fast-check";
import MarkdownIt, { type Token } from "markdown-it";
import { expect, test } from "vitest";
import { tableRule } from "../../src/ingest/table-rule.ts";

const original = new MarkdownIt("commonmark").enable("table");
const ours = new MarkdownIt("commonmark").enable("table");
ours.block.ruler.at("table", tableRule, { alt: ["paragraph", "reference"] });

/** Returns all blocks with their lines, without the parts of tables. */
function blocks(parser: typeof ours, source: string) {
  const tokens: Token[] = [];
  parser.block.parse(source, parser, {}, tokens);
  let inside = false;
  const outside = tokens.filter(({ type }) => {
    const was = inside;
    if (type === "table_open" || type === "table_close") inside = type === "table_open";
    return !was || type === "table_close";
  });
  return { blocks: outside.map(({ type, map, level }) => ({ type, map, level })), made: tokens.length };
}

const pieces = [
  "|",
  "|",
  "-",
  "-|",
  "|-",
  ":-:",
  ":",
  "\\",
  " ",
  "\t",
  "a",
  "b",
  "> ",
  "- ",
  "1. ",
  "    ",
  "=",
  "#",
  "```",
];
const line = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));
/** A head, its delimiters, and rows; each of them may be broken. */
const table = fc
  .tuple(fc.nat(5), fc.nat(5), fc.array(line, { maxLength: 4 }), fc.constantFrom("", "> ", "- ", "  ", "\t", "\\"))
  .map(([head, delimiters, rows, before]) =>
    [`${before}${"|a".repeat(head)}|`, `  ${"|-".repeat(delimiters)}|`, ...rows].join("\n"),
  );

test("tables lie where markdown-it's own rule finds them", () => {
  const source = fc.array(fc.oneof(line, table), { maxLength: 12 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(source, (text) => {
      expect(blocks(ours, text).blocks).toEqual(blocks(original, text).blocks);
    }),
    { numRuns: 3000 },
  );
});

test("a table ends where markdown-it ends it for the cells that are missing", () => {
  const text = `${"|".repeat(301)}\n${"|-".repeat(300)}|\n${"a\n".repeat(300)}`;
  expect(blocks(ours, text).blocks).toEqual(blocks(original, text).blocks);
  expect(blocks(ours, text).blocks[0]?.map?.[1]).toBeLessThan(300);
});

test("no cell becomes a token, however wide the head is", () => {
  const text = `${"|".repeat(257)}\n${"|-".repeat(256)}|\n${"a\n".repeat(255)}`;
  expect(blocks(original, text).made).toBeGreaterThan(190_000);
  expect(blocks(ours, text).made).toBe(2);
});
