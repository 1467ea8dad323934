import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("answers that a process remembers", () => {
  let app: TestApp;
  let other: TestApp;
  /**
   * Runs a third process that does the jobs until `until` resolves. An embedding in the middle of a
   * comparison would be a change too.
   */
  const work = async (until: () => Promise<void>) => {
    const worker = await startTestApp({ on: app, embedder: app.embedder });
    await until().finally(() => worker.drop());
  };
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    other = await startTestApp({ on: app, embedder: app.embedder, worker: false });
    await app.put("a.md", "The heron stands at the pond.");
    await app.put("b.md", "The ferry leaves at nine.");
    await work(() => app.embedded());
  });
  afterAll(async () => {
    await other.drop();
    await app.drop();
  });

  /** Counts statements on the agent's chunks while `work` runs. */
  const statements = (work: () => Promise<unknown>) => countStatements(app, /chunks_\d/, work);

  test("a question that was just answered reads no chunk; the same with other options does", async () => {
    const first = await app.search("heron");
    let again: unknown;
    expect(await statements(async () => (again = await app.search("heron")))).toBe(0);
    expect(again).toEqual(first);
    expect(await statements(() => app.search("heron", { maxResults: 1 }))).toBeGreaterThan(0);
    expect(await statements(() => app.search("heron", { explain: true }))).toBeGreaterThan(0);
  });

  test.each([
    ["a write", async () => other.put("c.md", "A heron and its heron friends.")],
    ["an embedding", async () => work(() => other.embedded())],
    ["a deletion", async () => other.call("DELETE", "/v1/agents/main/files/c.md")],
    ["a setting", async () => other.call("PATCH", "/v1/agents/main", { settings: { query: { maxResults: 1 } } })],
    ["a setting taken back", async () => other.call("PATCH", "/v1/agents/main", { settings: { query: null } })],
  ])("%s by another process is seen by the next search", async (_what, change) => {
    await app.search("heron", { minScore: 0 });
    await change();
    const remembered = await app.search("heron", { minScore: 0 });
    app.runtime.deps.searchAnswers.clear();
    expect(remembered).toEqual(await app.search("heron", { minScore: 0 }));
  });

  test("questions are not kept, however long they are", async () => {
    const { searchAnswers } = app.runtime.deps;
    searchAnswers.clear();
    await app.search(`heron ${"x".repeat(8000)}`);
    expect([...searchAnswers.keys()].map((key) => key.length)).toEqual([64]);
  });

  test("a message and its index, and a session that is deleted", async () => {
    await other.call("PATCH", "/v1/agents/main", { settings: { sources: ["memory", "sessions"] } });
    const path = "/v1/agents/main/sessions/chat:1";
    const search = async () => (await app.search("kingfisher", { minScore: 0 })).results.map((hit) => hit.path);
    expect(await search()).not.toContain("sessions/chat:1");
    await other.call("POST", `${path}/messages`, { messages: [{ role: "user", text: "A kingfisher!" }], end: true });
    await work(async () => {
      // Lets the worker's timers run between two tries. The embedded database alone would not give
      // them a turn.
      while (!(await search()).includes("sessions/chat:1")) await setImmediate();
    });
    await other.call("DELETE", path);
    expect(await search()).not.toContain("sessions/chat:1");
  });

  test("nothing is remembered of an agent whose cache is off, neither answers nor questions", async () => {
    const { searchAnswers, queryVectors } = app.runtime.deps;
    const cache = (enabled: boolean | null) =>
      other.call("PATCH", "/v1/agents/main", { settings: { cache: { enabled } } });
    const embeddings = async () => {
      const before = app.embedder.asked.length;
      await app.search("bittern");
      return app.embedder.asked.length - before;
    };
    await cache(true);
    expect([await embeddings(), await embeddings()]).toEqual([1, 0]);
    await cache(false);
    searchAnswers.clear();
    queryVectors.clear();
    expect([await embeddings(), await embeddings()]).toEqual([1, 1]);
    expect(await statements(() => app.search("bittern"))).toBeGreaterThan(0);
    expect([searchAnswers.size, queryVectors.size]).toEqual([0, 0]);
    await cache(null);
  });

  test("what depends on the time of day is not remembered", async () => {
    await other.call("PATCH", "/v1/agents/main", {
      settings: { query: { hybrid: { temporalDecay: { enabled: true } } } },
    });
    await app.search("ferry");
    expect(await statements(() => app.search("ferry"))).toBeGreaterThan(0);
  });
});
