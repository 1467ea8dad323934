import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const sequence = (count: number) => Array.from({ length: count }, (_, i) => `number ${i}`);

describe("when sessions are indexed", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({ worker: false });
  });
  afterAll(() => app.drop());

  const waiting = async (agent: string) => (await app.status(agent)).jobs.sync?.waiting;
  /** A new agent with the given settings of `sync`, and one unindexed session when `dirty`. */
  const agent = async (id: string, sync: Record<string, unknown>, dirty = false) => {
    await app.talker(id, { sync });
    if (dirty) await app.append(id, "old:1", ["left from before"]);
    return id;
  };

  test("by the number of messages", async () => {
    const id = await agent("messages", { sessions: { deltaMessages: 10 } });
    expect((await app.append(id, "web:1", sequence(9))).body.indexing).toBe("later");
    expect(await waiting(id)).toBe(0);
    expect((await app.append(id, "web:1", sequence(1))).body).toMatchObject({
      indexing: "queued",
      unindexedMessages: 10,
    });
    expect(await waiting(id)).toBe(1);
    // Above the threshold already, with a job that waits.
    await app.append(id, "web:1", sequence(1));
    expect(await waiting(id)).toBe(1);
    // So many that the job which waits must not be all there is: it may begin before this is committed.
    await app.append(id, "web:1", sequence(10));
    expect(await waiting(id)).toBe(2);
  });

  test("by their bytes", async () => {
    const id = await agent("bytes", { sessions: { deltaBytes: 1000 } });
    expect((await app.append(id, "web:1", ["x".repeat(999)])).body.indexing).toBe("later");
    expect((await app.append(id, "web:1", ["é"])).body.indexing).toBe("queued");
  });

  test("by the defaults: 50 messages, 100,000 bytes", async () => {
    const id = await agent("defaults", {});
    expect((await app.append(id, "web:1", sequence(49))).body.indexing).toBe("later");
    expect((await app.append(id, "web:1", sequence(1))).body.indexing).toBe("queued");
    expect((await app.append(id, "web:2", ["x".repeat(99_999)])).body.indexing).toBe("queued");
  });

  test("with every append when a threshold is 0", async () => {
    const id = await agent("eager", { sessions: { deltaMessages: 0 } });
    expect((await app.append(id, "web:1", ["one"])).body.indexing).toBe("queued");
  });

  test("at the end of a session, with or without a message", async () => {
    const id = await agent("end", {});
    await app.append(id, "web:1", ["one"]);
    expect((await app.append(id, "web:1", [], { end: true })).body).toMatchObject({ indexing: "queued", appended: 0 });
    expect((await app.append(id, "web:1", ["two"], { end: true })).body.indexing).toBe("queued");
  });

  test("when a session begins and others were left unindexed", async () => {
    const id = await agent("start", {}, true);
    expect(await waiting(id)).toBe(0);
    expect((await app.append(id, "web:1", ["hello"])).body.indexing).toBe("queued");
    expect(await waiting(id)).toBe(1);
    expect((await app.append(id, "web:1", ["again"])).body.indexing).toBe("later");
    const quiet = await agent("start-off", { onSessionStart: false }, true);
    expect((await app.append(quiet, "web:1", ["hello"])).body.indexing).toBe("later");
  });

  test("when a search meets something unindexed, once", async () => {
    const id = await agent("search", {}, true);
    for (let i = 0; i < 3; i++) await app.search("anything", {}, id);
    expect(await waiting(id)).toBe(1);
    const off = await agent("search-off", { onSearch: false }, true);
    await app.search("anything", {}, off);
    expect(await waiting(off)).toBe(0);
    await app.talker("search-memory", { sources: ["memory"] });
    await app.append("search-memory", "web:1", ["unindexed"]);
    await app.search("anything", {}, "search-memory");
    expect(await waiting("search-memory")).toBe(0);
  });

  test("an append that is refused asks for nothing and leaves nothing", async () => {
    await app.call("POST", "/v1/agents", {
      id: "full",
      settings: { sources: ["sessions"] },
      limits: { bytes: 100 },
    });
    const refused = await app.append("full", "web:1", ["x".repeat(101)], { end: true });
    expect([refused.status, (refused.body as unknown as { error: { code: string } }).error.code]).toEqual([
      ...[413, "quota_exceeded"],
    ]);
    expect(await app.status("full")).toMatchObject({ sessions: 0, messages: 0, jobs: { sync: { waiting: 0 } } });
    expect((await app.append("full", "web:1", ["x".repeat(100)])).status).toBe(200);
    const { body } = await app.call<{ usage: unknown }>("GET", "/v1/agents/full");
    expect(body.usage).toMatchObject({ bytes: 100, chunks: 0 });
  });
});
