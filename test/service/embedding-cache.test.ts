import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import type { WrittenFile } from "../../src/service/files/write-batch.ts";
import { embedPending } from "../../src/service/indexing/embed-pending.ts";
import { maintainIndex } from "../../src/service/indexing/maintain-index.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("the embedding cache", () => {
  let app: TestApp;
  let caller: ReturnType<typeof jobCaller>;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    const { rows } = await app.db.executeSql<{ id: string }>("SELECT id FROM recollect.tenants");
    caller = jobCaller(rows[0]?.id ?? "");
  });
  afterAll(() => app.drop());

  const make = (id: string, settings: unknown = {}) => app.call("POST", "/v1/agents", { id, settings });
  const embed = (agent: string) =>
    embedPending(app.runtime.deps, caller, agent, new AbortController().signal, { turnMs: 600_000 });
  const entries = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ hash: string }>(
      "SELECT hash FROM recollect.embedding_cache WHERE agent_id = $1 ORDER BY created_at, hash",
      [agent],
    );
    return rows.map((row) => row.hash);
  };

  test("keeps an agent's newest entries, as many as its settings let it", async () => {
    await make("small", { cache: { maxEntries: 3 } });
    for (let i = 0; i < 8; i++) {
      await app.put(`n${i}.md`, `Note number ${i}`, "small");
      await embed("small");
    }
    const all = await entries("small");
    expect(all).toHaveLength(8);
    await maintainIndex(app.runtime.deps, caller, "small");
    expect(await entries("small")).toEqual(all.slice(-3));
    // Maintaining one agent does not touch another agent's entries.
    await make("other");
    await app.put("a.md", "Something else", "other");
    await embed("other");
    await maintainIndex(app.runtime.deps, caller, "small");
    expect(await entries("other")).toHaveLength(1);
  });

  test("is neither read nor written for an agent that is set to do without", async () => {
    await make("alone", { cache: { enabled: false } });
    await app.put("a.md", "Something else", "alone");
    const asked = app.embedder.asked.length;
    await embed("alone");
    expect(app.embedder.asked.slice(asked)).toEqual(["Something else"]);
    expect(await entries("alone")).toEqual([]);
  });

  test("has no queries: not while an agent is there, nor after it was erased", async () => {
    await make("asked");
    await app.put("a.md", "An answer", "asked");
    await embed("asked");
    const before = await entries("asked");
    await app.search("a question", {}, "asked");
    const asked = app.embedder.asked.length;
    await app.search("a question", {}, "asked");
    expect(app.embedder.asked.length).toBe(asked);
    expect(await entries("asked")).toEqual(before);
    await app.call("DELETE", "/v1/agents/asked");
    expect(await entries("asked")).toEqual([]);
  });

  test("does not tell a key of one agent what another agent has been told", async () => {
    await make("secretive");
    await app.put("a.md", "The launch is on Tuesday", "secretive");
    await embed("secretive");
    await make("curious");
    const key = await app.key(["agent:write", "agent:read"], { agentId: "curious" });
    const guess = async (path: string, content: string) =>
      (await app.call<WrittenFile>("PUT", `/v1/agents/curious/files/${path}`, { content }, key)).body.pendingEmbeddings;
    expect(await guess("right.md", "The launch is on Tuesday")).toBe(1);
    expect(await guess("wrong.md", "The launch is on Wednesday")).toBe(1);
    const asked = app.embedder.asked.length;
    await embed("curious");
    // A text that the tenant has paid for is not paid for again.
    expect(app.embedder.asked.slice(asked)).toEqual(["The launch is on Wednesday"]);
    // The agent may learn about its own texts.
    expect(await guess("again.md", "The launch is on Wednesday")).toBe(0);
    // A key that may read all agents gets cached embeddings at once.
    expect((await app.put("b.md", "The launch is on Tuesday", "curious")).body.pendingEmbeddings).toBe(0);
  });
});
