import { describe, expect, it } from "vitest";
import { readFrontMatter } from "../../src/ingest/front-matter.ts";

const read = (text: string) => readFrontMatter(text.split("\n"));

describe("readFrontMatter", () => {
  it.each([
    ["---\ntitle: Hello\ntags: [a]\n---\n# x", { lines: 4, title: "Hello" }],
    ['---\nTitle: "A \\"b\\" c" # note\n---', { lines: 3, title: 'A "b" c' }],
    ["---\ntitle: 'it''s'\n---", { lines: 3, title: "it's" }],
    ["---\ntitle: C# in depth # note\n---", { lines: 3, title: "C# in depth" }],
    ["---\ntitle: >-\n  Folded text\n---", { lines: 4, title: "Folded text" }],
    ["---\n# comment\ndate: 2026-01-01\n...\ntext", { lines: 4, title: "" }],
    ["---\n---\ntext", { lines: 2, title: "" }],
  ])("%j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ["no fence", "title: x\n---"],
    ["a fence that is not on the first line", "\n---\ntitle: x\n---"],
    ["no closing fence", "---\ntitle: x\ntext"],
    ["a thematic break before prose", "---\nJust a paragraph.\n---"],
    ["a closing fence beyond 1,000 lines", `---\n${"a: b\n".repeat(1000)}---`],
    ["an empty file", ""],
  ])("none: %s", (_name, text) => {
    expect(read(text)).toEqual({ lines: 0, title: "" });
  });
});
