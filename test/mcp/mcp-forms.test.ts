import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Logger } from "../../src/base/logger.ts";
import { createMcpEndpoint } from "../../src/mcp/mcp-endpoint.ts";
import type { MemoryAccess } from "../../src/service/tools/memory-access.ts";
import { answerOf, connectClient, ERAS } from "../support/mcp-client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  },
};

let app: TestApp;
const post = (body: object, headers: Record<string, string> = {}, agent = "main") =>
  app.runtime.app.request(`/v1/agents/${agent}/mcp`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
const call = (name: string, args: object) => ({ ...LIST, method: "tools/call", params: { name, arguments: args } });

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  await app.put("notes/kettle.md", "The kettle is red.\n");
});
afterAll(() => app.drop());

describe("the form of an answer is one that the client takes", () => {
  test.each([
    [undefined, "application/json"],
    ["application/json", "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["text/event-stream;q=0.9", "text/event-stream"],
    ["text/html, */*;q=0.8", "application/json"],
  ])("Accept: %s", async (accept, type) => {
    const modern = { ...LIST, params: MODERN };
    const modernHeaders = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    for (const [body, headers] of [
      [LIST, {}],
      [modern, modernHeaders],
    ] as const) {
      const response = await post(body, { ...headers, ...(accept === undefined ? {} : { accept }) });
      expect([response.status, response.headers.get("content-type")]).toEqual([200, expect.stringContaining(type)]);
      const text = await response.text();
      const json = type === "application/json" ? text : text.replace(/^event: message\ndata: /, "");
      expect(JSON.parse(json)).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
    }
  });

  test.each([
    [
      "arguments as JSON in a text",
      { ...call("memory_search", {}), params: { name: "memory_search", arguments: '{"query":"kettle"}' } },
    ],
    ["a tool in other letters", call("Memory_Search", { query: "kettle" })],
    ["a tool with the server's name before it", call("mcp__recollect__memory_search", { query: "kettle" })],
    ["the question under another name", call("recollect.memory_search", { q: "kettle" })],
    [
      "no version of JSON-RPC",
      { id: 1, method: "tools/call", params: { name: "memory_search", arguments: { query: "kettle" } } },
    ],
  ])("a call with %s is carried out", async (_, body) => {
    const answer = JSON.stringify(await (await post(body)).json());
    expect(answer).toContain("The kettle is red.");
  });

  test.each([
    ["an empty list of parameters", { ...LIST, params: [] }],
    [
      "capabilities that are null",
      { ...LIST, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: null } },
    ],
    [
      "a client without a version",
      { ...LIST, method: "initialize", params: { protocolVersion: "2025-06-18", clientInfo: { name: "x" } } },
    ],
  ])("a message with %s is answered", async (_, body) => {
    expect(await (await post(body)).json()).toMatchObject({ result: expect.any(Object) });
  });

  test.each(["search", "xmemory_search", "memory_search_all", "memory_search/../memory_search", "MEMORY", "__proto__"])(
    "a name that no tool has is refused: %s",
    async (name) => {
      expect(await (await post(call(name, { query: "kettle" }))).json()).toMatchObject({ error: { code: -32602 } });
    },
  );

  test("null for the parameters of a message", async () => {
    const response = await post({ ...LIST, params: null });
    expect(await response.json()).toMatchObject({ result: { tools: expect.any(Array) } });
    const search = { name: "memory_search", arguments: { query: "kettle" }, _meta: null };
    expect((await post({ ...LIST, method: "tools/call", params: search })).status).toBe(200);
    const nothing = await post({ ...LIST, method: "tools/call", params: { ...search, arguments: null } });
    expect(JSON.stringify(await nothing.json())).toContain("query");
  });

  test("an empty bearer header on a keyless server is no key; with a key it stays an error", async () => {
    for (const authorization of ["Bearer ", "Bearer", "bearer  ", ""])
      expect((await post(LIST, { authorization })).status).toBe(200);
    for (const authorization of ["Bearer x", "Basic x", "Bearer rcl_x y"])
      expect((await post(LIST, { authorization })).status).toBe(401);
    expect((await post(LIST, { authorization: "Bearer ", "x-forwarded-for": "10.0.0.1" })).status).toBe(401);
  });
});

describe.each(ERAS)("an agent that nobody has written to, %j", (era) => {
  const agent = `new-${typeof era === "string" ? "old" : "modern"}`;

  test("reads as empty, and its first write creates it", async () => {
    const client = await connectClient(app, { agent, era });
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    expect((await client.listResources()).resources).toEqual([]);
    const ask = async (name: string, args: Record<string, unknown>) =>
      answerOf(await client.callTool({ name, arguments: args }));
    expect(await ask("memory_search", { query: "kettle" })).toMatchObject({ results: [] });
    expect(await ask("memory_get", { path: "a.md" })).toMatchObject({ status: "not_found" });
    expect(await ask("memory_recall", { query: "kettle" })).toMatchObject({ facts: [] });
    expect(await ask("memory_forget", { ids: ["7"] })).toMatchObject({
      forgotten: [],
      note: expect.stringContaining("7"),
    });
    expect(await app.call("GET", `/v1/agents/${agent}`)).toMatchObject({ status: 404 });
    expect(await ask("memory_store", { text: "The kettle is blue." })).toMatchObject({ facts: [{ status: "stored" }] });
    expect(await app.call("GET", `/v1/agents/${agent}`)).toMatchObject({ status: 200 });
    await client.close();
  });

  test("the routes that hosts read", async () => {
    const at = `/v1/agents/other-${agent}`;
    for (const [method, path, body] of [
      ["POST", "search", { query: "kettle" }],
      ["POST", "recall", { message: "kettle" }],
      ["POST", "facts/search", { query: "kettle" }],
      ["GET", "facts"],
      ["GET", "files"],
      ["GET", "sessions"],
      ["GET", "tools"],
    ] as const)
      expect([path, (await app.call(method, `${at}/${path}`, body)).status]).toEqual([path, 200]);
    expect(await app.call("GET", at)).toMatchObject({ status: 404 });
  });
});

test("no key creates an agent that may not, and no more agents than the tenant may have", async () => {
  const writer = await app.key(["agent:read", "agent:write"]);
  const stored = await post(call("memory_store", { text: "Hello" }), { authorization: `Bearer ${writer}` }, "not-mine");
  expect(JSON.stringify(await stored.json())).toContain("agent_not_found");
  const create = { command: "create", path: "/memories/a.md", file_text: "x" };
  expect(await app.call("POST", "/v1/agents/not-mine/tools/memory", create, writer)).toMatchObject({ status: 404 });
  expect(await app.call("GET", "/v1/agents/not-mine")).toMatchObject({ status: 404 });
  const bound = await app.key(["agent:read", "agent:write"], { agentId: "main" });
  expect((await post(LIST, { authorization: `Bearer ${bound}` }, "not-mine")).status).toBe(404);
  const tenantId = await app.tenant("small");
  const key = await app.key(["tenant"], { tenantId });
  await app.call("PATCH", "/v1/tenant", { limits: { agents: 1 } }, undefined, { "recollect-tenant": tenantId });
  await app.call("PUT", "/v1/agents/first/files/a.md", { content: "x" }, key);
  const second = await post(call("memory_store", { text: "Hello" }), { authorization: `Bearer ${key}` }, "second");
  expect(JSON.stringify(await second.json())).toContain("quota_exceeded");
});

test("with the setting citations: on, a model reads where a passage is from", async () => {
  await app.call("PUT", "/v1/agents/cited/files/a.md", { content: "The samovar is brass.\n" });
  const ask = async () => {
    const response = await post(call("memory_search", { query: "samovar" }), {}, "cited");
    const { result } = (await response.json()) as { result: { content: [{ text: string }] } };
    return JSON.parse(result.content[0].text) as { results: { citation?: string; snippet: string }[] };
  };
  expect((await ask()).results[0]).not.toHaveProperty("citation");
  await app.call("PATCH", "/v1/agents/cited", { settings: { citations: "on" } });
  expect((await ask()).results[0]).toMatchObject({
    citation: "a.md#L1",
    snippet: "The samovar is brass.\n\nSource: a.md#L1",
  });
});

describe("subscriptions/listen", () => {
  const subscription = (notifications: object) => ({
    jsonrpc: "2.0",
    id: "s1",
    method: "subscriptions/listen",
    params: { ...MODERN, notifications },
  });
  const HEADERS = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
  const listen = (notifications: object, headers: Record<string, string> = {}, agent = "main") =>
    post(subscription(notifications), { ...headers, ...HEADERS }, agent);
  const messagesOf = async function* (response: Response) {
    let rest = "";
    for await (const part of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      rest += part;
      const events = rest.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = /^data: (.*)$/m.exec(event)?.[1];
        if (data)
          yield JSON.parse(data) as { method?: string; id?: string; params: { uri?: string; notifications?: object } };
      }
    }
  };

  test("acknowledges, and tells of files that change", async () => {
    const uri = "recollect://agents/main/files/notes/new.md";
    const response = await listen({ resourcesListChanged: true, resourceSubscriptions: [uri], toolsListChanged: true });
    const messages = messagesOf(response);
    const first = (await messages.next()).value;
    expect(first).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { resourcesListChanged: true, resourceSubscriptions: [uri] } },
    });
    await app.put("notes/new.md", "New");
    const heard = [(await messages.next()).value, (await messages.next()).value];
    expect(heard).toMatchObject([
      { method: "notifications/resources/updated", params: { uri } },
      { method: "notifications/resources/list_changed" },
    ]);
    await messages.return(undefined);
  });

  test("of an agent that does not exist yet stays open, and tells of the write that creates it", async () => {
    const uri = "recollect://agents/unborn/files/first.md";
    const messages = messagesOf(await listen({ resourceSubscriptions: [uri] }, {}, "unborn"));
    expect((await messages.next()).value).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await app.put("first.md", "The first file.", "unborn");
    expect((await messages.next()).value).toMatchObject({ method: "notifications/resources/updated", params: { uri } });
    await messages.return(undefined);
  });

  test("takes no more changes from the feed than the client reads", async () => {
    let taken = 0;
    async function* changes(signal: AbortSignal) {
      // Enough to fill the memory, if they were kept.
      for (; taken < 100_000 && !signal.aborted; taken++) yield [{ kind: "file.created", path: `${taken}.md` }];
    }
    const endpoint = createMcpEndpoint({ version: "1", logger: { debug: () => undefined } as unknown as Logger });
    const body = subscription({ resourcesListChanged: true });
    const request = new Request("http://localhost/v1/agents/main/mcp", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", accept: "text/event-stream", ...HEADERS },
    });
    const memory: MemoryAccess = {
      agentId: "main",
      offered: async () => ({ tools: [], prompt: "" }) as never,
      call: async () => ({}) as never,
      files: async () => ({ files: [] }),
      file: async () => ({}) as never,
      changes,
    };
    const explain = () => ({ code: "internal", text: "It failed." }) as const;
    const messages = messagesOf(await endpoint.answer({ request, body, memory, explain }));
    for (let read = 0; read < 50; read++) await messages.next();
    expect(taken).toBeGreaterThan(40);
    expect(taken).toBeLessThan(60);
    await messages.return(undefined);
    await endpoint.close();
    expect(taken).toBeLessThan(60);
  });

  test("a key that may only search gets an acknowledgement without changes, and the end", async () => {
    const key = await app.key(["search"]);
    const response = await listen({ resourcesListChanged: true }, { authorization: `Bearer ${key}` });
    const all: object[] = [];
    for await (const message of messagesOf(response)) all.push(message);
    expect(all).toMatchObject([{ params: { notifications: {} } }, { id: "s1" }]);
  });
});
