import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { GetOutput } from "../../src/service/search/get-memory.ts";
import type { AppendedMessages } from "../../src/service/sessions/commit-messages.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { byModel, OtherEmbedder, WordEmbedder } from "../support/word-embedder.ts";

describe("a message is found by the very next search", () => {
  let app: SessionApp;
  let beside: TestApp;
  const words = new WordEmbedder();
  const other = new OtherEmbedder();
  beforeAll(async () => {
    app = await startSessionApp({ embedders: byModel(words, other) });
    beside = await startTestApp({ on: app, embedders: byModel(words, other), worker: false });
  });
  afterAll(async () => {
    await beside.drop();
    await app.drop();
  });
  afterEach(() => {
    words.gate = undefined;
    other.gate = undefined;
  });

  const paths = async (query: string, agent: string) =>
    (await app.search(query, { minScore: 0 }, agent)).results.map((hit) => hit.path);
  const get = async (agent: string, path: string) =>
    (await app.call<GetOutput>("POST", `/v1/agents/${agent}/tools/memory_get`, { path })).body;

  test("by its words before its embedding is made, and by its meaning without anybody asking", async () => {
    await app.talker("next", { sync: { onSearch: false, onSessionStart: false } });
    let open = () => {};
    words.gate = new Promise((resolve) => {
      open = resolve;
    });
    const first = await app.append("next", "session_1", ["The walrus signed the contract."]);
    expect(first.body).toMatchObject({ indexing: "done", unindexedMessages: 0 });
    expect(await paths("walrus", "next")).toEqual(["sessions/session_1"]);
    await app.append("next", "session_1", ["The quokka refused."]);
    expect(await paths("quokka", "next")).toEqual(["sessions/session_1"]);
    expect(await app.status("next")).toMatchObject({ unindexedMessages: 0, dirty: true });
    open();
    await until(async () => !(await app.status("next")).dirty);
    expect(await app.status("next")).toMatchObject({ pendingEmbeddings: 0 });
  });

  test("of twenty who append to one session at once each finds his own in his next search", async () => {
    await app.talker("crowd");
    const names = Array.from({ length: 20 }, (_, i) => `zebra${String.fromCharCode(97 + i)}`);
    await Promise.all(
      names.map(async (name) => {
        const { body } = await app.append("crowd", "room:1", [`Here comes ${name}.`, "Hello."]);
        expect(body.indexing).toBe("done");
        expect(await paths(name, "crowd")).toContain("sessions/room:1");
      }),
    );
    expect(await app.status("crowd")).toMatchObject({ unindexedMessages: 0, chunks: 20 });
    await app.append("crowd", "room:whole", [
      ...(await app.page("crowd", "room:1", "?limit=1000")).messages.map(({ text, role }) => ({ text, role })),
    ]);
    expect(await app.windows("crowd", "room:1")).toEqual(await app.windows("crowd", "room:whole"));
    const { body } = await app.call<{ usage: { chunks: number } }>("GET", "/v1/agents/crowd");
    expect(body.usage.chunks).toBe(40);
  });

  test("with two processes and syncs at the same time", async () => {
    await app.talker("both");
    const say = (from: TestApp, i: number) =>
      from.call<AppendedMessages>("POST", "/v1/agents/both/sessions/web:1/messages", {
        messages: [{ role: "user", content: `Line ${i} of it.` }],
      });
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        if (i % 5 === 0) await app.call("POST", "/v1/agents/both/sync", {});
        return say(i % 2 ? app : beside, i);
      }),
    );
    expect(answers.map(({ status, body }) => [status, body.indexing])).toEqual(Array(30).fill([200, "done"]));
    const windows = await app.windows("both", "web:1");
    expect(windows.map((window) => window.ordinal)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    expect((await app.status("both")).unindexedMessages).toBe(0);
  });

  test("also while another index is being built, which has it when it takes over", async () => {
    await app.talker("moving");
    await app.append("moving", "web:1", ["The harbour is old."]);
    let open = () => {};
    other.gate = new Promise((resolve) => {
      open = resolve;
    });
    await app.call("PATCH", "/v1/agents/moving", { settings: { model: "other-words" } });
    await until(async () => (await app.status("moving")).reindex.sessions?.indexed === 1);
    for (let i = 0; i < 6; i++) await app.append("moving", "web:1", [`The okapi counts ${i}.`]);
    expect(await paths("okapi", "moving")).toContain("sessions/web:1");
    open();
    await until(async () => (await app.status("moving")).model === "other-words");
    // An index takes over when nearly all of its embeddings are there; the others follow.
    expect(await app.status("moving")).toMatchObject({ unindexedMessages: 0, chunks: 3 });
    await until(async () => (await app.status("moving")).pendingEmbeddings === 0);
    expect(await paths("okapi", "moving")).toContain("sessions/web:1");
  });

  test("an answer that is asked for again under its key indexes what a crash had left", async () => {
    await app.talker("crashed");
    const path = "/v1/agents/crashed/sessions/web:1/messages";
    const body = { messages: [{ role: "user", content: "The narwhal waits." }] };
    const send = () => app.call<AppendedMessages>("POST", path, body, undefined, { "idempotency-key": "n" });
    const first = await send();
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'crashed'",
    );
    // Simulates a process that ended between the commit and the index.
    await app.db.executeSql(`UPDATE ${rows[0]?.schema}.sessions SET indexed_seq = 0`);
    expect(await app.status("crashed")).toMatchObject({ unindexedMessages: 1, dirty: true });
    expect((await send()).body).toEqual(first.body);
    expect(await app.status("crashed")).toMatchObject({ unindexedMessages: 0, chunks: 1 });
  });

  test("not for an agent that does not search its sessions", async () => {
    await app.talker("off", { sources: ["memory"] });
    const { body } = await app.append("off", "web:1", ["The zeppelin lands."]);
    expect(body).toMatchObject({ indexing: "off", unindexedMessages: 1 });
    expect(await app.status("off")).toMatchObject({ chunks: 0, dirty: false, jobs: {} });
  });

  test.each([
    ["session_1", "sessions/session_1"],
    ["Tuesday's stand-up (10:00)", "sessions/Tuesday's stand-up (10:00)"],
    ["https://example.com/c/7", "sessions/%:https:%2F%2Fexample.com%2Fc%2F7"],
    ["a\\b/../c", "sessions/%:a%5Cb%2F..%2Fc"],
    ["会".repeat(200), `sessions/${"会".repeat(200)}`],
  ])("under the key %s, and its path leads back to it", async (key, path) => {
    const agent = "keys";
    if ((await app.call("GET", `/v1/agents/${agent}`)).status === 404) await app.talker(agent);
    const { body } = await app.append(agent, key, [`The pelican of ${key.length} stays.`]);
    expect(body).toMatchObject({ session: key, key: `agent:keys:${key}`, path });
    expect(await paths(`pelican of ${key.length}`, agent)).toContain(path);
    expect(await get(agent, path)).toMatchObject({ path, text: `user: The pelican of ${key.length} stays.` });
    expect((await app.page(agent, key)).session).toMatchObject({ session: key, path });
    expect((await app.put(path, "x", agent)).status).toBe(400);
    const gone = await app.call("DELETE", `/v1/agents/${agent}/sessions/${encodeURIComponent(key)}`);
    expect(gone.status).toBe(200);
    expect(await get(agent, path)).toMatchObject({ status: "not_found" });
  });

  test("a file and a session never stand at one path", async () => {
    await app.talker("one-path");
    expect((await app.put("sessions/plan.md", "The plan of the file.", "one-path")).status).toBe(200);
    const refused = await app.append("one-path", "plan.md", ["The plan of the session."]);
    expect([refused.status, (refused.body as unknown as ErrorBody).error.code]).toEqual([400, "invalid_session_key"]);
    expect((await app.put("sessions/plan.md", "Another plan.", "one-path")).status).toBe(200);
    expect(await get("one-path", "sessions/plan.md")).toMatchObject({ text: "Another plan." });
    await app.append("one-path", "talk", ["Hello."]);
    const written = await app.put("sessions/talk", "x", "one-path");
    expect([written.status, (written.body as unknown as ErrorBody).error.code]).toEqual([400, "invalid_path"]);
    expect((await app.status("one-path")).sessions).toBe(1);
  });

  test("a file and a session that are made at one path in the same moment: one of them is", async () => {
    await app.talker("race");
    await app.put("first.md", "x", "race");
    for (let i = 0; i < 10; i++) {
      const [file, session] = await Promise.all([
        app.put(`sessions/r${i}`, "A file.", "race"),
        app.append("race", `r${i}`, ["A session."]),
      ]);
      expect([file.status, session.status].sort()).toEqual([200, 400]);
    }
  });
});
