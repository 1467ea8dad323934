import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const sequence = (count: number) => Array.from({ length: count }, (_, i) => `number ${i}`);

describe("what asks for a sync of sessions", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({ worker: false });
  });
  afterAll(() => app.drop());

  const waiting = async (agent: string) => (await app.status(agent)).jobs.sync?.waiting;
  /** An agent whose appends cannot index: its limit leaves no room for a chunk. */
  const full = async (id: string, sync: Record<string, unknown>) => {
    const settings = { sources: ["memory", "sessions"], sync };
    await app.call("POST", "/v1/agents", { id, settings, limits: { chunks: 0 } });
    return id;
  };
  /**
   * Makes an agent that searches its sessions only since a moment ago, with one session left
   * unindexed from before.
   */
  const late = async (id: string, sync: Record<string, unknown>) => {
    await app.talker(id, { sync, sources: ["memory"] });
    expect((await app.append(id, "old:1", ["left from before"])).body.indexing).toBe("off");
    await app.call("PATCH", `/v1/agents/${id}`, { settings: { sources: ["memory", "sessions"] } });
    expect(await app.status(id)).toMatchObject({ unindexedMessages: 1, dirty: true });
    // The change of settings has requested a sync.
    await app.db.executeSql("DELETE FROM recollect_jobs.job WHERE name = 'sync' AND data->>'agentId' = $1", [id]);
    return id;
  };

  test("an append that could index leaves one that looks after it, however many follow", async () => {
    await app.talker("done");
    for (let i = 0; i < 3; i++)
      expect((await app.append("done", "web:1", sequence(60))).body).toMatchObject({
        indexing: "done",
        unindexedMessages: 0,
      });
    expect(await waiting("done")).toBe(1);
  });

  test("the number of messages that could not be indexed", async () => {
    const id = await full("messages", { sessions: { deltaMessages: 10 } });
    const nine = await app.append(id, "web:1", sequence(9));
    expect(nine.body).toMatchObject({ indexing: "queued", unindexedMessages: 9, appended: 9 });
    expect(await app.status(id)).toMatchObject({ unindexedMessages: 9, dirty: true });
    expect(await waiting(id)).toBe(1);
    await app.append(id, "web:1", sequence(1));
    expect(await waiting(id)).toBe(2);
    // The number of messages is already above the threshold, and a job waits.
    await app.append(id, "web:1", sequence(1));
    expect(await waiting(id)).toBe(2);
    await app.append(id, "web:1", sequence(10));
    expect(await waiting(id)).toBe(3);
  });

  test("their bytes", async () => {
    const id = await full("bytes", { sessions: { deltaBytes: 1000 } });
    await app.append(id, "web:1", ["x".repeat(999)]);
    expect(await waiting(id)).toBe(1);
    await app.append(id, "web:1", ["é"]);
    expect(await waiting(id)).toBe(2);
  });

  test("the defaults: 50 messages, 100,000 bytes; a threshold of 0 is every append", async () => {
    const id = await full("defaults", {});
    await app.append(id, "web:1", sequence(49));
    await app.append(id, "web:2", ["x".repeat(99_999)]);
    expect(await waiting(id)).toBe(1);
    await app.append(id, "web:1", sequence(1));
    await app.append(id, "web:2", ["x"]);
    expect(await waiting(id)).toBe(3);
    const eager = await full("eager", { sessions: { deltaMessages: 0 } });
    await app.append(eager, "web:1", ["one"]);
    expect(await waiting(eager)).toBe(2);
  });

  test("the end of a session that could not be indexed, with or without a message", async () => {
    const id = await full("end", {});
    await app.append(id, "web:1", ["one"]);
    expect((await app.append(id, "web:1", [], { end: true })).body).toMatchObject({ indexing: "queued", appended: 0 });
    expect(await waiting(id)).toBe(2);
    await app.append(id, "web:1", ["two"], { end: true });
    expect(await waiting(id)).toBe(3);
  });

  test("a session that begins when others were left unindexed", async () => {
    const id = await late("start", {});
    expect((await app.append(id, "web:1", ["hello"])).body.indexing).toBe("done");
    expect(await waiting(id)).toBe(1);
    expect(await app.status(id)).toMatchObject({ unindexedMessages: 1, dirty: true });
  });

  test("a search that meets something unindexed, once", async () => {
    const id = await late("search", {});
    for (let i = 0; i < 3; i++) await app.search("anything", {}, id);
    expect(await waiting(id)).toBe(1);
    const off = await late("search-off", { onSearch: false });
    await app.search("anything", {}, off);
    expect(await waiting(off)).toBe(0);
    await app.talker("search-memory", { sources: ["memory"] });
    await app.append("search-memory", "web:1", ["unindexed"]);
    await app.search("anything", {}, "search-memory");
    expect(await waiting("search-memory")).toBe(0);
  });

  test("an append to a session that is left unindexed indexes all of it", async () => {
    const id = await late("catch-up", {});
    expect((await app.append(id, "old:1", ["again"])).body).toMatchObject({ indexing: "done", unindexedMessages: 0 });
    expect(await app.windows(id, "old:1")).toMatchObject([{ first: 1, last: 2 }]);
    expect((await app.append(id, "old:1", [], { end: true })).body).toMatchObject({ indexing: "done", appended: 0 });
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
    expect(body.usage).toMatchObject({ bytes: 100, chunks: 1 });
  });
});
