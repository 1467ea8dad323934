import { afterEach, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { byModel, OtherEmbedder, WordEmbedder } from "../support/word-embedder.ts";

/** A new index takes over while writes continue, however long they last. */

/**
 * A provider for which each request causes another write before its answer, so that some texts
 * always wait for an embedding.
 */
class Busy extends OtherEmbedder {
  onRequest: () => Promise<void> = async () => undefined;
  override async embed(texts: readonly string[], inputType: "query" | "document", signal?: AbortSignal) {
    if (inputType === "document") await this.onRequest();
    return super.embed(texts, inputType, signal);
  }
}

let app: TestApp;
let [words, other]: [WordEmbedder, Busy] = [new WordEmbedder(), new Busy(64)];
/** Whether the writers continue. */
let writing = false;
const writers: Promise<unknown>[] = [];
afterEach(async () => {
  writing = false;
  await Promise.all(writers.splice(0));
  await app.drop();
});

const own = (i: number) => Array.from({ length: 12 }, (_, k) => `point${i}of${k}`).join(" ");
const note = (i: number) =>
  `# Note ${i}\nThe ${["amber", "birch", "cedar"][i % 3]} team met about item${i}. ${own(i)}.`;
const status = async () => (await app.call<AgentStatus>("GET", "/v1/agents/main/status")).body;
const tookOver = async () => (await status()).model === "other-words";

/** Makes an agent with some files, and then asks for an index of another model. */
async function start(options: TestAppOptions = {}, files = 20): Promise<void> {
  [words, other, writing] = [new WordEmbedder(), new Busy(64), true];
  app = await startTestApp({ embedders: byModel<WordEmbedder>(words, other), ...options });
  const put = Array.from({ length: files }, (_, i) => ({ path: `n${i}.md`, content: note(i) }));
  for (let from = 0; from < files; from += 50)
    expect((await app.call("POST", "/v1/agents/main/files", { put: put.slice(from, from + 50) })).status).toBe(200);
  await app.embedded();
}

const change = () => app.call("PATCH", "/v1/agents/main", { settings: { model: "other-words" } });

/**
 * Writes a new file for each request to the provider.
 *
 * @returns a function that returns how many files were written
 */
function writeAtEachRequest(): () => number {
  let written = 0;
  other.onRequest = async () => {
    if (!writing) return;
    const i = 1000 + written++;
    expect((await app.put(`late${i}.md`, note(i))).status).toBe(200);
  };
  return () => written;
}

/** Repeats an action without a pause, until the test ends. */
function keep(doing: (i: number) => Promise<unknown>): void {
  const run = async () => {
    for (let i = 0; writing; i++) await doing(i);
  };
  writers.push(run());
}

/** Stops the writers and checks that the index is complete. */
async function isWhole(files: number): Promise<void> {
  writing = false;
  await Promise.all(writers.splice(0));
  await app.embedded();
  await app.rested();
  expect(await status()).toMatchObject({
    files,
    pendingEmbeddings: 0,
    unindexedMessages: 0,
    reindex: { state: "none" },
  });
  expect(await app.search("item7", { maxResults: 1 })).toMatchObject({ mode: "hybrid", results: [{ path: "n7.md" }] });
}

test("one new file for each request to the new provider", async () => {
  await start();
  const written = writeAtEachRequest();
  await change();
  await until(tookOver, "the flip");
  // The writer goes on after the switch to the new index, so the switch did not wait for it.
  const atFlip = written();
  await until(() => written() > atFlip, "one more write");
  expect((await app.search(`item${1000 + atFlip - 1}`)).results.map((hit) => hit.path)).toContain(
    `late${1000 + atFlip - 1}.md`,
  );
  await isWhole(20 + written());
  expect(new Set(other.asked).size).toBe(other.asked.length);
});

test("the former provider is gone, so searches are by keyword until the flip", async () => {
  let isGone = false;
  await start({
    embedders: async ({ model }) => {
      if (model === "other-words") return other;
      if (isGone) throw new AppError("config_invalid", "Set a key.");
      return words;
    },
  });
  isGone = true;
  const written = writeAtEachRequest();
  await change();
  await until(tookOver, "the flip");
  const atFlip = written();
  await until(() => written() > atFlip, "one more write");
  await isWhole(20 + written());
});

test("the former provider fails whatever it is asked", async () => {
  await start();
  words.failure = new AppError("embedder_unavailable", "It does not answer.");
  const written = writeAtEachRequest();
  await change();
  await app.put("first.md", note(50));
  await until(tookOver, "the flip");
  await isWhole(21 + written());
});

test("conversations that go on in several sessions at once, and facts", async () => {
  await start();
  await change();
  for (const session of ["a", "b", "c", "d"])
    keep((i) => {
      const messages = [{ role: "user", content: `${session} said ${own(5000 + i)}` }];
      return app.call("POST", `/v1/agents/main/sessions/${session}/messages`, { messages });
    });
  keep((i) =>
    app.call("POST", "/v1/agents/main/facts", { facts: [{ text: `The number ${own(9000 + i)} is prime.` }] }),
  );
  await until(tookOver, "the flip");
  await isWhole(20);
});

test("an index that is large enough for an HNSW index takes over with one", async () => {
  await start({ env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "100" } }, 150);
  const written = writeAtEachRequest();
  await change();
  await until(tookOver, "the flip");
  expect((await status()).vector.index).toBe("hnsw");
  await isWhole(150 + written());
});

test("a provider that stops half-way does not take over", async () => {
  await start({}, 300);
  let requests = 0;
  other.onRequest = async () => {
    if (++requests > 1) throw new AppError("embedder_unavailable", "It does not answer.");
  };
  await change();
  await until(() => requests > 1, "a request that fails");
  await app.call("POST", "/v1/agents/main/reindex");
  await until(async () => (await status()).jobs.reindex?.waiting === 0 && (await status()).jobs.reindex?.active === 0);
  expect(await status()).toMatchObject({ model: "words", reindex: { state: "building" } });
});
