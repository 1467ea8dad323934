import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, connectClient, ERAS } from "../support/mcp-client.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const ACCEPT = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe("who may use MCP, and how", () => {
  let app: TestApp;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.runtime.app.request(path, { method: "POST", body: JSON.stringify(body), headers: { ...ACCEPT, ...headers } });
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "Zebra");
    await app.put("b.md", "Okapi", "other");
  });
  afterAll(() => app.drop());

  test("who may not use the agent does not even connect", async () => {
    const writer = await app.key(["agent:write"]);
    await expect(connectClient(app, { key: "rcl_nonsense" })).rejects.toThrow("unauthenticated");
    await expect(connectClient(app, { key: writer })).rejects.toThrow("forbidden");
    const bound = await app.key(["search"], { agentId: "main" });
    await expect(connectClient(app, { agent: "nobody", key: bound })).rejects.toThrow("agent_not_found");
    await expect(connectClient(app, { key: writer, era: ERAS[1] })).rejects.toThrow();
  });

  test("another's agent, one that is not there and a hostile name are refused before the protocol is spoken", async () => {
    const authorization = `Bearer ${await app.key(["search"], { agentId: "main" })}`;
    const ask = async (agent: string) => {
      const response = await post(`/v1/agents/${agent}/mcp`, LIST, { authorization });
      return [agent, response.status, ((await response.json()) as ErrorBody).error.code];
    };
    for (const agent of ["other", "nobody", "UPPER", "..%2f..%2fother", "main'--", "x".repeat(100)])
      expect(await ask(agent)).toEqual([agent, 404, "agent_not_found"]);
    const local = (agent: string) => post(`/v1/agents/${agent}/mcp`, LIST);
    for (const agent of ["UPPER", "..%2f..%2fother", "main'--", "x".repeat(100), "a%00b", "%E0%A4%A"])
      expect([agent, (await local(agent)).status]).toEqual([agent, 400]);
  });

  test("a key that may search only has the searching tools, and no files to list", async () => {
    const client = await connectClient(app, { key: await app.key(["search"]) });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.annotations?.readOnlyHint)).toEqual(tools.map(() => true));
    expect(tools.map((tool) => tool.name)).toContain("memory_search");
    const found = await client.callTool({ name: "memory_search", arguments: { query: "zebra" } });
    expect(answerOf(found)).toMatchObject({ results: [{ path: "a.md" }] });
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.readResource({ uri: "recollect://agents/main/files/a.md" })).rejects.toThrow(
      /agent:read.*\(forbidden\)/,
    );
    await client.close();
  });

  test("a key that is revoked ends with its last request", async () => {
    const { body } = await app.call<{ key: string; id: string }>("POST", "/v1/keys", { name: "n", scopes: ["search"] });
    const client = await connectClient(app, { key: body.key });
    await client.listTools();
    await app.call("DELETE", `/v1/keys/${body.id}`);
    await expect(client.listTools()).rejects.toThrow();
    await client.close();
  });

  test("an agent whose memory is switched off offers nothing, and says so when asked all the same", async () => {
    await app.call("POST", "/v1/agents", { id: "quiet", settings: { enabled: false } });
    const client = await connectClient(app, { agent: "quiet" });
    expect([(await client.listTools()).tools, (await client.listPrompts()).prompts]).toEqual([[], []]);
    expect(client.getInstructions()).toContain("switched off");
    const found = await client.callTool({ name: "memory_search", arguments: { query: "x" } });
    expect(answerOf(found)).toMatchObject({ disabled: true, results: [], action: expect.any(String) });
    await app.call("PATCH", "/v1/agents/quiet", { settings: { enabled: true } });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });

  test("a page that points its name at this machine, or another page, gets nowhere without a key", async () => {
    expect((await post("/v1/agents/main/mcp", LIST)).status).toBe(200);
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[])
      expect([headers, (await post("/v1/agents/main/mcp", LIST, headers)).status]).toEqual([headers, 401]);
    expect((await post("http://evil.example/v1/agents/main/mcp", LIST)).status).toBe(401);
  });

  test("streams and sessions are not there; batches, other types and large bodies are refused", async () => {
    for (const method of ["GET", "DELETE"])
      expect((await app.runtime.app.request("/v1/agents/main/mcp", { method, headers: ACCEPT })).status).toBe(405);
    expect((await post("/v1/agents/main/mcp", [LIST, { ...LIST, id: 2 }])).status).toBe(400);
    expect((await post("/v1/agents/main/mcp", LIST, { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("/v1/agents/main/mcp", { ...LIST, params: { cursor: "x".repeat(300_000) } })).status).toBe(413);
    for (const body of [
      {},
      { jsonrpc: "1.0", id: 1, method: "tools/list" },
      { jsonrpc: "2.0", method: 5 },
      { jsonrpc: "2.0", result: {} },
    ]) {
      const { status } = await post("/v1/agents/main/mcp", body);
      expect([body, status >= 400 && status < 500]).toEqual([body, true]);
    }
    expect((await post("/v1/agents/main/mcp", { jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(
      202,
    );
  });

  test("each message counts against the key's limit", async () => {
    const key = await app.key(["search"], { requestsPerMinute: 3 });
    const headers = { authorization: `Bearer ${key}` };
    const answers = [];
    for (let asked = 0; asked < 4; asked++) answers.push((await post("/v1/agents/main/mcp", LIST, headers)).status);
    expect(answers).toEqual([200, 200, 200, 429]);
  });

  test("a stream of changes that a client asks nothing of is not held open", async () => {
    const client = await connectClient(app, { era: ERAS[1] });
    await client.request({ method: "subscriptions/listen", params: { notifications: {} } } as never);
    await client.close();
  });
});
