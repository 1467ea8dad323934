import { expect, test } from "vitest";
import { isOutput, readBlocks } from "../support/doc-blocks.ts";

const FENCE = "```";

test("blocks know their language, what stands before them, and what they stand under", () => {
  const markdown = [
    "<!-- given:\nmkdir a\n-->",
    `${FENCE}sh\nls\n${FENCE}`,
    "",
    `${FENCE}text\na\n${FENCE}`,
    "<!-- not run: needs a cloud -->",
    `   ${FENCE}sh\n   up\n   ${FENCE}`,
  ].join("\n");
  const blocks = readBlocks("a.md", markdown);
  expect(blocks.map(({ at, language, text, given, notRun }) => ({ at, language, text, given, notRun }))).toEqual([
    { at: "a.md:4", language: "sh", text: "ls", given: "mkdir a", notRun: undefined },
    { at: "a.md:8", language: "text", text: "a", given: undefined, notRun: undefined },
    { at: "a.md:12", language: "sh", text: "up", given: undefined, notRun: "needs a cloud" },
  ]);
  expect(blocks.map(({ under }) => under?.at)).toEqual([undefined, "a.md:4", undefined]);
  expect(() => readBlocks("a.md", `${FENCE}sh\nls`)).toThrow("a.md:1 opens a code block that nothing closes");
});

test("an output is the whole of what was written, with … for anything", () => {
  expect(isOutput("sent 1 · … s\n…", "sent 1 · 0.3 s  \nand so on\n")).toBe(true);
  expect(isOutput("a (b)", "a (b)")).toBe(true);
  expect(isOutput("a", "a\nb")).toBe(false);
  expect(isOutput("sent 1 · … s", "sent 2 · 0.3 s")).toBe(false);
});
