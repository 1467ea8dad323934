import { afterAll, beforeAll, expect, test } from "vitest";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

const WRITERS = 16;
/**
 * Matches the lookups of an agent, of its index and the hashes of files, and of cached embeddings.
 * `key-lookups.test.ts` counts the lookups of keys.
 */
const LOOKUPS = /left join "recollect"."agents"|'hash', content_hash|FROM recollect.embedding_cache/;

let app: TestApp;
beforeAll(async () => {
  // A worker's jobs would add lookups.
  app = await startTestApp({ embedder: new WordEmbedder(), worker: false });
});
afterAll(() => app.drop());

test("sixteen writers at once have their agent, index and cached embeddings looked up together", async () => {
  const key = await app.key(["tenant"]);
  const write = async (path: string, content: string) => {
    const answer = await app.runtime.app.request(`/v1/agents/main/files/${path}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ content }),
    });
    expect(answer.status).toBe(200);
  };
  await write("n0.md", "Note 0 of the ibis.");
  const alone = await countStatements(app, LOOKUPS, () => write("m.md", "Another ibis."));
  expect(alone).toBe(3);
  const numbers = Array.from({ length: WRITERS }, (_, i) => i);
  const together = () => Promise.all(numbers.map((i) => write(`n${i}.md`, `Note ${i} of an ibis.`)));
  expect(await countStatements(app, LOOKUPS, together)).toBeLessThan((WRITERS / 2) * alone);
});
