import { describe, expect, test } from "vitest";
import { documentDay } from "../../src/ingest/document-day.ts";

const DAY = "2026-03-14";

describe("the day of a document", () => {
  test.each([
    ["memory/2026-03-14.md", DAY],
    ["memory/daily/2026-03-14.md", DAY],
    ["journals/2026_03_14.md", DAY],
    ["Daily/2026-03-14 Sat.md", DAY],
    ["meetings/2026-03-14-board.md", DAY],
    ["meetings/board 2026-03-14.md", DAY],
    ["20260314.md", DAY],
    ["20260314T0915 call.md", DAY],
    ["202603140915 idea.md", DAY],
    ["IMG_20260314_091512.md", DAY],
    ["2026/03/14.md", DAY],
    ["2026/3/14/walk.md", DAY],
    ["archive/2025/2026-03-14.md", DAY],
    ["2026.03.14.md", DAY],
    ["14.03.2026 Besuch.md", DAY],
    ["14-03-2026.md", DAY],
    ["03-14-2026.md", DAY],
    ["Mar 14th, 2026.md", DAY],
    ["March 14, 2026.md", DAY],
    ["14 maart 2026.md", DAY],
    ["14. März 2026.md", DAY],
    ["14 marca 2026.md", DAY],
    ["14 марта 2026.md", DAY],
    ["2026-Mar-14.md", DAY],
    ["2026-03-01/sprint until 2026-03-14.md", DAY],
    ["2026/03-March/14.md", DAY],
    ["2026年3月14日.md", DAY],
    ["memory/2026-02-31.md", undefined],
    ["report-2026-13-45.md", undefined],
    ["03-04-2026.md", undefined],
    ["v2026.3.14.md", undefined],
    ["1.2026.3.14.md", undefined],
    ["2026-03.md", undefined],
    ["1234567890123.md", undefined],
    ["room 20260314999.md", undefined],
    ["MEMORY.md", undefined],
  ])("of the name %s is %s", (path, day) => {
    expect(documentDay(path, "")).toBe(day);
  });

  test.each([
    ["---\ndate: 2026-03-14\n---\n", DAY],
    ["---\r\ndate: 2026-03-14\r\n---\r\n", DAY],
    ["---\ntitle: A\ncreated: 2026-03-14T09:00:00+01:00\n---\n", DAY],
    ['---\ncreated: "2026-03-14 23:59"\n---\n', DAY],
    ["---\nDate: 14.03.2026\n---\n", DAY],
    ["---\ndate: March 14, 2026\n---\n", DAY],
    ["---\ndate: '[[2026-03-14]]'\n---\n", DAY],
    ["---\ncreated: 2020-01-01\ndate: 2026-03-14\n---\n", DAY],
    ["+++\ndate = 2026-03-14T09:00:00Z\n+++\n", DAY],
    ["---\ncreation-date: 2026-03-14\n---\n", DAY],
    ["---\npublishDate: 2026-03-14\n---\n", DAY],
    ["---\ndatum: 14.03.2026\n---\n", DAY],
    ["---\nmeeting_date: 2026-03-14\n---\n", DAY],
    ["---\ndate:\n  - 2026-03-14\n---\n", DAY],
    ["---\ncreated: 1773478800\n---\n", DAY],
    ["date:: 2026-03-14\n\nA page of Logseq", DAY],
    ["#+TITLE: A\n#+DATE: <2026-03-14 Sat>\n", DAY],
    ["---\nupdated: 2026-03-14\n---\n", undefined],
    ["---\ndate: tomorrow\n---\n", undefined],
    ["---\ndate: 2026-03-14\nnever closed", undefined],
    ["date: 2026-03-14\n", undefined],
  ])("of front matter %j is %s", (content, day) => {
    expect(documentDay("notes/a.md", content)).toBe(day);
  });

  test("its name counts before its front matter", () => {
    expect(documentDay("memory/2026-03-13.md", "---\ndate: 2026-03-14\n---\n")).toBe("2026-03-13");
  });

  test("is read in linear time", () => {
    for (const part of ["2026-", "14 ", "march 14 ", "a", "2026 a 1", "1.1."]) {
      documentDay(part.repeat(200_000 / part.length), `---\n${part.repeat(200_000 / part.length)}`);
      documentDay("a.md", `---\n${`date: ${part}\n`.repeat(10_000)}---\n`);
    }
  }, 20_000);
});
