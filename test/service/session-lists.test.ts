import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Session, SessionPage } from "../../src/client/api.ts";
import { MAX_LOOKED_INTO } from "../../src/db/agent/sessions/recent-sessions.ts";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

describe("lists of conversations", () => {
  let app: FactApp;
  const say = async (session: string, messages: { name?: string; content: string; at: string }[], user?: string) => {
    const { status, body } = await app.call("POST", `/v1/agents/talks/sessions/${session}/messages`, {
      messages: messages.map((message) => ({ role: "user", ...message })),
      ...(user && { scope: { user } }),
      capture: false,
    });
    expect(status, JSON.stringify(body)).toBe(200);
  };
  beforeAll(async () => {
    app = await startFactApp();
    await say("slack:C1", [
      { name: "Ana Silva", content: "Shall we move the release?", at: "2026-05-01T10:00:00Z" },
      { name: "Пётр", content: "Да, на пятницу", at: "2026-05-03T10:00:00Z" },
    ]);
    await say("telegram:D10", [{ name: "Ana", content: "My name is Ana.", at: "2026-05-02T10:00:00Z" }], "u1");
    const source = { kind: "message", session: "telegram:D10", message: 1 } as const;
    await app.store("talks", { text: "My name is Ana", scope: { user: "u1" }, source });
    await say("cli", [{ content: `${"x".repeat(500)} needle ${"y".repeat(500)}`, at: "2026-05-04T10:00:00Z" }]);
  });
  afterAll(() => app.drop());

  const page = async (query: string) => {
    const { status, body } = await app.call<SessionPage>("GET", `/v1/agents/talks/sessions?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const keys = async (query: string) => (await page(query)).sessions.map(({ session }) => session);

  test("the latest first, page by page", async () => {
    expect(await keys("order=recent")).toEqual(["cli", "slack:C1", "telegram:D10"]);
    expect(await keys("")).toEqual(["cli", "slack:C1", "telegram:D10"].toSorted());
    const found: string[] = [];
    for (let cursor = "", more = true; more; ) {
      const { sessions, nextCursor } = await page(`order=recent&limit=1${cursor}`);
      found.push(...sessions.map(({ session }) => session));
      more = nextCursor !== undefined;
      cursor = `&cursor=${nextCursor}`;
    }
    expect(found).toEqual(["cli", "slack:C1", "telegram:D10"]);
  });

  test("details say who speaks, and the first and last words", async () => {
    const { sessions } = await page("order=recent&details=true&q=NEEDLE");
    expect(sessions).toHaveLength(1);
    const { details } = sessions[0] ?? {};
    expect(details).toMatchObject({ channel: "", people: [], facts: 0, found: { message: 1 } });
    expect(details?.found?.text).toMatch(/^…x{99} needle y+…$/);
    expect(details?.firstText).toHaveLength(300);
    const [slack] = (await page("order=recent&details=true&channel=slack")).sessions;
    expect(slack?.details).toEqual({
      channel: "slack",
      people: ["Ana Silva", "Пётр"],
      firstText: "Shall we move the release?",
      lastText: "Да, на пятницу",
      lastRole: "user",
      lastName: "Пётр",
      facts: 0,
    });
    const listed = (await page("details=true&prefix=telegram")).sessions[0];
    expect(listed?.details).toMatchObject({ people: ["Ana"], facts: 1 });
    expect((await page("order=recent")).sessions[0]).not.toHaveProperty("details");
  });

  test.each([
    ["person=u1", ["telegram:D10"]],
    ["person=Ana", ["telegram:D10"]],
    ["person=Ana%20Silva", ["slack:C1"]],
    ["q=пятницу", ["slack:C1"]],
    ["q=d10", ["telegram:D10"]],
    ["q=%25", []],
    ["user=u1", ["telegram:D10"]],
    ["prefix=te&channel=telegram", ["telegram:D10"]],
    ["channel=tele", []],
    ["since=2026-05-03T10:00:00Z", ["cli", "slack:C1"]],
    ["until=2026-05-03T10:00:00Z&q=release", ["slack:C1"]],
  ])("%s", async (query, expected) => {
    expect(await keys(`order=recent&${query}`)).toEqual(expected);
  });

  test("a filter needs this order, and a cursor the order that it is of", async () => {
    const { nextCursor } = await page("limit=1");
    for (const query of ["q=x", "person=x", `order=recent&cursor=${nextCursor}`, "order=recent&cursor=eyJ9"])
      expect((await app.call("GET", `/v1/agents/talks/sessions?${query}`)).status, query).toBe(400);
    expect(await app.call("GET", "/v1/agents/nobody/sessions?order=recent&details=true")).toMatchObject({
      status: 200,
      body: { sessions: [] },
    });
  });

  test("a search in the messages looks at a bounded number of conversations, and goes on where it ended", async () => {
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'talks'",
    );
    await app.db.executeSql(
      `INSERT INTO "${rows[0]?.name}".sessions (key, started_at, last_message_at, message_count, bytes, last_seq, last_line,
                             removed, indexed_seq, unindexed_bytes, next_seq, created_at, updated_at)
       SELECT 'many:' || n, now(), now(), 0, 0, 0, 0, 0, 0, 0, 0, now(), now() FROM generate_series(1, ${MAX_LOOKED_INTO}) AS n`,
    );
    const first = await page("order=recent&q=needle");
    expect(first).toMatchObject({ sessions: [], nextCursor: expect.any(String) });
    expect(await keys(`order=recent&q=needle&cursor=${first.nextCursor}`)).toEqual(["cli"]);
  });

  test("a session is read from its end backwards", async () => {
    const messages = Array.from({ length: 7 }, (_, n) => ({ content: `Number ${n + 1}`, at: "2026-05-05T10:00:00Z" }));
    await say("long", messages);
    const read = async (query: string) => {
      const { body } = await app.call<Session>("GET", `/v1/agents/talks/sessions/long?limit=3&${query}`);
      return { ...body, numbers: body.messages.map(({ number }) => number) };
    };
    const last = await read("before=2147483647");
    expect(last).toMatchObject({ numbers: [5, 6, 7], previousBefore: 5 });
    expect(last).not.toHaveProperty("nextAfter");
    const middle = await read(`before=${last.previousBefore}`);
    expect(middle).toMatchObject({ numbers: [2, 3, 4], previousBefore: 2, nextAfter: 4 });
    const first = await read(`before=${middle.previousBefore}`);
    expect(first).toMatchObject({ numbers: [1], nextAfter: 1 });
    expect(first).not.toHaveProperty("previousBefore");
    expect(await read("")).not.toHaveProperty("previousBefore");
  });
});
