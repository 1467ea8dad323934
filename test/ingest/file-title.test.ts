import { expect, test } from "vitest";
import { chunkMarkdown, titleOf } from "../../src/ingest/chunk-markdown.ts";

test.each([
  ["services/booking/src/hold-seat.ts", "services/booking/src/hold-seat.ts"],
  ["deploy/alerts.yaml", "deploy/alerts.yaml"],
  ["notes/roses.md", ""],
  ["memory/2026-01-02.md", ""],
  ["README", ""],
  ["2026/01.c", ""],
  [`${"long/".repeat(40)}main.rs`, `${"long/".repeat(18)}main.rs`],
])("%s", (path, title) => {
  expect(titleOf(path)).toBe(title);
});

test("source code stands under its path, and what has a title of its own under that", () => {
  const settings = { tokens: 400, overlap: 80, title: "src/hold-seat.ts" };
  expect(chunkMarkdown("export const a = 1;", settings)).toMatchObject([{ heading: "src/hold-seat.ts" }]);
  expect(chunkMarkdown("---\ntitle: Seats\n---\ntext", settings)).toMatchObject([{ heading: "Seats" }]);
});
