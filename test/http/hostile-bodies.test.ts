import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ROUTE_TABLE, type RouteCase } from "../support/route-table.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

const PIECE = 16_384;
const FILES = "/v1/agents/main/files";
const MESSAGES = "/v1/agents/main/sessions/slack:C1/messages";

/** Returns `text` repeated between a beginning and an end, as a client sends it. */
function repeated(begin: string, text: string, times: number, end: string): Uint8Array {
  return Buffer.from(`${begin}${text.repeat(times)}${end}`);
}

/** Returns a body that counts how many of its bytes were taken. */
function counted(bytes: Uint8Array) {
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(bytes.subarray(sent, sent + PIECE));
      sent += PIECE;
      if (sent >= bytes.length) controller.close();
    },
  });
  return { stream, sent: () => sent };
}

describe("a body that somebody made", () => {
  let app: TestApp;
  let writer: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "A note", "ours");
    await app.put("a.md", "A note");
    writer = await app.key(["agent:write"]);
  });
  afterAll(() => app.drop());

  const send = async (
    method: string,
    path: string,
    bytes: Uint8Array,
    { key = writer, type = "application/json", length = false } = {},
  ) => {
    const { stream, sent } = counted(bytes);
    const headers = {
      "content-type": type,
      authorization: `Bearer ${key}`,
      ...(length ? { "content-length": String(bytes.length) } : {}),
    };
    const init = { method, headers, body: stream, duplex: "half" } as RequestInit;
    const response = await app.runtime.app.request(path, init);
    const body = (await response.json()) as ErrorBody;
    return { status: response.status, code: body.error?.code, message: body.error?.message, sent: sent() };
  };

  const withBody = Object.entries(ROUTE_TABLE).filter(([route, { scope }]) => /^P/.test(route) && scope !== "any");
  const filled = (route: string, { params = {} }: RouteCase, agentId: string) => {
    const [method = "", path = ""] = route.split(" ");
    return [
      method,
      path.replace(/\{(\w+)\}/g, (_, name: string) => (name === "agentId" ? agentId : (params[name] ?? ""))),
    ] as const;
  };
  const LARGE = repeated('{"put":[', "0,", 100_000, "0]}");

  test.each(withBody)("%s: nothing is read of what a key may not send", async (route, entry) => {
    const key = await app.key([["search", "agent:read"].includes(entry.scope) ? "agent:write" : "search"]);
    const [method, path] = filled(route, entry, "ours");
    const { status, code, sent } = await send(method, path, LARGE, {
      key,
      type: entry.contentType ?? "application/json",
    });
    expect([status, code]).toEqual([403, "forbidden"]);
    expect(sent).toBeLessThanOrEqual(PIECE);
  });

  // A key of one agent cannot have the scope `tenant`.
  const ofAgents = withBody.filter(([, { ofAgent, scope }]) => ofAgent && scope !== "tenant");
  test.each(ofAgents)("%s: nothing is read for an agent that is not the key's", async (route, entry) => {
    const bound = await app.key(["agent:read", "agent:write"], { agentId: "main" });
    const [method, path] = filled(route, entry, "ours");
    const { status, code, sent } = await send(method, path, LARGE, { key: bound });
    expect([status, code]).toEqual([404, "agent_not_found"]);
    expect(sent).toBeLessThanOrEqual(PIECE);
  });

  test.each(["off", "none"])("little is read for an agent that is disabled, or is not there: %s", async (agent) => {
    if (agent === "off") {
      await app.put("a.md", "A note", "off");
      await app.call("PATCH", "/v1/agents/off", { disabled: true });
    }
    const [said, unsaid] = [
      await send("POST", `/v1/agents/${agent}/files`, LARGE, { length: true }),
      await send("POST", `/v1/agents/${agent}/sessions/slack:C1/messages`, LARGE),
    ];
    const code = agent === "off" ? "agent_disabled" : "agent_not_found";
    expect([said.code, unsaid.code]).toEqual([code, code]);
    expect([said.sent <= PIECE, unsaid.sent <= 6 * PIECE]).toEqual([true, true]);
  });

  const keys = Array.from({ length: 600_000 }, (_, at) => `"k${at}":0`).join(",");
  const hostile: Record<string, [string, Uint8Array]> = {
    "millions of numbers": [FILES, repeated('{"put":[', "0,", 3_900_000, "0]}")],
    "hundreds of thousands of keys": [FILES, Buffer.from(`{"put":{${keys}}}`)],
    "hundreds of thousands of keys in a message": [
      MESSAGES,
      Buffer.from(`{"messages":[{"role":"user","text":"x","output":{${keys}}}]}`),
    ],
    "millions of empty messages": [MESSAGES, repeated('{"messages":[', "{},", 2_600_000, "{}]}")],
    "millions of empty arrays": [MESSAGES, repeated('{"messages":[', "[],", 2_600_000, "[]]}")],
    "a settings object of many keys": ["/v1/tenant", Buffer.from(`{"settings":{${keys.slice(0, 200_000)}}}`)],
  };
  test.each(Object.entries(hostile))("%s are refused while they arrive", async (_, [path, bytes]) => {
    const key = await app.key(["tenant"]);
    for (const length of [true, false]) {
      const answer = await send(path === "/v1/tenant" ? "PATCH" : "POST", path, bytes, { key, length });
      expect([answer.status, answer.code]).toEqual([413, "payload_too_large"]);
      expect(answer.message).toMatch(/values/);
      expect(answer.sent).toBeLessThan(bytes.length / 2);
    }
  });

  test("what is nested too deep is refused while it arrives", async () => {
    const answer = await send("POST", FILES, repeated('{"put":', "[", 7_000_000, ""));
    expect([answer.status, answer.code]).toEqual([400, "invalid_request"]);
    expect(answer.sent).toBeLessThanOrEqual(2 * PIECE);
  });

  test("what is too long is refused without its beginning being read, or when it gets too long", async () => {
    const bytes = repeated('{"content":"', "x", 9_000_000, '"}');
    const [said, unsaid] = [
      await send("PUT", `${FILES}/b.md`, bytes, { length: true }),
      await send("PUT", `${FILES}/b.md`, bytes),
    ];
    expect([said.status, unsaid.status]).toEqual([413, 413]);
    expect(said.sent).toBeLessThanOrEqual(PIECE);
  });

  test("the largest that a route takes are taken, and none of them is parsed on the event loop", async () => {
    const parsed = vi.spyOn(JSON, "parse");
    const text = "A line of a note with some words.\n".repeat(2000);
    const put = Array.from({ length: 100 }, (_, at) => ({
      path: `n/${at}.md`,
      content: text,
      mtime: "2026-05-18T12:00:00Z",
    }));
    const batch = await send("POST", FILES, Buffer.from(JSON.stringify({ put, origin: "notes", takeOver: true })));
    const parts = (n: number) => Array.from({ length: 30 }, (_, at) => ({ type: "text", text: `Part ${at} of ${n}.` }));
    const messages = Array.from({ length: 500 }, (_, n) => ({
      id: `m${n}`,
      role: "user",
      name: "Mina",
      content: parts(n),
    }));
    const turn = await send("POST", MESSAGES, Buffer.from(JSON.stringify({ messages })));
    const longest = Math.max(...parsed.mock.calls.map(([given]) => String(given).length));
    parsed.mockRestore();
    expect([batch.status, turn.status]).toEqual([200, 200]);
    expect(longest).toBeLessThan(100_000);
  });
});
