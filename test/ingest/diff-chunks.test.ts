import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chunk, chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { diffChunks } from "../../src/ingest/diff-chunks.ts";

const chunk = (hash: string, ordinal: number): Chunk => ({
  ordinal,
  startLine: ordinal + 1,
  endLine: ordinal + 1,
  heading: "",
  text: hash,
  hash,
});
const stored = (hashes: readonly string[]) => hashes.map((hash, ordinal) => ({ id: `id${ordinal}`, hash, ordinal }));

describe("diffChunks", () => {
  it("keeps, inserts and removes", () => {
    const next = ["b", "x", "a"].map(chunk);
    const diff = diffChunks(stored(["a", "b", "c"]), next);
    expect(diff).toEqual({
      keep: [
        { id: "id1", chunk: next[0] },
        { id: "id0", chunk: next[2] },
      ],
      insert: [next[1]],
      remove: ["id2"],
    });
  });

  it("matches equal chunks one to one in the order of the file, whatever the order of the rows", () => {
    const diff = diffChunks(stored(["a", "a", "a"]).reverse(), ["a", "a"].map(chunk));
    expect(diff.keep.map(({ id }) => id)).toEqual(["id0", "id1"]);
    expect(diff.remove).toEqual(["id2"]);
  });

  it("yields exactly the new chunks when it is applied, with as few inserts as possible", () => {
    const hashes = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 12 });
    fc.assert(
      fc.property(hashes, hashes, (before, after) => {
        const old = stored(before);
        const next = after.map(chunk);
        const { keep, insert, remove } = diffChunks(old, next);
        const rows = new Map(old.map((row) => [row.id, row.hash]));
        for (const id of remove) {
          expect(rows.delete(id)).toBe(true);
        }
        for (const { id, chunk: kept } of keep) {
          expect(rows.get(id)).toBe(kept.hash);
          expect(rows.delete(id)).toBe(true);
        }
        expect(rows.size).toBe(0);
        const applied = [...keep.map((pair) => pair.chunk), ...insert].sort((a, b) => a.ordinal - b.ordinal);
        expect(applied).toEqual(next);
        const removed = new Set(old.filter(({ id }) => remove.includes(id)).map(({ hash }) => hash));
        expect(insert.some(({ hash }) => removed.has(hash))).toBe(false);
      }),
    );
  });

  it("re-embeds only what an edit touches", () => {
    const sections = Array.from({ length: 40 }, (_, i) => `## Section ${i}\n\n${`Fact ${i} about it. `.repeat(60)}\n`);
    const before = chunkMarkdown(sections.join("\n"), { tokens: 400, overlap: 80 });
    const edited = sections.with(20, `## Section 20\n\n${"Another text here. ".repeat(50)}\n\nAnd a paragraph more.\n`);
    const after = chunkMarkdown(edited.join("\n"), { tokens: 400, overlap: 80 });
    const diff = diffChunks(
      before.map(({ hash, ordinal }) => ({ id: String(ordinal), hash, ordinal })),
      after,
    );
    expect(diff.insert.length).toBeLessThanOrEqual(2);
    expect(diff.keep.length).toBeGreaterThanOrEqual(before.length - 2);
  });
});
