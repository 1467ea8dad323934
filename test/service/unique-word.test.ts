import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const NOTES = 40;
const digest = (n: number) => createHash("sha256").update(String(n)).digest();
const SYLLABLES = ["ba", "do", "ke", "li", "mu", "ra", "se", "to", "vo", "ni"];

/** Words that only one note has, of the kinds that people look for. */
const WORDS: Record<string, (n: number) => string> = {
  identifiers: (n) => `zq${digest(n).toString("hex").slice(0, 8)}`,
  numbers: (n) => String(100_000 + (digest(n).readUInt32BE() % 900_000)),
  names: (n) => [...digest(n).subarray(0, 4)].map((byte) => SYLLABLES[byte % SYLLABLES.length]).join(""),
};

describe.each(Object.entries(WORDS))("notes that differ by one word alone: %s", (kind, wordOf) => {
  let app: TestApp;
  const cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  const embedder = new BuiltinEmbedder({ cacheDir, onWarning: () => undefined });
  beforeAll(async () => {
    app = await startTestApp({ embedder });
    const text = (n: number) =>
      `The gate of the garden was painted green by the keeper in the morning, entry ${wordOf(n)}.`;
    const put = Array.from({ length: NOTES }, (_, n) => ({ path: `${n}.md`, content: text(n) }));
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.embedded();
    // The index has been measured when all jobs are done.
    await app.rested();
  });
  afterAll(async () => {
    await app.drop();
    await embedder.close();
    rmSync(cacheDir, { recursive: true, force: true });
  });

  test.each([
    ["the word alone", (word: string) => word],
    ["the word in a phrase of the notes", (word: string) => `entry ${word}`],
    ["a question", (word: string) => `which gate has ${word}?`],
  ])("%s finds its note", async (_, question) => {
    const places = await Promise.all(
      Array.from({ length: NOTES }, async (_, n) => {
        const { results } = await app.search(question(wordOf(n)));
        return results.findIndex(({ path }) => path === `${n}.md`);
      }),
    );
    expect(
      places.filter((place) => place < 0 || place > 2),
      kind,
    ).toEqual([]);
    // A note may come second if the model takes its word for nearly the same as another.
    expect(places.filter((place) => place === 0).length).toBeGreaterThanOrEqual(0.9 * NOTES);
  });
});
