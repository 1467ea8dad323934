import { strToU8 } from "fflate";
import { expect, test } from "vitest";
import { UnreadableDocument } from "../../../../src/features/documents/formats/document-text.ts";
import { docxToHtml } from "../../../../src/features/documents/formats/docx-to-html.ts";
import { htmlToMarkdown } from "../../../../src/features/documents/formats/html-to-markdown.ts";
import { makeDocx, wordParagraph, wordTable } from "../../../support/make-document.ts";

const nothing = () => undefined;
const read = async (docx: Uint8Array) =>
  (await htmlToMarkdown(await docxToHtml(new Uint8Array(docx), nothing), nothing)).content;

test("headings, paragraphs and tables", async () => {
  const body = [
    wordParagraph("Handbook", "Heading1"),
    wordParagraph("Vacation is 28 days."),
    wordTable([
      ["Name", "Days"],
      ["Sick", "10"],
    ]),
  ].join("");
  expect(await read(makeDocx(body))).toBe(
    "# Handbook\n\nVacation is 28 days.\n\n| Name | Days |\n| --- | --- |\n| Sick | 10 |\n",
  );
});

test("parts that are no XML are never unpacked, so pictures and what is linked from outside are not read", async () => {
  const target = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>`;
  const picture = `<w:p><w:r><w:t>text</w:t></w:r><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:link="rId9"/></w:drawing></w:r></w:p>`;
  const docx = makeDocx(picture, {
    "word/_rels/document.xml.rels": strToU8(target),
    "word/media/bomb.png": new Uint8Array(50_000_000),
  });
  expect(await read(docx)).toBe("text\n");
});

test.each([
  ["encrypted", Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1])],
  ["damaged", Buffer.from("PK and nothing else")],
  ["damaged", makeDocx(Buffer.from("<w:document"))],
  ["too large", makeDocx(new Uint8Array(100_000_000).fill(32))],
])("%s: it is refused as that, soon", async (fault, docx) => {
  const startedAt = performance.now();
  await expect(read(docx)).rejects.toSatisfy((error) => error instanceof UnreadableDocument && error.fault === fault);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});
