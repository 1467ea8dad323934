import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmbedInputType } from "../../src/embeddings/embedder.ts";
import { jobCaller } from "../../src/service/authenticate.ts";
import { maintainIndex } from "../../src/service/maintain-index.ts";
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
  const put = Array.from({ length: 600 }, (_, n) => ({ path: `n${n}.md`, content: `A heron in the reed, n${n}` }));
  for (let at = 0; at < put.length; at += 100)
    await app.call("POST", "/v1/agents/main/files", { put: put.slice(at, at + 100) });
  await app.embedded();
  const { rows } = await app.db.executeSql<{ tenant: string }>("SELECT tenant_id AS tenant FROM recollect.agents");
  await maintainIndex(app.runtime.deps, jobCaller(rows[0]?.tenant ?? ""), "main");
  await app.put("new.md", "The invoice is quokka-7781");
  await app.embedded();
  const { results } = await app.search("quokka");
  expect(results[0]?.path).toBe("new.md");
});
