import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import { embedPending } from "../../src/service/indexing/embed-pending.ts";
import { reindexAgent } from "../../src/service/indexing/reindex-agent.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** Counts requests for documents, and how many of them are under way. */
class CountingEmbedder extends WordEmbedder {
  override readonly maxBatchTexts: number;
  readonly parallelCalls: number | undefined;
  readonly requests: string[][] = [];
  underWay = 0;
  most = 0;
  /** A text that fails a request once, as an outage does. */
  unlucky: string | undefined;

  constructor(maxBatchTexts: number, parallelCalls?: number) {
    super();
    this.maxBatchTexts = maxBatchTexts;
    this.parallelCalls = parallelCalls;
  }

  override async embed(texts: readonly string[], inputType: "query" | "document", signal?: AbortSignal) {
    if (inputType === "document") this.requests.push([...texts]);
    this.most = Math.max(this.most, ++this.underWay);
    try {
      if (this.unlucky !== undefined && texts.includes(this.unlucky)) {
        this.unlucky = undefined;
        throw new AppError("embedder_unavailable", "The provider is away.");
      }
      return await super.embed(texts, inputType, signal);
    } finally {
      this.underWay--;
    }
  }
}

describe("requests for embeddings", () => {
  let app: TestApp;
  let worker: TestApp | undefined;
  beforeEach(async () => {
    app = await startTestApp({ worker: false });
  });
  afterEach(async () => {
    await worker?.drop();
    worker = undefined;
    await app.drop();
  });
  const put = (texts: readonly string[]) =>
    app.call("POST", "/v1/agents/main/files", {
      put: texts.map((content, i) => ({ path: `n${i}.md`, content })),
    });
  const notes = (count: number) => Array.from({ length: count }, (_, i) => `Note number ${i}`);

  test("small writes in quick succession share requests", async () => {
    const embedder = new CountingEmbedder(100, 4);
    worker = await startTestApp({ on: app, embedder });
    const began = performance.now();
    for (const [i, text] of notes(50).entries()) await app.put(`n${i}.md`, text);
    await app.embedded();
    expect(embedder.requests.flat()).toHaveLength(50);
    // A request gathers texts for half a second.
    expect(embedder.requests.length).toBeLessThan(25 + (performance.now() - began) / 500);
  });

  describe("that are not full", () => {
    const embedWith = async (embedder: CountingEmbedder, waitedMs: number) => {
      worker = await startTestApp({ on: app, embedder, worker: false });
      const { rows } = await app.db.executeSql<{ id: string }>("SELECT tenant_id AS id FROM recollect.agents");
      const caller = jobCaller(rows[0]?.id ?? "");
      return embedPending(worker.runtime.deps, caller, "main", new AbortController().signal, { waitedMs });
    };

    test("wait for more texts, also when none has come for a while", async () => {
      await app.put("a.md", "The first of two");
      const embedder = new CountingEmbedder(2);
      // The negative value claims that the first text will be written in a minute, so the half
      // second does not end during the test.
      const embedding = embedWith(embedder, -60_000);
      // Longer than the pause between two looks. A busy machine adds time, which can only make a
      // fault more likely to show.
      await new Promise((resolve) => setTimeout(resolve, 400));
      expect(embedder.requests).toEqual([]);
      await app.put("b.md", "The second of two");
      await embedding;
      expect(embedder.requests.map((texts) => texts.length)).toEqual([2]);
    });

    test("wait no more when the first text has waited long enough in the queue", async () => {
      await app.put("a.md", "Alone");
      const embedder = new CountingEmbedder(100);
      const started = performance.now();
      await embedWith(embedder, 500);
      expect(embedder.requests.map((texts) => texts.length)).toEqual([1]);
      // A generous limit: the test must only fail if the request waits for a second text, which
      // never comes.
      expect(performance.now() - started).toBeLessThan(30_000);
    });
  });

  test("are full as long as there is enough to do", async () => {
    await put(notes(40));
    const embedder = new CountingEmbedder(10);
    worker = await startTestApp({ on: app, embedder });
    await app.embedded();
    expect(embedder.requests.map((texts) => texts.length)).toEqual([10, 10, 10, 10]);
  });

  test("as many as the provider answers side by side are under way, one where it does not say", async () => {
    await put(notes(40));
    const gate = Promise.withResolvers<void>();
    const parallel = new CountingEmbedder(5, 3);
    parallel.gate = gate.promise;
    worker = await startTestApp({ on: app, embedder: parallel });
    await until(async () => parallel.underWay === 3);
    gate.resolve();
    await app.embedded();
    expect(parallel.most).toBe(3);
    expect(new Set(parallel.requests.flat()).size).toBe(parallel.requests.flat().length);
    await worker.drop();

    await put(notes(40).map((text) => `${text}, changed`));
    const single = new CountingEmbedder(5);
    worker = await startTestApp({ on: app, embedder: single });
    await app.embedded();
    expect(single.most).toBe(1);
  });

  test("a text that a request under way asks for is not asked for again", async () => {
    await put([...Array<string>(9).fill("The same text"), ...notes(20)]);
    const gate = Promise.withResolvers<void>();
    const embedder = new CountingEmbedder(3, 4);
    embedder.gate = gate.promise;
    worker = await startTestApp({ on: app, embedder });
    // Five batches are ready; three of them have the same text, so only three requests are sent.
    await until(async () => embedder.underWay === 3);
    gate.resolve();
    await app.embedded();
    const asked = embedder.requests.flat();
    expect(asked).toHaveLength(21);
    expect(new Set(asked).size).toBe(21);
  });

  test("a text that both the index in use and the one being built lack is asked for once", async () => {
    const long = Array.from({ length: 20 }, (_, i) => `Paragraph ${i} of a note that takes up much room.`).join("\n\n");
    await put([...notes(10), long]);
    // The settings cut the long note into other pieces; the short notes stay as they are.
    const settings = { chunking: { tokens: 60, overlap: 0 } };
    expect((await app.call("PATCH", "/v1/agents/main", { settings })).status).toBe(200);
    const gate = Promise.withResolvers<void>();
    const embedder = new CountingEmbedder(100, 4);
    embedder.gate = gate.promise;
    worker = await startTestApp({ on: app, embedder, worker: false });
    const whole = worker.runtime.deps;
    // The jobs that wait are the same jobs that the test runs by hand.
    const deps = { ...whole, queue: { ...whole.queue, othersWait: async () => false } };
    const { rows } = await app.db.executeSql<{ id: string }>("SELECT tenant_id AS id FROM recollect.agents");
    const [caller, running] = [jobCaller(rows[0]?.id ?? ""), new AbortController().signal];
    await reindexAgent(deps, caller, "main", running);
    // The job finishes in one turn, however busy the machine is.
    const embedding = embedPending(deps, caller, "main", running, { turnMs: 600_000 });
    await until(async () => embedder.requests.length === 2);
    gate.resolve();
    await embedding;
    const asked = embedder.requests.flat();
    expect(asked.length).toBeGreaterThan(12);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("what came beside a request that failed is kept and not asked for again", async () => {
    await put(notes(20));
    const embedder = new CountingEmbedder(5, 4);
    embedder.unlucky = "Note number 7";
    worker = await startTestApp({ on: app, embedder });
    await app.embedded();
    const counts = Map.groupBy(embedder.requests.flat(), (text) => text);
    expect(counts.size).toBe(20);
    const twice = [...counts].filter(([, times]) => times.length > 1).map(([text]) => text);
    expect(twice.sort()).toEqual(["Note number 5", "Note number 6", "Note number 7", "Note number 8", "Note number 9"]);
  });
});
