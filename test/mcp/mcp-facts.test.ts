import type { CallToolResult } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, connectClient, ERAS } from "../support/mcp-client.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Stored {
  facts: { id: string; status: string }[];
}

describe("facts over MCP", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "A note");
  });
  afterAll(() => app.drop());

  test.each(ERAS)("what is stored is recalled, and forgotten by its id, %j", async (era) => {
    const client = await connectClient(app, { era, key: await app.key(["search", "agent:write"]) });
    const { tools } = await client.listTools();
    const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
    expect(hints.memory_store).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
    expect(hints.memory_recall).toMatchObject({ readOnlyHint: true });
    expect(hints.memory_forget).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(client.getInstructions()).toContain("memory_store");
    const text = `The zebra of ${JSON.stringify(era)} is called Alma`;
    const store = await client.callTool({ name: "memory_store", arguments: { text, category: "entity" } });
    const [{ id = "" } = {}] = (answerOf(store) as unknown as Stored).facts;
    const again = await client.callTool({ name: "memory_store", arguments: { text, category: "entity" } });
    expect(answerOf(again)).toMatchObject({ facts: [{ id, status: "duplicate" }] });
    const recalled = await client.callTool({ name: "memory_recall", arguments: { query: "zebra called" } });
    expect(answerOf(recalled)).toMatchObject({ facts: [{ id, text }] });
    const found = await client.callTool({ name: "memory_forget", arguments: { query: "zebra" } });
    expect(answerOf(found)).toMatchObject({ facts: [{ id }], forgotten: [] });
    // A model may send its query again beside the ids that it has chosen.
    const gone = await client.callTool({ name: "memory_forget", arguments: { ids: [id], query: "zebra" } });
    expect(answerOf(gone)).toEqual({ facts: [], forgotten: [id] });
    for (const args of [{}, { ids: [{ id }] }])
      expect(await client.callTool({ name: "memory_forget", arguments: args })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/\(invalid_request\)$/) }],
      });
    await client.close();
  });

  test("a fact is for the user whom the address names, unless the model names somebody", async () => {
    const store = async (text: string, scope?: object) => {
      const params = { name: "memory_store", arguments: { text, ...(scope ? { scope } : {}) } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { status } = await app.call("POST", "/v1/agents/one/mcp?user=owner", message);
      expect(status).toBe(200);
    };
    await store("The van is parked in the Kaigate garage");
    await store("Petra has the spare key", { user: "petra" });
    await store("The office is closed on Fridays", {});
    const { body } = await app.call<{ facts: { scope: object }[] }>("GET", "/v1/agents/one/facts");
    expect(body.facts.map(({ scope }) => scope)).toEqual([{}, { user: "petra" }, { user: "owner" }]);
  });

  test("a call for one user forgets no fact of another user", async () => {
    const of = (user: string) => ({ text: `${user} likes aisle seats`, scope: { user } });
    const { body } = await app.call<Stored>("POST", "/v1/agents/two/facts", {
      facts: [of("ann"), of("bob"), { text: "The office is closed on Fridays" }],
    });
    const [ann = "", bob = "", all = ""] = body.facts.map(({ id }) => id);
    const forget = async (args: object, query = "") => {
      const params = { name: "memory_forget", arguments: args };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const answer = await app.call<{ result: CallToolResult }>("POST", `/v1/agents/two/mcp${query}`, message);
      return answerOf(answer.body.result);
    };
    const note = `No fact that this scope may see has the id "facts/${ann}#L1"; a recall or a list shows the ids of facts.`;
    const ids = [`facts/${ann}#L1`];
    expect(await forget({ ids, scope: { user: "bob" } })).toEqual({ facts: [], forgotten: [], note });
    expect(await forget({ ids }, "?user=bob")).toEqual({ facts: [], forgotten: [], note });
    expect(await forget({ ids: [ann, bob, all] }, "?user=bob")).toMatchObject({ forgotten: [bob, all] });
    expect((await app.call<Stored>("GET", "/v1/agents/two/facts")).body.facts).toMatchObject([{ id: ann }]);
    expect(await forget({ ids: [ann] })).toMatchObject({ forgotten: [ann] });
  });

  test("a hit that is a fact says whose it is", async () => {
    await app.call("POST", "/v1/agents/whose/facts", { facts: [{ text: "Likes sour figs", scope: { user: "ana" } }] });
    const search = async (more: object) => {
      const params = { name: "memory_search", arguments: { query: "sour figs", ...more } };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { body } = await app.call<{ result: CallToolResult }>("POST", "/v1/agents/whose/mcp", message);
      return answerOf(body.result) as unknown as { results: object[] };
    };
    expect((await search({})).results).toMatchObject([{ user: "ana", category: "fact" }]);
    expect((await search({ scope: { user: "ana" } })).results[0]).not.toHaveProperty("user");
  });

  test("a correction has the scope of the corrected fact, unless it is another user's or the model names one", async () => {
    const call = async (args: object, query = "?user=owner") => {
      const params = { name: "memory_store", arguments: args };
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { body } = await app.call<{ result: CallToolResult }>("POST", `/v1/agents/two/mcp${query}`, message);
      return body.result;
    };
    const stored = async (args: object, query?: string) =>
      answerOf(await call(args, query)) as unknown as Stored & { note?: string };
    const idOf = ({ facts }: Stored) => facts[0]?.id ?? "";
    const shared = idOf(await stored({ text: "The gate code is 1122", scope: {} }));
    const petras = idOf(await stored({ text: "Petra takes the early train", scope: { user: "petra" } }));
    const next = await stored({ text: "The gate code is 3344", replaces: [shared] });
    expect(next.note).toBe("Stored for everybody, as the fact that it replaces.");
    const later = await stored({ text: "Petra takes the late train", replaces: `facts/${petras}`, scope: null }, "");
    expect(later.note).toBe('Stored for the scope {"user":"petra"}, as the fact that it replaces.');
    const { body } = await app.call<{ facts: { text: string; scope: object }[] }>("GET", "/v1/agents/two/facts");
    expect(body.facts).toMatchObject([
      { text: "Petra takes the late train", scope: { user: "petra" } },
      { text: "The gate code is 3344", scope: {} },
    ]);
    expect(await call({ text: "My PIN is 4711", replaces: [idOf(later)] })).toMatchObject({ isError: true });
    const named = { text: "The gate code is 5566", replaces: [idOf(next)], scope: { user: "owner" } };
    expect(await call(named)).toMatchObject({ isError: true });
  });

  test("a key that may not write is offered none of it, and refused when it tries", async () => {
    const client = await connectClient(app, { key: await app.key(["search"]) });
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toEqual(["memory_search", "memory_get", "memory_recall"]);
    expect(client.getInstructions()).not.toContain("call memory_store");
    for (const [name, args] of [
      ["memory_store", { text: "x" }],
      ["memory_forget", { ids: ["1"] }],
    ] as const)
      expect(await client.callTool({ name, arguments: args })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/'agent:write'.*\(forbidden\)$/) }],
      });
    await client.close();
  });
});
