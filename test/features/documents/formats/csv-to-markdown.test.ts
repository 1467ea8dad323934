import { describe, expect, test } from "vitest";
import { csvToMarkdown } from "../../../../src/features/documents/formats/csv-to-markdown.ts";

const read = (text: string | Buffer, charset?: string) =>
  csvToMarkdown(Buffer.from(text), () => undefined, { charset }).content;
const TABLE = "| Name | Place |\n| --- | --- |\n| Ana | Porto |\n";

describe("a table saved as CSV", () => {
  test.each([
    ["commas", "Name,Place\nAna,Porto\n"],
    ["semicolons", "Name;Place\nAna;Porto"],
    ["tabs", "Name\tPlace\r\nAna\tPorto\r\n"],
    ["vertical bars", "Name|Place\rAna|Porto\r"],
    ["a byte order mark", "\ufeffName,Place\nAna,Porto"],
    ["a line that names the sign", "sep=;\r\nName;Place\r\nAna;Porto\r\n"],
    ["quotation marks", '"Name","Place"\n"Ana","Porto"'],
    ["empty lines and rows", "Name,Place\n\n,\nAna,Porto\n\n"],
    ["commas inside of cells", 'Name;"Place"\nAna;Porto'],
  ])("is read with %s", (_, text) => expect(read(text)).toBe(TABLE));

  test.each([
    ["commas of decimals", "Posten;Betrag;Anteil\nMiete;950,00;31,7\nStrom;61,20;2,0\n", "| Miete | 950,00 | 31,7 |"],
    ["one column of decimals", "Posten;Betrag\nMiete;950,00\nStrom;61,20\n", "| Strom | 61,20 |"],
    ["decimals in each row", "1,5;2,5\n3,5;4,5\n", "| 3,5 | 4,5 |"],
    [
      "commas of sentences",
      "Name\tNote\nAna\tlikes figs, plums, pears, and tea\n",
      "| Ana | likes figs, plums, pears, and tea |",
    ],
    ["semicolons of lists", "Name,Tags\nAna,a;b;c\nBo,d;e;f\n", "| Bo | d;e;f |"],
    [
      "a title above the table",
      "Report, 2026\nName;Place;Year\nAna;Porto;1990\nBo;Lima;1991\n",
      "| Bo | Lima | 1991 |",
    ],
    ["bars in one cell", "Name,Note\nAna,x | y | z\nBo,\n", "| Ana | x \\| y \\| z |"],
  ])("takes the sign that divides all rows alike, in spite of %s", (_, text, row) => expect(read(text)).toContain(row));

  test("has tabs between its cells if its type says so", () => {
    const rows = csvToMarkdown(Buffer.from("a,b\tc\nd,e\t"), () => undefined, { delimiter: "\t" }).content;
    expect(rows).toBe("| a,b | c |\n| --- | --- |\n| d,e |  |\n");
  });

  test("has cells of several lines, doubled marks, and the signs of Markdown", () => {
    expect(read('Task,Note\n"Call ""Bo""","line one\nline, two"\na | b,\n')).toBe(
      '| Task | Note |\n| --- | --- |\n| Call "Bo" | line one line, two |\n| a \\| b |  |\n',
    );
  });

  test.each([
    ["Windows", Buffer.from("Name,Place\nJosé,Málaga", "latin1"), undefined, "José"],
    ["Excel's Unicode text", Buffer.from("\ufeffName\tPlace\nJosé\tMálaga", "utf16le"), undefined, "José"],
    ["the sender", Buffer.from([...Buffer.from("Name,Place\n"), 0xc0, 0x2c, 0xc1]), "windows-1251", "А"],
    ["UTF-8 whatever is named, if nothing is", Buffer.from("Name,Place\n日本,東京"), "no-such-charset", "日本"],
  ])("is read in the encoding of %s", (_, bytes, charset, name) =>
    expect(read(bytes, charset)).toContain(`| ${name} |`),
  );

  test("of one column becomes paragraphs, and one without text is refused", () => {
    expect(read("Name\nAna\nBo")).toBe("Name\n\nAna\n\nBo\n");
    for (const text of ["", "\ufeff", ",,,\n,,\n", "sep=,\r\n"]) expect(() => read(text)).toThrow("no text");
  });

  test.each([
    ["marks without end", `a,b\n"${'""'.repeat(500_000)}`],
    ["many marks", '"a"'.repeat(300_000)],
    ["one long line", `a,${"b".repeat(2_000_000)}`],
    ["many columns", ",x".repeat(400_000)],
    ["many short rows", "a\n".repeat(400_000)],
  ])("that is hostile takes no longer than others: %s", (_, text) => {
    const before = performance.now();
    try {
      read(text);
    } catch (error) {
      expect(String(error)).toContain("too large");
    }
    expect(performance.now() - before).toBeLessThan(3000);
  });
});
