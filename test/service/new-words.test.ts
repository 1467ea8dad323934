import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmbedInputType } from "../../src/embeddings/embedder.ts";
import { makeCountedIndex } from "../support/counted-index.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** A model that does not know a question's words. */
class PuzzledEmbedder extends WordEmbedder {
  override embed(texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal): Promise<Float32Array[]> {
    return super.embed(inputType === "query" ? texts.map(() => "something unheard of") : texts, inputType, signal);
  }
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ embedder: new PuzzledEmbedder() });
});
afterAll(() => app.drop());

test("a word that is newer than the counts of words finds its file first", async () => {
  const files = Array.from({ length: 600 }, (_, n) => ({ path: `n${n}.md`, content: `A heron in the reed, n${n}` }));
  await makeCountedIndex(app, files);
  await app.embedded();
  await app.put("new.md", "The invoice is quokka-7781");
  await app.embedded();
  const { results } = await app.search("quokka");
  expect(results[0]?.path).toBe("new.md");
});
