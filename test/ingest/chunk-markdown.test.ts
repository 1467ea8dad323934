import { describe, expect, it } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { type Chunk, type ChunkSettings, chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { estimateTokens } from "../../src/ingest/estimate-tokens.ts";

const settings = { tokens: 400, overlap: 80 };
/** Returns about `tokens` estimated tokens on one line. */
const prose = (tokens: number, word = "lorem") => `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1))).trim();
const wrapped = (lines: number, word: string) =>
  Array.from({ length: lines }, (_, i) => `${word} line ${i} of a text that is wrapped here`);
const ranges = (chunks: readonly Chunk[]) => chunks.map(({ startLine, endLine }) => [startLine, endLine]);
const chunkLines = (lines: readonly string[], config: ChunkSettings = settings) =>
  chunkMarkdown(lines.join("\n"), config);

describe("a table in plain text", () => {
  const rows = (sign: string) =>
    Array.from({ length: 200 }, (_, n) => [`Person ${n}`, `B-${n}`, "Room 1"].join(sign)).join("\n");

  it.each([",", ";", "\t", " | "])("has its header in the heading of each piece; its sign is %j", (sign) => {
    const chunks = chunkMarkdown(`${["Name", "Badge number", "Place"].join(sign)}\n${rows(sign)}\n`, settings);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { heading } of chunks.slice(1)) expect(heading).toBe("| Name | Badge number | Place |");
    expect(chunks[0]?.heading).toBe("");
  });

  it.each([
    wrapped(200, "red, white, and blue").join("\n"),
    Array.from({ length: 200 }, (_, n) => `roses are red, violets are blue, line ${n}.`).join("\n"),
    Array.from({ length: 200 }, (_, n) => `${n},${n + 1},${n + 2}`).join("\n"),
  ])("is not seen in other lines with commas: %#", (text) => {
    for (const { heading } of chunkMarkdown(text, settings)) expect(heading).toBe("");
  });
});

describe("chunkMarkdown", () => {
  it.each(["", "\n\n", "  \n\t\n", "\uFEFF", "\u00a0\n"])("makes nothing of the blank file %j", (content) => {
    expect(chunkMarkdown(content, settings)).toEqual([]);
  });

  it("keeps a small file in one chunk, without the blank lines around it", () => {
    expect(chunkMarkdown("\n\n# A\n\ntext\n\n## B\n\nmore\n\n", settings)).toEqual([
      expect.objectContaining({
        ordinal: 0,
        startLine: 3,
        endLine: 9,
        heading: "A",
        text: "# A\n\ntext\n\n## B\n\nmore",
      }),
    ]);
  });

  it("merges small sections and starts a chunk at a heading", () => {
    const section = (name: string, tokens: number) => [`## ${name}`, "", prose(tokens), ""];
    const chunks = chunkLines([...section("A", 100), ...section("B", 100), ...section("C", 100), ...section("D", 250)]);
    expect(ranges(chunks)).toEqual([
      [1, 11],
      [13, 15],
    ]);
    expect(chunks.map(({ heading }) => heading)).toEqual(["A", "D"]);
  });

  it("starts a chunk at a heading when the one before is half full and the section does not fit", () => {
    const chunks = chunkLines(["# A", "", prose(210), "", "## B", "", prose(100), "", prose(120)]);
    expect(ranges(chunks)).toEqual([
      [1, 3],
      [5, 9],
    ]);
  });

  it.each([
    ["a line that fills a chunk", ["## B", ""], [prose(399)]],
    ["a paragraph of several lines", ["## B", ""], [...wrapped(38, "b"), prose(12)]],
    ["a line under two headings", ["# A", "## B"], [prose(399)]],
    ["a fence", ["Title", "====="], ["```", ...wrapped(38, "c"), prose(9), "```"]],
  ])("never leaves a heading alone: before %s", (_name, headings, block) => {
    // The block fits a chunk, but not together with its heading.
    expect(estimateTokens(block.join("\n"))).toBeLessThanOrEqual(400);
    expect(estimateTokens([...headings, ...block].join("\n"))).toBeGreaterThan(400);
    const chunks = chunkLines([prose(150), "", ...headings, ...block, "", prose(100)]);
    const last = headings.findLastIndex((line) => line !== "") + 3;
    const holding = chunks.filter(({ startLine, endLine }) => startLine <= 3 && last <= endLine);
    expect(holding).toHaveLength(1);
    expect(holding[0]?.text.trimEnd()).toMatch(/(?:lorem|here)$/);
    expect(estimateTokens(holding[0]?.text ?? "")).toBeGreaterThan(200);
  });

  it.each([
    ["code fence", ["```ts", ...wrapped(30, "c").flatMap((line) => [line, ""]), "```"]],
    ["table", ["| a | b |", "|---|---|", ...wrapped(28, "r").map((line) => `| ${line} | x |`)]],
    ["paragraph", wrapped(30, "p")],
    [
      "list item",
      ["- item", ...wrapped(14, "n").map((line) => `  - ${line}`), ...wrapped(14, "m").map((line) => `  ${line}`)],
    ],
  ])("keeps a %s whole when it fits a chunk", (_name, block) => {
    for (const before of [20, 90, 200, 380]) {
      const chunks = chunkLines([prose(before), "", ...block, "", prose(300)]);
      const holding = chunks.filter(({ startLine, endLine }) => startLine <= 3 && endLine >= 2 + block.length);
      expect(holding).toHaveLength(1);
    }
  });

  it("splits a large table between rows and a large fence at blank lines, with overlap", () => {
    const table = chunkLines(["| a | b |", "|---|---|", ...wrapped(100, "r").map((line) => `| ${line} | x |`)]);
    expect(table.length).toBeGreaterThan(2);
    for (const [i, { startLine, text }] of table.entries()) {
      expect(text).toMatch(/\| x \|$/);
      expect(i === 0 || startLine <= (table[i - 1]?.endLine ?? 0)).toBe(true);
    }
    const body = Array.from({ length: 12 }, (_, i) => [...wrapped(7, `f${i}`), ""]).flat();
    const fence = chunkLines(["```", ...body, "```"]);
    expect(fence.length).toBeGreaterThan(2);
    for (const { text } of fence.slice(1)) {
      expect(text).toMatch(/^f\d+ line 0 /);
    }
  });

  it("prefers list items to lines, and whole items as overlap", () => {
    const items = Array.from({ length: 30 }, (_, i) => [
      `- item ${i} with some text on it`,
      "  and a second line of the same item",
    ]);
    const chunks = chunkLines(items.flat());
    expect(chunks.length).toBeGreaterThan(1);
    for (const { text } of chunks) {
      expect(text).toMatch(/^- item/);
      expect(text).toMatch(/same item$/);
    }
    expect(chunks[1]?.startLine).toBeLessThanOrEqual(chunks[0]?.endLine ?? 0);
  });

  it("drops the overlap at a heading and keeps it between blocks", () => {
    const paragraphs = Array.from({ length: 12 }, () => [prose(60), ""]).flat();
    const between = chunkLines(paragraphs);
    expect(ranges(between)).toEqual([
      [1, 11],
      [11, 21],
      [21, 23],
    ]);
    const atHeading = chunkLines([prose(300), "", "short", "", "# H", "", prose(300)]);
    expect(ranges(atHeading)).toEqual([
      [1, 3],
      [5, 7],
    ]);
  });

  it("takes a fence's # for code and a quoted heading for text", () => {
    const chunks = chunkLines(["# A", "", "```sh", "# not a heading", "```", "", "> # quoted", "", prose(390)]);
    expect(chunks.map(({ heading }) => heading)).toEqual(["A", "A"]);
  });

  it("takes front matter for keywords of the first chunk and its title for the root", () => {
    const head = ["---", "title: Guide", "tags: [kiln]", "---", "", "# Start", ""];
    const one = chunkLines([...head, prose(50)]);
    expect(one).toHaveLength(1);
    expect(one[0]).toMatchObject({ startLine: 6, endLine: 8, heading: "Guide > Start" });
    expect(one[0]?.keywords).toBe("title: Guide\ntags: [kiln]");
    expect(one[0]?.text).not.toContain("kiln");
    const two = chunkLines([...head, prose(200), "", "## Next", "", prose(300)]);
    expect(two.map(({ heading }) => heading)).toEqual(["Guide > Start", "Guide > Start > Next"]);
    expect(two[1]?.keywords).toBeUndefined();
  });

  it("gives the first chunk another hash when the front matter changes, and no other chunk", () => {
    const file = (tag: string) => [`---\ntags: [${tag}]\n---`, prose(300), "", "## Next", "", prose(300)];
    const [before, after] = [chunkLines(file("one")), chunkLines(file("two"))];
    expect(after[0]?.hash).not.toBe(before[0]?.hash);
    expect(after[0]?.text).toBe(before[0]?.text);
    expect(after[1]?.hash).toBe(before[1]?.hash);
  });

  it("shows the front matter of a file that has nothing else, or data for front matter", () => {
    const alone = chunkLines(["---", "title: Card", "phone: 1234", "---", ""]);
    expect(alone).toMatchObject([{ startLine: 1, endLine: 4, heading: "Card" }]);
    expect(alone[0]?.keywords).toBeUndefined();
    const data = ["---", ...Array.from({ length: 900 }, (_, i) => `key${i}: ${i}`), "---", "# Text"];
    expect(chunkLines(data)[0]?.startLine).toBe(1);
    expect(chunkLines(["---", "---", "text"])).toMatchObject([{ startLine: 3, text: "text" }]);
  });

  it("keeps an announcement with what it announces", () => {
    const chunks = chunkLines([prose(300), "", "Do this:", "", "```", ...wrapped(20, "c"), "```"]);
    expect(ranges(chunks)).toEqual([
      [1, 1],
      [3, 26],
    ]);
  });

  it("takes a thematic break for the end of a section", () => {
    const chunks = chunkLines([prose(250), "", "---", "", prose(60), "", prose(200)]);
    expect(ranges(chunks)).toEqual([
      [1, 3],
      [5, 7],
    ]);
  });

  it("cuts an over-long line at sentences, with overlap, and goes on with the next line", () => {
    const sentences = Array.from({ length: 120 }, (_, i) => `Sentence number ${i} says a thing.`).join(" ");
    const chunks = chunkLines([sentences, "tail"]);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) {
      expect(text).toMatch(/^Sentence number/);
      expect(text.trimEnd()).toMatch(/(?:thing\.|tail)$/);
    }
    expect(chunks.at(-1)).toMatchObject({ startLine: 1, endLine: 2 });
    const firstOfSecond = /^Sentence number \d+/.exec(chunks[1]?.text ?? "")?.[0] ?? "none";
    expect(chunks[0]?.text).toContain(firstOfSecond);
  });

  it("changes the hash when the text or the heading changes, not when lines move", () => {
    const hash = (content: string) => chunkMarkdown(content, settings)[0]?.hash;
    expect(hash("text")).toBe(hash("\n\ntext\n"));
    expect(hash("---\ntitle: A\n---")).not.toBe(hash("---\ntitle: B\n---"));
    const under = (title: string) => chunkLines([`# ${title}`, "", prose(300), "", "## Same", "", prose(300)]).at(-1);
    expect(under("A")?.text).toBe(under("B")?.text);
    expect(under("A")?.hash).not.toBe(under("B")?.hash);
  });

  it("reads no headings in plain text", () => {
    const chunks = chunkLines(["# comment", "", prose(300), "", "# other", prose(300)], {
      ...settings,
      format: "plain",
    });
    expect(chunks.map(({ heading }) => heading)).toEqual(["", ""]);
  });

  it.each([
    { tokens: 0, overlap: 0 },
    { tokens: 1.5, overlap: 0 },
    { tokens: 10, overlap: -1 },
    { tokens: Number.NaN, overlap: 0 },
  ])("refuses %j", (config) => {
    expect(() => chunkMarkdown("x", config)).toThrow(AppError);
  });
});
