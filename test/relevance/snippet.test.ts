import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { citation, MAX_SNIPPET_CHARS, snippet } from "../../src/relevance/snippets/snippet.ts";
import { namedFiles } from "../../src/relevance/words/query-names.ts";
import { processorTime } from "../support/processor-time.ts";

describe("snippet", () => {
  const filler = "Nothing of interest stands here.\n".repeat(60);

  test("is the whole text when it fits", () => {
    expect(snippet("short text", ["text"])).toBe("short text");
  });

  test("shows the passage with most of the query's words, from the start of its line", () => {
    const text = `${filler}The proxy was closed.\nThe staging proxy listens on port 8443.\n${filler}`;
    const shown = snippet(text, ["staging", "proxy", "port"]);
    expect(shown).toContain("The staging proxy listens on port 8443.");
    expect(shown.startsWith("…The ")).toBe(true);
    expect(shown).toMatch(/\s[a-zA-Z]+\.?…$/);
  });

  test("shows the beginning when no word occurs", () => {
    const shown = snippet(filler, ["zebra"]);
    expect(filler.startsWith(shown.slice(0, -1))).toBe(true);
    expect(shown).toMatch(/^Nothing .* (?:Nothing|of|interest|stands|here\.)…$/s);
    expect(shown.length).toBeGreaterThan(MAX_SNIPPET_CHARS - 20);
  });

  test("begins and ends at a word", () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`);
    for (let limit = 40; limit < 80; limit++) {
      const shown = snippet(words.join(" "), ["word30"], limit);
      expect(shown.length).toBeLessThanOrEqual(limit);
      expect(shown).toMatch(/^….*word30.*…$/);
      for (const word of shown.slice(1, -1).split(" ")) expect(words).toContain(word);
    }
  });

  test("shows the end of a text without an ellipsis behind it", () => {
    const shown = snippet(`${filler}The staging proxy listens on port 8443.\n`, ["staging"], 100);
    expect(shown).toMatch(/^….*The staging proxy listens on port 8443\.\n$/s);
  });

  test("cuts a text without spaces at a character, and a word longer than any at one too", () => {
    const japanese = snippet("東京タワーに行きました".repeat(30), [], 100);
    expect(japanese).toHaveLength(100);
    expect(japanese.endsWith("…")).toBe(true);
    expect(snippet("👩‍👩‍👧".repeat(100), [], 100)).toMatch(/^(?:👩‍👩‍👧)+…$/u);
    const base64 = snippet("QUJD".repeat(300), [], 100);
    expect(base64).toBe(`${"QUJD".repeat(300).slice(0, 99)}…`);
  });

  test("is part of the text, within the limit, never half a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 300, maxLength: 900 }),
        fc.array(fc.string({ maxLength: 4 }), { maxLength: 5 }),
        (text, words) => {
          const shown = snippet(text, words, 200);
          expect(shown.length).toBeLessThanOrEqual(200);
          expect(text).toContain(shown.replace(/^…/u, "").replace(/…$/u, ""));
          expect(shown.isWellFormed()).toBe(text.isWellFormed());
        },
      ),
    );
  });

  test("takes no longer for a text of one word", () => {
    const spent = processorTime();
    snippet("a ".repeat(500_000), ["a"]);
    expect(spent()).toBeLessThan(500);
  });
});

describe("named files", () => {
  test.each([
    ["docs/api.md", ["docs/api.md"]],
    ["T-1082", ["T-1082", "T-1082.md"]],
    ["what does `src/memory/hybrid.ts` do?", ["src/memory/hybrid.ts"]],
    ['open "MEMORY.md", please', ["MEMORY.md"]],
    ["why (see notes/a.md)?", ["notes/a.md"]],
  ])("%s", (query, names) => {
    expect(namedFiles(query)).toEqual(expect.arrayContaining(names));
  });

  test("ordinary words are not names", () => {
    expect(namedFiles("who owns the release?")).toEqual(["who owns the release?"]);
  });

  test("a question is none, however it ends, but for the names in it", () => {
    expect(namedFiles("who of the whole team owns the next release?")).toEqual([]);
    expect(namedFiles("who of the whole team owns notes/a.md now?")).toEqual(expect.arrayContaining(["notes/a.md"]));
    const long = "2026-05-01 minutes of the meeting with the whole team.md";
    expect(namedFiles(long)).toEqual(expect.arrayContaining([long]));
  });

  test("at most eight", () => {
    expect(namedFiles(Array.from({ length: 50 }, (_, i) => `${i}.md`).join(" "))).toHaveLength(8);
  });
});

test("a citation is one line or a range", () => {
  expect(citation("a.md", 4, 4)).toBe("a.md#L4");
  expect(citation("a.md", 4, 9)).toBe("a.md#L4-L9");
});
