import { expect, test } from "vitest";
import { UnreadableDocument } from "../../../../src/features/documents/formats/document-text.ts";
import type { TextPiece } from "../../../../src/features/documents/formats/pdf-lines.ts";
import { readTaggedPage, type TagNode } from "../../../../src/features/documents/formats/pdf-tags.ts";
import { pdfToMarkdown } from "../../../../src/features/documents/formats/pdf-to-markdown.ts";
import { column, makePdf } from "../../../support/make-document.ts";

const read = (pdf: Buffer) => pdfToMarkdown(new Uint8Array(pdf), () => undefined);

test("headings, paragraphs, lists and tables are told by fonts and places, pages by their lines", async () => {
  const first = [
    [24, 72, 740, "Handbook"] as const,
    ...column(["Ask your man-", "ager two weeks before.", "# no heading"]),
    [14, 72, 600, "Limits"] as const,
    ...[
      ["Name", "Days"],
      ["Vacation", "28"],
      ["Sick | leave", "10"],
    ].flatMap(([name = "", days = ""], row) => [
      [11, 72, 580 - 14 * row, name] as const,
      [11, 200, 580 - 14 * row, days] as const,
    ]),
  ];
  const { content, pages } = await read(makePdf([first, [], [[14, 72, 740, "Travel"], ...column(["By train."])]]));
  expect(content.split("\n")).toEqual([
    ...["# Handbook", "", "Ask your manager", "two weeks before.", "\\# no heading", "", "## Limits", ""],
    ...["| Name | Days |", "| --- | --- |", "| Vacation | 28 |", "| Sick \\| leave | 10 |", ""],
    ...["## Travel", "", "By train.", ""],
  ]);
  // The empty page begins at the same line as the third page.
  expect(pages).toEqual([1, 14, 14]);
});

test("headers and footers that pages repeat are left out", async () => {
  const page = (number: number) => [
    [9, 72, 770, "ACME internal"] as const,
    ...column([..."abcdef"].map((letter) => `${letter.repeat(number)} is said on this page alone.`)),
    [9, 300, 20, `Page ${number} of 4`] as const,
  ];
  const { content, pages } = await read(makePdf([1, 2, 3, 4].map(page)));
  expect(content).not.toMatch(/ACME|of 4/);
  expect(pages).toEqual([1, 8, 15, 22]);
});

test.each([
  ["encrypted", makePdf([column(["secret"])], { encrypted: true })],
  ["no text", makePdf([[], []])],
  ["damaged", Buffer.from("%PDF-1.7 and nothing else")],
  ["too many pages", makePdf(Array.from({ length: 2001 }, () => []))],
])("%s: it is refused as that", async (fault, pdf) => {
  await expect(read(pdf)).rejects.toSatisfy((error) => error instanceof UnreadableDocument && error.fault === fault);
});

test("the tags of a PDF say what is a heading, a list, a table; headers are no text of it", () => {
  const marked = new Map<string, TextPiece[]>();
  const leaf = (text: string): TagNode => {
    const id = `m${marked.size}`;
    marked.set(id, [{ text, x: 10 * marked.size, y: -20 * marked.size, width: 9, size: 10 }]);
    return { type: "content", id };
  };
  const node = (role: string, ...children: TagNode[]): TagNode => ({ role, children });
  const item = (text: string, ...more: TagNode[]) =>
    node("LI", node("Lbl", leaf("•")), node("LBody", leaf(text)), ...more);
  const tree = node(
    "Document",
    node("H2", leaf("Parts")),
    node("P", node("Span", leaf("Tighten")), leaf("crosswise.")),
    node("L", item("wrench", node("L", item("8 mm"))), item("key")),
    node("Table", node("TBody", node("TR", node("TH", leaf("Bolt")), node("TH", leaf("Nm"))))),
    node("Table", node("TR", node("TD", leaf("M8")), node("TD", leaf("45"))), node("TR", node("TD", leaf("M6")))),
  );
  expect(readTaggedPage(tree, marked, [...marked.values()].flat())).toEqual([
    ["## Parts"],
    ["Tighten crosswise."],
    ["- wrench", "  - 8 mm", "- key"],
    ["| Bolt | Nm |", "| --- | --- |"],
    ["| M8 | 45 |", "| --- | --- |", "| M6 |  |"],
  ]);
  const untagged = { text: "much more text without a tag", x: 0, y: 0, width: 9, size: 10 };
  expect(
    readTaggedPage(
      tree,
      marked,
      Array.from({ length: 9 }, () => untagged),
    ),
  ).toBeUndefined();
});
