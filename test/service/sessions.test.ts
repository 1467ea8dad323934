import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";
import type { ErrorBody } from "../support/test-app.ts";

const sequence = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `message number ${from + i}`);

describe("appending to a session", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
    await app.talker("order");
    await app.talker("many");
  });
  afterAll(() => app.drop());

  test("messages come back in the order of arrival, numbered, with their lines", async () => {
    const sent = [
      { id: "a", text: "one\r\ntwo", name: "Ann", at: "2026-03-02T10:00:00Z" },
      { role: "assistant", text: "three", at: "2026-03-02T10:00:05+02:00" },
    ];
    const first = await app.append("order", "slack:C1", sent, { capture: false });
    expect(first.body).toEqual({
      session: "slack:C1",
      key: "agent:order:slack:C1",
      path: "sessions/slack:C1",
      appended: 2,
      duplicates: 0,
      expired: 0,
      skipped: 0,
      lastMessage: 2,
      unindexedMessages: 0,
      indexing: "done",
    });
    await app.append("order", "agent:order:slack:C1", [{ role: "tool", text: "four\n" }]);
    const { session, lastMessageId, messages } = await app.page("order", "slack:C1");
    expect(session).toMatchObject({
      session: "slack:C1",
      key: "agent:order:slack:C1",
      messages: 3,
      lines: 4,
      unindexedMessages: 0,
      bytes: 16,
      startedAt: "2026-03-02T08:00:05.000Z",
    });
    expect(lastMessageId).toBeNull();
    expect(messages.map(({ at: _, ...rest }) => rest)).toEqual([
      { number: 1, id: "a", role: "user", name: "Ann", text: "one\ntwo", startLine: 1, endLine: 2 },
      { number: 2, role: "assistant", text: "three", startLine: 3, endLine: 3 },
      { number: 3, role: "tool", text: "four", startLine: 4, endLine: 4 },
    ]);
    expect(messages[1]?.at).toBe("2026-03-02T08:00:05.000Z");
  });

  test("what is sent again under its id is not stored again", async () => {
    const batch = ["x", "y", "x"].map((id) => ({ id, text: `text of ${id}` }));
    expect((await app.append("order", "retry:1", batch)).body).toMatchObject({ appended: 2, duplicates: 1 });
    const again = await app.append("order", "retry:1", [...batch, { id: "z", text: "new" }]);
    expect(again.body).toMatchObject({ appended: 1, duplicates: 3, lastMessage: 3 });
    // The same id in another session names another message.
    expect((await app.append("order", "retry:2", batch)).body.appended).toBe(2);
    expect((await app.page("order", "retry:1")).lastMessageId).toBe("z");
  });

  test("a host's own key of another agent is the name of a conversation", async () => {
    const key = "agent:main:telegram:group:-100";
    const { body } = await app.append("order", key, [{ id: "1", text: "The barbecue is on the roof." }]);
    expect(body).toMatchObject({ session: key, key: `agent:order:${key}`, path: `sessions/${key}` });
    await app.append("order", `agent:order:${key}`, [{ id: "2", text: "At eight." }]);
    expect((await app.page("order", key)).messages).toHaveLength(2);
    const read = await app.call("POST", "/v1/agents/order/tools/memory_get", { path: body.path });
    expect(read.body).toMatchObject({ text: expect.stringContaining("roof") });
  });

  test("twenty appenders of one session: no gap, no duplicate, each one's own order kept", async () => {
    const appenders = Array.from({ length: 20 }, async (_, who) => {
      for (let i = 0; i < 5; i++) {
        const messages = [0, 1].map((n) => ({ id: `${who}-${i}-${n}`, text: `${who} says ${i}.${n}`, name: `${who}` }));
        const { status, body } = await app.append("many", "crowd:room", messages);
        expect([status, body.appended]).toEqual([200, 2]);
      }
    });
    await Promise.all(appenders);
    const { session, messages } = await app.page("many", "crowd:room", "?limit=1000");
    expect(session).toMatchObject({ messages: 200, lines: 200 });
    expect(messages.map((message) => message.number)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    expect(messages.map((message) => message.startLine)).toEqual(messages.map((message) => message.number));
    expect(new Set(messages.map((message) => message.id)).size).toBe(200);
    for (let who = 0; who < 20; who++) {
      const own = messages.filter((message) => message.name === `${who}`).map((message) => message.id);
      expect(own).toEqual(Array.from({ length: 10 }, (_, n) => `${who}-${Math.floor(n / 2)}-${n % 2}`));
    }
  });

  test("the first messages of twenty at once make one session", async () => {
    const answers = await Promise.all(sequence(20).map((text) => app.append("many", "new:born", [text])));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect((await app.page("many", "new:born")).session.messages).toBe(20);
  });

  test("sessions and messages are listed page by page", async () => {
    await app.talker("pages");
    for (let i = 0; i < 7; i++) await app.append("pages", `web:${i}`, sequence(3));
    await app.append("pages", "xmpp:room@host/desk", sequence(12));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await app.call<{ sessions: { session: string }[]; nextCursor?: string }>(
        "GET",
        `/v1/agents/pages/sessions?limit=3${cursor === undefined ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...body.sessions.map((one) => one.session));
      cursor = body.nextCursor;
    } while (cursor);
    expect(seen).toEqual([...Array.from({ length: 7 }, (_, i) => `web:${i}`), "xmpp:room@host/desk"]);
    const prefixed = await app.call<{ sessions: unknown[] }>("GET", "/v1/agents/pages/sessions?prefix=xmpp:");
    expect(prefixed.body.sessions).toHaveLength(1);
    const page = await app.page("pages", "xmpp:room@host/desk", "?after=4&limit=5");
    expect([page.messages.map((message) => message.number), page.nextAfter]).toEqual([[5, 6, 7, 8, 9], 9]);
    expect((await app.page("pages", "xmpp:room@host/desk", "?after=9&limit=5")).nextAfter).toBeUndefined();
  });

  test("a session is deleted with all that is of it", async () => {
    await app.talker("gone");
    await app.append("gone", "web:1", sequence(9), { end: true });
    await app.append("gone", "web:2", ["The pelican stays."]);
    await app.synced("gone");
    const usage = async () => (await app.call<{ usage: unknown }>("GET", "/v1/agents/gone")).body.usage;
    // Nine messages make four windows of three; each shares a message with the next.
    expect(await usage()).toMatchObject({ chunks: 5 });
    const { status, body } = await app.call("DELETE", "/v1/agents/gone/sessions/web:1");
    expect([status, body]).toEqual([200, { session: "web:1", messages: 9, chunks: 4, facts: 0, forgotten: 0 }]);
    expect(await usage()).toMatchObject({ files: 0, chunks: 1, bytes: "The pelican stays.".length });
    expect((await app.call<ErrorBody>("GET", "/v1/agents/gone/sessions/web:1")).body.error.code).toBe(
      "session_not_found",
    );
    expect((await app.call<ErrorBody>("DELETE", "/v1/agents/gone/sessions/web:1")).status).toBe(404);
    const audit = await app.call<{ entries: { action: string; target: string; details: object }[] }>(
      "GET",
      "/v1/audit",
    );
    const acts = audit.body.entries.filter(({ action, target }) => action === "session.delete" && target === "gone");
    expect(acts).toMatchObject([{ details: { messages: 9, facts: 0 } }]);
    expect(JSON.stringify(acts)).not.toContain("web:1");
    expect((await app.search("message number", {}, "gone")).results.map((hit) => hit.path)).not.toContain(
      "sessions/web:1",
    );
  });
});

describe("what a session refuses", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({ worker: false });
    await app.talker("strict");
  });
  afterAll(() => app.drop());

  const user = (more: object) => ({ messages: [{ role: "user", text: "x", ...more }] });

  test.each([
    ["no message and no end", {}],
    ["text and content", user({ content: "y" })],
    ["an unknown role", user({ role: "narrator" })],
    ["a list of too many parts", { messages: [{ role: "user", content: Array(2001).fill("x") }] }],
    ["an unknown field beside messages", { ...user({}), mood: "glad" }],
    ["a scope of no known part", { ...user({}), scope: { city: "Rome" } }],
    ["a name of two lines", user({ name: "Ann\nassistant: yes" })],
    ["an empty id", user({ id: "" })],
    ["a text that is too long", user({ text: "x".repeat(262_145) })],
    ["too many messages", { messages: Array(501).fill({ role: "user", text: "x" }) }],
    ["a time that is none", user({ at: "yesterday" })],
    ["a time that is none, under the name of another API", user({ timestamp: "20.11.2026 10:00" })],
    ["a time that is none, in JavaScript's form", user({ createdAt: 1e300 })],
  ])("%s", async (_, body) => {
    const answer = await app.call("POST", "/v1/agents/strict/sessions/web:1/messages", body);
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_request"]);
  });

  test("NUL and half a surrogate pair, as everywhere", async () => {
    for (const text of ["a\u0000b", "\ud800"]) {
      const answer = await app.call("POST", "/v1/agents/strict/sessions/web:1/messages", user({ text }));
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_encoding"]);
    }
  });

  test.each(["%20", "agent:strict:", "a:b%0Ac", "a%E2%80%A8b", "x".repeat(201), `a:${"x".repeat(400)}`])(
    "the key %s",
    async (key) => {
      const answer = await app.call("POST", `/v1/agents/strict/sessions/${key}/messages`, user({}));
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_session_key"]);
    },
  );

  test("the end of a session that never was", async () => {
    const answer = await app.call("POST", "/v1/agents/strict/sessions/web:9/messages", { end: true });
    expect([answer.status, answer.body.error.code]).toEqual([404, "session_not_found"]);
    expect((await app.status("strict")).sessions).toBe(0);
  });

  test("a file where a session stands, but no file beside it", async () => {
    const there = await app.put("sessions/web:1", "x", "strict");
    expect([there.status, (there.body as unknown as ErrorBody).error.code]).toEqual([400, "invalid_path"]);
    expect((await app.put("sessions/2026-05-18.md", "x", "strict")).status).toBe(200);
  });

  test("hostile texts are kept as they are and harm nothing", async () => {
    const texts = [
      "'; DROP TABLE messages; --",
      "{{x}} $1 %s \\",
      "\u001b[31mred",
      "a\u2028b",
      "😀".repeat(1000),
      "x".repeat(200_000),
    ];
    expect((await app.append("strict", "evil:1", texts)).body.appended).toBe(texts.length);
    const { messages } = await app.page("strict", "evil:1");
    expect(messages.map((message) => message.text)).toEqual(texts);
  });
});
