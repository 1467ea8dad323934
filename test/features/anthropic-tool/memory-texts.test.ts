import fc from "fast-check";
import { expect, test } from "vitest";
import { CommandError, pathOfCommand } from "../../../src/features/anthropic-tool/anthropic-commands.ts";
import { formatSize, insertText, replaceText, viewText } from "../../../src/features/anthropic-tool/anthropic-texts.ts";
import { processorTime } from "../../support/processor-time.ts";

const PATH = "/memories/a.txt";
const text = fc
  .array(fc.constantFrom("a", "b", "\n", "é", "$&", "\r\n"), { maxLength: 40 })
  .map((parts) => parts.join(""));
const linesOf = (content: string) =>
  viewText({ command: "view", path: PATH }, content)
    .split("\n")
    .slice(1)
    .filter((line) => line !== "");
const unnumbered = (line: string) => line.replace(/^ *\d+\t/, "");

test("a view shows every line with its number", () => {
  fc.assert(
    fc.property(text, (content) => {
      const shown = linesOf(content);
      expect(shown.map(unnumbered).join("\n")).toBe(content.replace(/\n$/, ""));
      expect(shown.map((line) => Number.parseInt(line, 10))).toEqual(shown.map((_, index) => index + 1));
    }),
  );
});

test("a range is a part of the whole view", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: -2, max: 20 }), fc.integer({ min: -2, max: 20 }), (content, from, to) => {
      const [, ...part] = viewText({ command: "view", path: PATH, view_range: [from, to] }, content).split("\n");
      const end = to === -1 ? undefined : Math.max(to, 0);
      expect(part.filter((line) => line !== "")).toEqual(linesOf(content).slice(Math.max(0, from - 1), end));
    }),
  );
});

test("an insertion adds its lines behind that line and leaves every other as it was", () => {
  fc.assert(
    fc.property(text, fc.nat(20), (content, line) => {
      const before = linesOf(content).map(unnumbered);
      const insert = () =>
        insertText({ command: "insert", path: PATH, insert_line: line, insert_text: "new\n" }, content);
      if (line > before.length) {
        expect(insert).toThrow(CommandError);
        return;
      }
      expect(linesOf(insert()).map(unnumbered)).toEqual(before.toSpliced(line, 0, "new"));
      if (content !== "") expect(insert().endsWith("\n")).toBe(content.endsWith("\n"));
    }),
  );
});

test("a replacement is made where the text occurs once, and is refused everywhere else", () => {
  fc.assert(
    fc.property(text, text, text, (content, old, replacement) => {
      let occurrences = 0;
      for (let at = content.indexOf(old); old !== "" && at !== -1; at = content.indexOf(old, at + 1)) occurrences++;
      const replace = () =>
        replaceText({ command: "str_replace", path: PATH, old_str: old, new_str: replacement }, content);
      if (occurrences !== 1) {
        expect(replace).toThrow(/^No replacement was performed/);
        return;
      }
      expect(replace().content).toBe(content.split(old).join(replacement));
    }),
  );
});

test("a path that is taken never has a way out in it, decoded as often as one likes", () => {
  const part = fc.constantFrom("..", ".", "%2e", "%2f", "%252e", "%25", "/", "\\", "a", "ä", "\u0000", " ");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      let path: string;
      try {
        path = pathOfCommand(`/memories/${parts.join("")}`);
      } catch {
        return;
      }
      for (let round = 0; round < 4; round++) {
        expect(path.split(/[/\\]/)).not.toContain("..");
        expect(path.startsWith("/")).toBe(false);
        path = path.replace(/%[0-9a-f]{2}/gi, (octet) => String.fromCharCode(Number.parseInt(octet.slice(1), 16)));
      }
    }),
    { numRuns: 2000 },
  );
});

test.each([
  [0, "0B"],
  [1, "1B"],
  [1023, "1023B"],
  [1024, "1K"],
  [5632, "5.5K"],
  [1_258_291, "1.2M"],
  [4_000_000_000_000, "3725.3G"],
])("%i bytes are %s", (bytes, size) => expect(formatSize(bytes)).toBe(size));

test.each([
  ["a text that begins like the file over and over", "a".repeat(400_000), `ab${"a".repeat(100_000)}`],
  ["a text that is everywhere in one long line", "a".repeat(400_000), "aa"],
])("no replacement holds up the process: %s", (_, content, old) => {
  const spent = processorTime();
  expect(() => replaceText({ command: "str_replace", path: PATH, old_str: old, new_str: "" }, content)).toThrow(
    CommandError,
  );
  // The search takes 20 ms. With `indexOf` it took ten seconds and more.
  expect(spent()).toBeLessThan(2000);
});
