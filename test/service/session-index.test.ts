import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import { until } from "../support/until.ts";
import { byModel, OtherEmbedder, WordEmbedder } from "../support/word-embedder.ts";

const sequence = (count: number, from = 1, what = "message") =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? "assistant" : "user", text: `${what} number ${from + i}` }));

describe("the index of sessions", () => {
  let app: SessionApp;
  const words = new WordEmbedder();
  const other = new OtherEmbedder();
  beforeAll(async () => {
    app = await startSessionApp({
      embedders: byModel(words, other),
    });
  });
  afterAll(() => app.drop());
  afterEach(() => {
    words.failure = undefined;
    other.gate = undefined;
  });

  test("only new windows are embedded, whatever was there before", async () => {
    await app.talker("delta");
    await app.append("delta", "web:1", sequence(9, 1, "delta"));
    await app.synced("delta");
    expect(await app.windows("delta", "web:1")).toMatchObject([
      { ordinal: 0, first: 1, last: 3, startLine: 1, endLine: 3 },
      { ordinal: 1, first: 3, last: 5, startLine: 3, endLine: 5 },
      { ordinal: 2, first: 5, last: 7, startLine: 5, endLine: 7 },
      { ordinal: 3, first: 7, last: 9, startLine: 7, endLine: 9 },
    ]);
    words.asked.length = 0;
    await app.append("delta", "web:1", sequence(1, 10, "delta"));
    await app.synced("delta");
    expect(words.asked).toHaveLength(1);
    await app.append("delta", "web:1", sequence(5, 11, "delta"));
    await app.synced("delta");
    // The window that had two messages, and the two windows after it.
    expect(words.asked).toHaveLength(4);
    words.asked.length = 0;
    await app.synced("delta");
    expect(words.asked).toEqual([]);
    expect((await app.status("delta")).unindexedMessages).toBe(0);
  });

  test("property: any appends and syncs end in the windows of one append", async () => {
    await app.talker("any");
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80 }).map((one) => `x${one.replaceAll("\u0000", "")}`),
      fc.integer({ min: 1, max: 150 }).map((n) => "many words in a row. ".repeat(n)),
    );
    const step = fc.record({ texts: fc.array(text, { minLength: 1, maxLength: 12 }), sync: fc.boolean() });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const [stepwise, whole] = [`web:${++run}`, `web:${run}-whole`];
        for (const { texts, sync } of steps) {
          await app.append("any", stepwise, texts);
          if (sync) await app.synced("any");
        }
        await app.append(
          "any",
          whole,
          steps.flatMap(({ texts }) => texts),
        );
        await app.synced("any");
        expect(await app.windows("any", stepwise)).toEqual(await app.windows("any", whole));
      }),
      { numRuns: 8 },
    );
  }, 180_000);

  test("many sessions, and one of many pages, are indexed whole", async () => {
    await app.talker("large");
    await app.append("large", "web:long", sequence(480, 1, "long"));
    await app.append("large", "web:long", sequence(25, 481, "long"));
    for (let i = 0; i < 25; i++) await app.append("large", `web:${i}`, sequence(2, i, "small"));
    await app.synced("large");
    const windows = await app.windows("large", "web:long");
    expect(windows.map((window) => window.ordinal)).toEqual(Array.from({ length: 252 }, (_, i) => i));
    expect(windows.at(-1)).toMatchObject({ first: 503, last: 505, endLine: 505 });
    expect(await app.status("large")).toMatchObject({ sessions: 26, messages: 555, unindexedMessages: 0, chunks: 277 });
    const { body } = await app.call<{ usage: { chunks: number } }>("GET", "/v1/agents/large");
    expect(body.usage.chunks).toBe(277);
  });

  test("a new index holds the sessions before it takes over, and what is appended meanwhile", async () => {
    await app.talker("moving");
    await app.put("note.md", "A note about the harbour.", "moving");
    await app.append("moving", "web:1", sequence(30, 1, "harbour"));
    await app.append("moving", "web:2", sequence(3, 1, "lantern"));
    await app.synced("moving");
    await app.append("moving", "web:2", ["left unindexed"]);
    const before = await app.windows("moving", "web:1");
    let open = () => {};
    other.gate = new Promise((resolve) => {
      open = resolve;
    });
    await app.call("PATCH", "/v1/agents/moving", { settings: { model: "other-words", sync: { onSearch: false } } });
    await until(async () => (await app.status("moving")).reindex.sessions?.indexed === 2);
    await app.append("moving", "web:1", sequence(6, 31, "harbour"), { end: true });
    await app.call("DELETE", "/v1/agents/moving/sessions/web:2");
    await app.append("moving", "web:3", sequence(2, 1, "quokka"), { end: true });
    await until(async () => (await app.status("moving")).unindexedMessages === 0);
    expect((await app.search("quokka", {}, "moving")).model).toBe("words");
    open();
    await until(async () => (await app.status("moving")).model === "other-words");
    const after = await app.windows("moving", "web:1");
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    expect(after.at(-1)).toMatchObject({ last: 36 });
    expect((await app.search("quokka number 2", {}, "moving")).results[0]).toMatchObject({ path: "sessions/web:3" });
    // The new index may take over while a few of its texts still wait for their embedding.
    await app.embedded("moving");
    const status = await app.status("moving");
    expect(status).toMatchObject({ sessions: 2, unindexedMessages: 0, pendingEmbeddings: 0 });
    const { body } = await app.call<{ usage: { chunks: number } }>("GET", "/v1/agents/moving");
    expect(body.usage.chunks).toBe(status.chunks);
  });

  test("other chunk settings cut long windows anew", async () => {
    await app.talker("cut");
    await app.append(
      "cut",
      "web:1",
      Array.from({ length: 5 }, (_, i) => `Sentence ${i} of it. `.repeat(30)),
    );
    await app.synced("cut");
    // There are two windows of three messages that share the third; each window is longer than a
    // chunk.
    const ordinals = async () => (await app.windows("cut", "web:1")).map((window) => window.ordinal);
    expect(await ordinals()).toEqual([0, 0, 1, 1]);
    await app.call("PATCH", "/v1/agents/cut", { settings: { chunking: { tokens: 60, overlap: 10 } } });
    await until(async () => (await app.windows("cut", "web:1")).length > 8);
    expect(new Set(await ordinals())).toEqual(new Set([0, 1]));
  });

  test("while the provider is out messages are found by keyword, and embedded later", async () => {
    await app.talker("outage");
    words.failure = new AppError("embedder_unavailable", "The provider does not answer.");
    await app.append("outage", "web:1", ["The walrus signed the contract."], { end: true });
    await until(async () => (await app.status("outage")).unindexedMessages === 0);
    expect(await app.search("walrus", {}, "outage")).toMatchObject({
      mode: "keyword",
      results: [{ path: "sessions/web:1" }],
    });
    words.failure = undefined;
    await app.embedded("outage");
    expect((await app.search("walrus", {}, "outage")).mode).toBe("hybrid");
  });

  test("above the limit of chunks messages are kept unindexed, and indexed when there is room", async () => {
    const id = "full";
    const settings = { sources: ["memory", "sessions"], sync: { onSearch: false } };
    await app.call("POST", "/v1/agents", { id, settings, limits: { chunks: 4 } });
    await app.append(id, "web:1", sequence(9, 1, "full"), { end: true });
    await until(async () => (await app.status(id)).unindexedMessages === 0);
    await app.append(id, "web:1", sequence(9, 10, "full"), { end: true });
    const idle = async () => {
      const { sync } = (await app.status(id)).jobs;
      return sync?.waiting === 0 && sync.active === 0;
    };
    await until(idle);
    expect(await app.status(id)).toMatchObject({ messages: 18, unindexedMessages: 9, chunks: 4, dirty: true });
    await app.call("PATCH", `/v1/agents/${id}`, { limits: { chunks: 10 } });
    await app.synced(id);
    expect(await app.windows(id, "web:1")).toHaveLength(9);
  });

  test("sessions are indexed when the settings begin to search them, and left alone before", async () => {
    await app.talker("later", { sources: ["memory"] });
    const { body } = await app.append("later", "web:1", ["The zeppelin lands at noon."], { end: true });
    expect(body.indexing).toBe("off");
    await app.call("POST", "/v1/agents/later/sync", {});
    await until(async () => (await app.status("later")).jobs.sync?.waiting === 0);
    await until(async () => (await app.status("later")).jobs.sync?.active === 0);
    expect(await app.status("later")).toMatchObject({ unindexedMessages: 1, dirty: false, chunks: 0 });
    await app.call("PATCH", "/v1/agents/later", { settings: { sources: ["sessions"] } });
    await until(async () => (await app.status("later")).unindexedMessages === 0);
    expect((await app.search("zeppelin", {}, "later")).results).toHaveLength(1);
  });
});
