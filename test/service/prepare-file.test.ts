import { afterAll, beforeAll, expect, test } from "vitest";
import { type FilePreparer, startFilePreparer } from "../../src/service/files/prepare-file.ts";

let preparer: FilePreparer;
beforeAll(() => {
  preparer = startFilePreparer(1);
});
afterAll(() => preparer.close());

test("many small files at once leave the event loop turns, and each is whole", async () => {
  // Text without spaces takes longest: these take some 150 ms together.
  const text = (i: number) =>
    `第${i}章。${"設定項目の見直しを検討した結果、検索語彙の正規化が必要である。".repeat(80)}`;
  const files = Array.from({ length: 100 }, (_, i) => text(i));
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const prepare = (content: string) => preparer.prepare({ content, tokens: 64, overlap: 0, headings: true });
  const prepared = await Promise.all(files.map(prepare));
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(3);
  expect(new Set(prepared.map(({ hash }) => hash)).size).toBe(100);
  expect(prepared.every(({ chunks }) => chunks.length > 1)).toBe(true);
});

test("a file is prepared in the same way here and in a thread", async () => {
  const paragraph = "# Reeds\n\nThe heron stands at the pond and waits for frogs.\n\n";
  const [small, large] = await Promise.all(
    [100, 200].map((times) =>
      preparer.prepare({ content: paragraph.repeat(times), tokens: 400, overlap: 80, headings: true }),
    ),
  );
  expect(small?.size).toBeLessThan(8192);
  expect(large?.size).toBeGreaterThan(8192);
  expect(large?.chunks[0]).toEqual(small?.chunks[0]);
});
