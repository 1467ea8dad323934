import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("answers that a process remembers", () => {
  let app: TestApp;
  let other: TestApp;
  /** A third process does the jobs, for so long: an embedding in the middle of a comparison would be a change of its own. */
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

  /** Statements on the agent's chunks while `work` runs. */
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

  test("a message and its index, and a session that is deleted", async () => {
    await other.call("PATCH", "/v1/agents/main", { settings: { sources: ["memory", "sessions"] } });
    const path = "/v1/agents/main/sessions/chat:1";
    const search = async () => (await app.search("kingfisher", { minScore: 0 })).results.map((hit) => hit.path);
    expect(await search()).not.toContain("sessions/chat:1");
    await other.call("POST", `${path}/messages`, { messages: [{ role: "user", text: "A kingfisher!" }], end: true });
    await work(async () => {
      for (;;) if ((await search()).includes("sessions/chat:1")) break;
    });
    await other.call("DELETE", path);
    expect(await search()).not.toContain("sessions/chat:1");
  });

  test("what depends on the time of day is not remembered", async () => {
    await other.call("PATCH", "/v1/agents/main", {
      settings: { query: { hybrid: { temporalDecay: { enabled: true } } } },
    });
    await app.search("ferry");
    expect(await statements(() => app.search("ferry"))).toBeGreaterThan(0);
  });
});
