import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Appended {
  appended: number;
  duplicates: number;
  skipped: number;
  lastMessage: number;
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

const append = async (session: string, messages: readonly object[], more: object = {}) =>
  app.call<Appended>("POST", `/v1/agents/main/sessions/${session}/messages`, { messages, ...more });
const textsOf = async (session: string) => {
  const { body } = await app.call<{ messages: { role: string; text: string; at: string }[] }>(
    ...(["GET", `/v1/agents/main/sessions/${session}`] as const),
  );
  return body.messages.map(({ text }) => text);
};
const user = (content: unknown, more: object = {}) => ({ role: "user", content, ...more });
const assistant = (content: unknown, more: object = {}) => ({ role: "assistant", content, ...more });

describe("messages as careless hosts send them", () => {
  test("a message without a text is skipped and counted, and the others are stored", async () => {
    const empty = [
      assistant(""),
      assistant(null),
      assistant([]),
      assistant(" \n"),
      assistant([{ type: "text", text: "" }]),
    ];
    const { status, body } = await append("empty", [user("one"), ...empty, { role: "assistant" }, user("two")]);
    expect([status, body]).toMatchObject([200, { appended: 2, skipped: 6, lastMessage: 2 }]);
    expect(await textsOf("empty")).toEqual(["one", "two"]);
    expect(await append("only-empty", [user("")])).toMatchObject({ status: 200, body: { appended: 0, skipped: 1 } });
    expect(await append("empty", [user("")])).toMatchObject({
      status: 200,
      body: { appended: 0, skipped: 1, lastMessage: 2 },
    });
  });

  test("roles in any letter case, and times as numbers", async () => {
    const at = [1_779_150_000, 1_779_150_000_000, "1779150000", "2026-05-19T00:20:00Z", 1_779_150_000_000_000];
    const messages = at.map((time, index) => ({
      role: ["User", "ASSISTANT", " user "][index % 3],
      content: `m${index}`,
      at: time,
    }));
    expect(await append("times", messages)).toMatchObject({ status: 200, body: { appended: 5 } });
    const { body } = await app.call<{ messages: { role: string; at: string }[] }>(
      "GET",
      "/v1/agents/main/sessions/times",
    );
    expect(body.messages.map(({ role, at: time }) => [role, time])).toEqual(
      ["user", "assistant", "user", "user", "assistant"].map((role) => [role, "2026-05-19T00:20:00.000Z"]),
    );
    const days = ["2026-02-30", "2026-02-31T08:00:00Z", "2026-06-31T08:00"].map((at) => user("x", { at }));
    for (const wrong of [user("x", { at: "soon" }), ...days, { role: "narrator", content: "x" }])
      expect(await append("times", [wrong])).toMatchObject({ status: 400 });
  });
});

describe("a conversation that is sent again from its start, without ids", () => {
  const [u1, a1, u2, a2] = [user("I live in Graz."), assistant("Noted."), user("And in Linz?"), assistant("No.")];

  test("only the new messages are stored", async () => {
    expect((await append("turns", [u1, a1])).body).toMatchObject({ appended: 2 });
    expect((await append("turns", [u1, a1, u2, a2])).body).toMatchObject({
      appended: 2,
      duplicates: 2,
      lastMessage: 4,
    });
    expect((await append("turns", [u1, a1, assistant(""), u2, a2])).body).toMatchObject({ appended: 0, duplicates: 4 });
    expect(await textsOf("turns")).toEqual(["I live in Graz.", "Noted.", "And in Linz?", "No."]);
    // In another role, or by another speaker, a text is another message.
    expect((await append("turns", [user("I live in Graz.", { name: "Per" }), a1, u2, a2, u1])).body).toMatchObject({
      appended: 5,
    });
  });

  test("new turns alone, and words that are said twice, are stored", async () => {
    await append("alone", [u1, a1]);
    expect((await append("alone", [u2, a2])).body).toMatchObject({ appended: 2, duplicates: 0 });
    await append("twice", [user("yes")]);
    expect((await append("twice", [user("yes")])).body).toMatchObject({ appended: 1, lastMessage: 2 });
    await append("later", [user("Good morning", { at: "2026-05-18T08:00:00Z" })]);
    const next = [user("Good morning", { at: "2026-05-19T08:00:00Z" }), assistant("Good morning!")];
    expect((await append("later", next)).body).toMatchObject({ appended: 2, duplicates: 0 });
  });
});
