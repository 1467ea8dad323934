import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

type Reply = Record<string, unknown> & {
  results: { path: string }[];
  facts: { id: string; text: string; status?: string }[];
  forgotten: string[];
  note?: string;
  warning?: string;
};

const DAYS = ["2026-01-10", "2026-02-10", "2026-03-10"];

let app: TestApp;
/** Calls a tool over MCP, as a client without any SDK does, and returns its answer or its error. */
const call = async (name: string, args: unknown, agent = "main"): Promise<Reply> => {
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  const { body } = await app.call<{ result: { content: [{ text: string }]; isError?: true } }>(
    ...(["POST", `/v1/agents/${agent}/mcp`, message, undefined, { accept: "application/json" }] as const),
  );
  const { text } = body.result.content[0];
  return body.result.isError ? ({ error: text } as unknown as Reply) : (JSON.parse(text) as Reply);
};
const pathsOf = ({ results }: Reply) => results.map(({ path }) => path).sort();
const stored = async (text: string, more: Record<string, unknown> = {}) =>
  (await call("memory_store", { text, ...more }, "facts")).facts[0]?.id ?? "";

beforeAll(async () => {
  app = await startTestApp({ worker: false });
  for (const day of DAYS) await app.put(`memory/${day}.md`, `# Kitchen\n\nDescaled the kettle on ${day}.\n\nDone.\n`);
  await app.put("notes/none.md", "None", "facts");
  await app.put("notes/kettle.md", "The kettle is a gift of Ana.\n\nIt is red.\n\nIt whistles.\n");
});
afterAll(() => app.drop());

test("a day as asOf ends in the agent's time zone, unless the call names another", async () => {
  await app.call("POST", "/v1/agents", { id: "zoned", settings: { timezone: "America/New_York" } });
  const asOf = "2026-02-01";
  expect((await call("memory_search", { query: "kettle", asOf }, "zoned")).note).toContain("2026-02-02T04:59:59.999Z");
  const named = { query: "kettle", asOf, timezone: "UTC" };
  expect((await call("memory_search", named, "zoned")).note).toContain("2026-02-01T23:59:59.999Z");
});

test("a time without an offset keeps its fraction of a second, as Python writes it", async () => {
  for (const [text, ms] of [
    ["The lamp is red", 200],
    ["The lamp is blue", 600],
  ])
    await app.call("POST", "/v1/agents/lamps/facts", {
      facts: [{ text, key: "lamp", validFrom: `2026-05-01T10:00:00.${ms}Z` }],
    });
  for (const [fraction, color] of [
    ["700", "blue"],
    ["700123", "blue"],
    ["300", "red"],
    ["300999", "red"],
  ]) {
    const asOf = `2026-05-01T10:00:00.${fraction}`;
    const { results } = await app.search("lamp", { asOf, timezone: "UTC" }, "lamps");
    expect(results.map(({ snippet }) => snippet.split("\n")[0])).toEqual([`The lamp is ${color}`]);
  }
});

describe("an argument that counts as left out", () => {
  const nothing = (value: unknown) => ({
    maxResults: value,
    minScore: value,
    corpus: value,
    after: value,
    before: value,
    paths: value,
    scope: value,
    includeText: value,
    asOf: value,
    timezone: value,
  });

  test.each([null, "", " "])("%j, in every optional argument of a search", async (value) => {
    expect(pathsOf(await call("memory_search", { query: "kettle", ...nothing(value) }))).toHaveLength(4);
  });

  test("null in the other tools", async () => {
    const lines = { path: "notes/kettle.md", from: null, fromChar: null, lines: null, asOf: null, scope: null };
    expect(await call("memory_get", lines)).toMatchObject({ from: 1, lines: 5 });
    const none = { subject: null, key: null, category: null, importance: null, scope: null, tags: null };
    expect(await stored("Ana likes tea.", { ...none, expiresAt: null, replaces: null })).toMatch(/^\d+$/);
    const recall = { query: "tea", maxResults: null, asOf: null, scope: { user: null }, categories: null, tags: null };
    expect(await call("memory_recall", { ...recall, subject: null, timezone: null }, "facts")).toMatchObject({
      facts: [{ text: "Ana likes tea." }],
    });
    expect(
      await call("memory_forget", { query: "tea", ids: null, maxResults: null, scope: null }, "facts"),
    ).toMatchObject({
      facts: [{ text: "Ana likes tea." }],
      forgotten: [],
    });
  });

  test.each([
    [
      "POST",
      "search",
      { query: "kettle", maxResults: null, corpus: null, scope: null, sessionKey: null, explain: null },
    ],
    [
      "POST",
      "recall",
      { message: "kettle", scope: null, maxFacts: null, maxChars: null, subject: null, timezone: null },
    ],
    ["POST", "facts/search", { query: "kettle", maxResults: null, tags: null, scope: { user: null }, explain: null }],
    ["POST", "facts", { facts: [{ text: "The kettle is red.", key: null, scope: null, source: null, tags: null }] }],
    [
      "POST",
      "sessions/chat/messages",
      {
        messages: [{ role: "user", content: "Hi", id: null, name: null, at: null, tool_calls: null }],
        end: null,
        scope: null,
      },
    ],
  ])("null on the routes for programs: %s %s", async (method, path, body) => {
    expect(await app.call(method, `/v1/agents/facts/${path}`, body)).toMatchObject({ status: 200 });
  });

  test("a PATCH does not ignore a null", async () => {
    expect(await app.call("PATCH", "/v1/agents/main", { name: null })).toMatchObject({ status: 400 });
  });

  test("a required argument cannot be left out", async () => {
    expect(await call("memory_search", { query: null })).toMatchObject({ error: expect.stringContaining("query") });
    expect(await call("memory_get", { path: "" })).toMatchObject({ error: expect.stringContaining("path") });
  });
});

describe("an argument in another form is read as it was meant", () => {
  test.each([
    [{ maxResults: "2" }, 2],
    [{ maxResults: " 2 " }, 2],
    [{ maxResults: "2.0" }, 2],
    [{ max_results: 2 }, 2],
    [{ MaxResults: [2] }, 2],
    [{ maxResults: 0 }, 4],
    [{ maxResults: "-1" }, 4],
    [{ minScore: "0.0" }, 4],
    [{ paths: "notes/*" }, 1],
    [{ paths: '["notes/*"]' }, 1],
    [{ paths: ["notes/*", "", null] }, 1],
    [{ paths: [] }, 4],
    [{ paths: "/notes/" }, 1],
    [{ paths: ["./notes/kettle.md#L1-L3"] }, 1],
    [{ after: "2026-03-01T00:00:00Z" }, 2],
    [{ after: "2026/3/1", before: "2026-03-31 12:00" }, 1],
    [{ after: "2026-02", before: "2026-03" }, 1],
    [{ after: Date.UTC(2026, 1, 1) / 1000, before: String(Date.UTC(2026, 2, 1)) }, 1],
    [{ corpus: "Memory" }, 4],
    [{ corpus: " MEMORY " }, 4],
    [{ corpus: "session" }, 0],
    [{ corpus: ["memory"] }, 4],
    [{ corpus: "notes" }, 4],
    [{ corpus: "Conversations" }, 0],
    [{ corpus: "everything" }, 4],
    [{ paths: "memory" }, 3],
    [{ paths: ["memory", "notes"] }, 4],
    [{ corpus: "null" }, 4],
    [{ includeText: "true" }, 4],
    [{ includeText: "False" }, 4],
    [{ scope: "{}" }, 4],
    [{ scope: '{"user":null}' }, 4],
  ])("%j", async (more, hits) => {
    const found = await call("memory_search", { query: "kettle", minScore: 0, ...more });
    expect([found.error, found.results?.length]).toEqual([undefined, hits]);
  });

  test("a choice, a list of words, and a day as a time", async () => {
    const id = await stored("Bo prefers the window seat.", {
      category: "Preferences",
      tags: "travel, seats",
      importance: "0.8",
      expiresAt: "2099-12-31",
    });
    expect(await app.call("GET", `/v1/agents/facts/facts/${id}`)).toMatchObject({
      body: {
        category: "preference",
        tags: ["travel", "seats"],
        importance: 0.8,
        expiresAt: "2099-12-31T23:59:59.999Z",
      },
    });
    const facts = expect.arrayContaining([expect.objectContaining({ text: "Bo prefers the window seat." })]);
    for (const more of [{ categories: "preference" }, { categories: "Preference,fact" }, { tags: "seats" }])
      expect(await call("memory_recall", { query: "seat", ...more }, "facts")).toMatchObject({ facts });
    expect(
      await call("memory_recall", { query: "seat", asOf: new Date().toISOString().slice(0, 10) }, "facts"),
    ).toMatchObject({
      facts,
      note: expect.stringContaining("asOf was read as"),
    });
  });

  test.each([
    ["yesterday", 1],
    ["3 days ago", 2],
    ["letzte Woche", 2],
    ["7d", 2],
    ["now-1d", 1],
    ["January 2026", 5],
    ["March 10", 3],
  ])("a search after %j, with a note of the day", async (after, hits) => {
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    for (const one of [day(0), day(2), ...DAYS])
      await app.put(`memory/${one}.md`, `# Kitchen\n\nDescaled the kettle on ${one}.\n`, "recent");
    const found = await call("memory_search", { query: "kettle", minScore: 0, after, timezone: "UTC" }, "recent");
    expect([found.error, found.results?.length]).toEqual([undefined, hits]);
    expect(found.note).toMatch(/after was read as \d{4}-\d\d-\d\d\./);
  });

  test("a phrase for a time up to which something counts stands for its last moment", async () => {
    await stored("Cy parks in the yard.");
    const recalled = await call("memory_recall", { query: "parks", asOf: "yesterday", timezone: "UTC" }, "facts");
    expect(recalled.note).toMatch(/asOf was read as \S+T23:59:59\.999Z\./);
    expect(recalled.facts.map(({ text }) => text)).not.toContain("Cy parks in the yard.");
  });

  test("an unknown key is left out with a note, and an unclear value is refused", async () => {
    const found = await call("memory_search", { query: "kettle", colour: "red", "x\n": 1 });
    expect(pathsOf(found)).toHaveLength(4);
    expect(found.note).toMatch(/^Ignored "colour", "x\\n": the parameters are query, maxResults, /);
    for (const [more, named] of [
      [{ corpus: "cellar" }, /"memory", "sessions", "facts", "all"/],
      [{ maxResults: "many" }, /maxResults/],
      [{ after: "soon" }, /after/],
      [{ after: "2 hours ago" }, /after/],
      [{ after: "between May and the rain" }, /after/],
      [{ after: "2026-02-31" }, /after/],
      // Left out, it would show everybody's facts and conversations.
      [{ scope: { owner: "ana" } }, /owner/],
      [{ filter: { user: ["ana", "bo"] } }, /scope/],
      [{ scope: { user: "" } }, /scope/],
      [{ scope: "ana" }, /scope/],
      [{ minScore: "2" }, /minScore/],
      [{ includeText: "perhaps" }, /includeText/],
    ] as const)
      expect(await call("memory_search", { query: "kettle", ...more })).toMatchObject({
        error: expect.stringMatching(named),
      });
  });

  test("JSON in a text with what no text may hold is no list", async () => {
    for (const paths of ['["notes/*\\u0000"]', '["notes/*\\ud800"]', '[{"__proto__":1}]', "[".repeat(100_000)])
      expect((await call("memory_search", { query: "kettle", paths })).results ?? []).toEqual([]);
  });

  test("an exact key has precedence over the same in other letters", async () => {
    const found = await call("memory_search", { MAXRESULTS: 3, maxResults: 1, max_results: 2, query: "kettle" });
    expect(found.results).toHaveLength(1);
  });

  test("more hits than a search returns, and a question that is too long", async () => {
    const many = await call("memory_search", { query: "kettle", maxResults: 5_000 });
    expect(many.warning).toContain("maxResults was cut to 100");
    for (const query of [`kettle ${"x".repeat(9_000)}`, `${"lorem ipsum ".repeat(900)}kettle`]) {
      const found = await call("memory_search", { query });
      expect(pathsOf(found)).toContain("notes/kettle.md");
      expect(found.note).toContain("The query was cut");
      expect((await call("memory_recall", { query })).note).toContain("The query was cut");
      const program = await app.call<Reply>("POST", "/v1/agents/main/search", { query, maxResults: 200 });
      expect(program).toMatchObject({
        status: 200,
        body: { note: expect.stringContaining("cut"), warning: expect.stringContaining("maxResults") },
      });
    }
  });
});

describe("a path or an id in the form that another tool shows", () => {
  test.each([
    ["notes/kettle.md#L3-L5", "It is red.\n\nIt whistles."],
    ["notes/kettle.md#L5", "It whistles."],
    ["/notes/kettle.md#L5", "It whistles."],
    ["./notes/kettle.md:5", "It whistles."],
    ["notes/kettle.md#3-5", "It is red.\n\nIt whistles."],
    ["`notes/kettle.md#L5`", "It whistles."],
    ["[notes/kettle.md#L5]", "It whistles."],
    ["Source: notes/kettle.md#L5", "It whistles."],
    ["notes/kettle.md#L5, page 3", "It whistles."],
    ["recollect://agents/main/files/notes/kettle.md#L5", "It whistles."],
  ])("memory_get %s", async (path, text) => {
    expect(await call("memory_get", { path })).toMatchObject({ path: "notes/kettle.md", text });
  });

  test("lines of their own have precedence over those of the citation", async () => {
    expect(await call("memory_get", { path: "notes/kettle.md#L3-L5", from: 5 })).toMatchObject({ from: 5, lines: 1 });
  });

  test("a file whose name looks like a citation is read by its name", async () => {
    await app.put("odd%23L1", "odd");
    await app.put("odd", "even");
    expect(await call("memory_get", { path: "odd#L1" })).toMatchObject({ text: "odd" });
  });

  test("a conversation", async () => {
    const said = { messages: [{ role: "user", content: "The samovar is from Tula." }] };
    await app.call("POST", "/v1/agents/main/sessions/slack:C1/messages", said);
    for (const path of [
      "sessions/slack:C1",
      "/sessions/slack:C1#L1",
      "./sessions/slack:C1#L1-L2",
      "agent:main:slack:C1",
    ])
      expect([path, await call("memory_get", { path })]).toEqual([
        path,
        expect.objectContaining({ path: "sessions/slack:C1", text: expect.stringContaining("samovar") }),
      ]);
  });

  test("a fact", async () => {
    const id = await stored("The samovar holds four litres.");
    for (const path of [`facts/${id}`, `facts/${id}#L1`, `/facts/${id}`, id, Number(id)])
      expect(await call("memory_get", { path }, "facts")).toMatchObject({ path: `facts/${id}` });
    const next = await stored("The samovar holds five litres.", { replaces: `facts/${id}#L1` });
    expect(await call("memory_get", { path: `facts/${id}` }, "facts")).toMatchObject({
      text: expect.stringContaining("five litres"),
    });
    const other = await stored("The samovar is made of brass.");
    const gone = await call(
      "memory_forget",
      {
        ids: [`/facts/${next}`, "facts/999999", "notes/kettle.md", Number(other)],
      },
      "facts",
    );
    expect(gone.forgotten.toSorted()).toEqual([id, next, other].toSorted());
    expect(gone.note).toMatch(/No fact has the id "facts\/999999", "notes\/kettle\.md"/);
    expect(await call("memory_forget", { ids: "facts/999998, 999997" }, "facts")).toMatchObject({
      forgotten: [],
      note: expect.stringMatching(/"facts\/999998", "999997"/),
    });
  });

  test("a missing path or id is named in the form of the request", async () => {
    for (const path of ["none.md", "none.md#L4", "./none.md"])
      expect(await call("memory_get", { path })).toMatchObject({ status: "not_found", text: "", path });
    const replaced = await call("memory_store", { text: "It is blue.", replaces: ["facts/999996"] }, "facts");
    expect(replaced.error).toContain("999996");
    for (const path of ["/etc/passwd", "../secret.md", "notes/../../x#L1"])
      expect(await call("memory_get", { path })).toMatchObject({ error: expect.stringContaining("invalid_path") });
  });
});

describe("a message that is not quite of the protocol", () => {
  const answer = async (message: object) =>
    (
      await app.call<{ result?: object; error?: { code: number; message: string }; detail?: string }>(
        ...(["POST", "/v1/agents/main/mcp", message, undefined, { accept: "application/json" }] as const),
      )
    ).body;
  const asked = (method: string, params?: unknown) => answer({ jsonrpc: "2.0", id: 1, method, params });

  test.each([
    undefined,
    {},
    { protocolVersion: null },
    { protocolVersion: 20250618 },
    { protocolVersion: "1999-01-01" },
  ])("a handshake whose version is %j gets ours", async (params) => {
    expect(await asked("initialize", params)).toMatchObject({ result: { protocolVersion: expect.any(String) } });
  });

  test("the arguments of a tool are an empty list, or the text that the tool asks for", async () => {
    expect(await call("memory_recall", [])).toMatchObject({ error: expect.stringContaining("query") });
    expect((await call("memory_search", "kettle")).results.length).toBeGreaterThan(0);
    expect((await call("memory_get", "notes/kettle.md")).note).toContain("as path");
    expect(await call("memory_forget", "7")).toMatchObject({ error: expect.stringContaining("ids") });
    expect(await call("memory_recall", "")).toMatchObject({ error: expect.stringContaining("query") });
  });

  test.each([
    ["resources/read", {}],
    ["resources/read", { uri: 7 }],
    ["prompts/get", undefined],
    ["tools/call", { name: null, arguments: {} }],
  ])("%s without its parameter is answered with a sentence", async (method, params) => {
    const { error } = await asked(method, params);
    expect([error?.code, error?.message]).toEqual([
      -32602,
      expect.stringMatching(/^(?:Resource not found|There is no)/),
    ]);
  });

  test("a batch is refused by name", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await answer([ping, ping])).detail).toContain("not a batch");
  });
});
