import { describe, expect, test } from "vitest";
import { UnreadableDocument } from "../../../../src/features/documents/formats/document-text.ts";
import { decodeHtml, htmlToMarkdown } from "../../../../src/features/documents/formats/html-to-markdown.ts";
import { withinProcessorTime } from "../../../../src/features/documents/formats/within-processor-time.ts";

const read = async (html: string) => (await htmlToMarkdown(html, () => undefined)).content;

describe("what a page becomes", () => {
  test.each([
    [
      "headings and paragraphs",
      "<h1>Hand&amp;book</h1><p>One <b>two</b>\n three</p>",
      "# Hand&book\n\nOne two three\n",
    ],
    ["the title, without a first heading", "<title>Guide</title><p>x</p>", "# Guide\n\nx\n"],
    ["lists within lists", "<ul><li>a<ul><li>b</ul><li><p>c</p></ul>", "- a\n  - b\n- c\n"],
    ["numbered lists", "<ol start=3><li>x<p>y</p><li>z</ol>", "3. x\n   y\n4. z\n"],
    ["quotations", "<blockquote>q<p>r</blockquote>", "> q\n> r\n"],
    ["code", "<pre><code>a = 1;\n  b</code></pre>", "```\na = 1;\n  b\n```\n"],
    ["tables", "<table><tr><th>A<th>B<tr><td>1|2<td><p>x<p>y</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | x y |\n"],
    [
      "cells over several rows and columns",
      "<table><tr><th>A<th>B<th>C<tr><td rowspan=2>1<td colspan=2>2<tr><td>3<td>4</table>",
      "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 |  |\n|  | 3 | 4 |\n",
    ],
    ["a table for the layout is its text", "<table><tr><td><p>one<tr><td>two</table>", "one\n\ntwo\n"],
    [
      "links to elsewhere",
      '<p><a href="https://e.org/a">site</a> <a href="/b">here</a>',
      "[site](https://e.org/a) here\n",
    ],
    ["names of pictures", '<p>see <img src="http://e.org/x.png" alt="the plan">', "see the plan\n"],
  ])("%s", async (_, html, markdown) => {
    expect(await read(html)).toBe(markdown);
  });

  test("scripts, styles, templates and addresses that run something are left out", async () => {
    const html = `<script>steal()</script><style>p{}</style><template>t</template><p onclick="x()">A <a href="javascript:b()">c</a></p>`;
    expect(await read(html)).toBe("A c\n");
  });

  test("text that reads as a block of Markdown stays text", async () => {
    expect(await read("<p># one</p><p>---</p><p>```</p><p>&lt;div></p>")).toBe(
      "\\# one\n\n\\---\n\n\\```\n\n\\<div>\n",
    );
  });

  test("tags named like parts of every object are tags like others", async () => {
    expect(await read("<constructor>a</constructor><toString>b</toString>")).toBe("ab\n");
  });

  test("an encoding is taken of its mark, of the sender, of the page", () => {
    const page = (charset: string) => Buffer.from(`<meta charset="${charset}"><p>caf\u00e9`, "latin1");
    expect(decodeHtml(page("iso-8859-1"))).toContain("café");
    expect(decodeHtml(page("utf-8"), "windows-1252")).toContain("café");
    expect(decodeHtml(Buffer.from("\ufeff<p>é", "utf16le"))).toContain("é");
    expect(decodeHtml(Buffer.from("<p>é"), "no-such-encoding")).toContain("é");
  });
});

describe("hostile pages", () => {
  test.each([
    ["too deep", "<div>".repeat(100_000)],
    ["too large", `<table>${"<tr><td colspan=1000 rowspan=1000>1".repeat(100_000)}`],
    ["too large", `<p>${"word ".repeat(1_000_000)}`],
    ["no text", "<script>x</script>"],
  ])("are refused as %s, soon", async (fault, html) => {
    const startedAt = performance.now();
    await expect(htmlToMarkdown(html, () => undefined)).rejects.toSatisfy(
      (error) => error instanceof UnreadableDocument && error.fault === fault,
    );
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  test("a table wider than is read keeps its text, in the last column", async () => {
    const cells = Array.from({ length: 300 }, (_, i) => `<td>c${i}`);
    const [line = ""] = (await read(`<table><tr>${cells.join("")}</table>`)).split("\n");
    expect(line.split(" | ")).toHaveLength(200);
    expect(line).toMatch(/ \| c199 c200 .* c298 c299 \|$/);
  });

  test("cells count over all tables of a page, empty ones too, and those that a table is filled up with", async () => {
    const empty = `<table><tr><td colspan=200 rowspan=1000>x${"<tr>".repeat(990)}</table>`;
    const ragged = `<table><tr>${"<td>x".repeat(200)}${"<tr><td>x".repeat(10_000)}</table>`;
    for (const html of [empty.repeat(6), ragged])
      await expect(htmlToMarkdown(html, () => undefined)).rejects.toMatchObject({ fault: "too large" });
  });

  test("tables deeper than eight are their text, which is read no more often", async () => {
    const html = `${"<table><tr><td>a<td>".repeat(300)}word<tr><td>next${"</table>".repeat(300)}<p>after`;
    const lines = (await read(html)).split("\n");
    expect(lines.join(" ").match(/---/g)?.length ?? 0).toBeLessThan(20);
    expect(lines.join(" ").match(/\bword\b/g)).toHaveLength(1);
    expect(lines.join(" ").match(/\bnext\b/g)).toHaveLength(1);
    expect(lines.at(-2)).toBe("after");
  });

  test("a paragraph of very many links is read once", async () => {
    const text = await read(`<p>${'<a href="http://x">y</a> '.repeat(30_000)}`);
    expect(text.match(/\[y\]\(http:\/\/x\)/g)).toHaveLength(30_000);
  }, 20_000);

  test("a link within a link ends the outer one; a block within a link ends it", async () => {
    expect(await read('<p><a href="http://a">one <a href="http://b">two</a> three</a>')).toBe(
      "[one](http://a) [two](http://b) three\n",
    );
    expect(await read('<a href="http://a">one<p>two</a> three')).toBe("one\n\ntwo\n\nthree\n");
  });

  test("of very many attributes those are kept that are read, the first of each name", async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `a${i}=v`).join(" ");
    expect(await read(`<p><a ${many} HREF="http://x" href="http://y">z</a><img ${many} alt=plan>`)).toBe(
      "[z](http://x) plan\n",
    );
  });

  test.each([
    ["letters of markup", "<"],
    ["blanks", " "],
  ])("more than twice a file's characters of %s in one block are refused before they are joined", async (_, one) => {
    await expect(htmlToMarkdown(`<p>x</p>${one.repeat(8_000_001)}x`, () => undefined)).rejects.toMatchObject({
      fault: "too large",
    });
  });

  test("a reader that takes too much processor time is ended, however far it comes", () => {
    let steps = 0;
    const advance = withinProcessorTime(() => void steps++, 20);
    advance();
    const read = () => {
      for (;;) advance();
    };
    expect(read).toThrow(expect.objectContaining({ fault: "too large" }));
    expect(steps).toBeGreaterThan(1);
  });

  test("indents stay short however deep lists are", async () => {
    const lines = (await read("<ul><li>x".repeat(400))).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(30);
  });
});
