import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readAsMeant } from "../../src/service/tools/read-as-meant.ts";
import { MEMORY_TOOLS, memorySearchTool } from "../../src/service/tools/tool-table.ts";
import { processorTime } from "../support/processor-time.ts";

const search = (field: object) => readAsMeant(memorySearchTool.input, { query: "x", ...field }).input;

test.each([
  ["high", 0.75],
  ["Medium", 0.5],
  ["80%", 0.8],
  ["huge", "huge"],
])("the importance %s is %s", (importance, meant) => {
  const [store] = MEMORY_TOOLS.filter(({ name }) => name === "memory_store");
  expect(store && readAsMeant(store.input, { text: "x", importance }).input).toEqual({ text: "x", importance: meant });
});

describe("the parts of a scope beside the question", () => {
  test.each([
    [{ user: "bob" }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ userId: "bob" }, { user: "bob" }, 'Read "userId" as scope.user.'],
    [{ user_id: 7 }, { user: "7" }, 'Read "user_id" as scope.user.'],
    [{ user_name: "bob", agent: "main" }, { user: "bob", agent: "main" }, 'Read "agent" as scope.agent.'],
    [
      { session_id: "s1", scope: { user: "bob" } },
      { user: "bob", session: "s1" },
      'Read "session_id" as scope.session.',
    ],
    [{ user: "bob", scope: '{"agent":"main"}' }, { user: "bob", agent: "main" }, 'Read "user" as scope.user.'],
    [{ user: "bob", scope: "" }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ user: "bob", scope: "none" }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ user: "bob", scope: [] }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ user: "bob", scope: {} }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ user: "bob", scope: null }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ user: "bob", scope: { user: null } }, { user: "bob" }, 'Read "user" as scope.user.'],
    [{ user: null, userId: "bob" }, { user: "bob" }, 'Read "userId" as scope.user.'],
    [{ userId: "bob", user: null }, { user: "bob" }, 'Read "userId" as scope.user.'],
    [{ users: ["bob"] }, { user: "bob" }, 'Read "users" as scope.user.'],
    [{ "scope.user": "bob" }, { user: "bob" }, 'Read "scope.user" as scope.user.'],
    [{ scope: { userId: "bob" } }, { user: "bob" }, 'Read "scope.userId" as scope.user.'],
    [{ scope: { userId: "bob", agent: "main" } }, { user: "bob", agent: "main" }, 'Read "scope.userId" as scope.user.'],
    [{ scope: null, Scope: { user_id: "bob" } }, { user: "bob" }, 'Read "scope.user_id" as scope.user.'],
    [{ filter: { user: "bob" } }, { user: "bob" }, 'Read "filter.user" as scope.user.'],
    [
      { filters: '{"user_id":"bob","session":"s1"}' },
      { user: "bob", session: "s1" },
      'Read "filters.user_id" as scope.user.',
    ],
    [
      { filters: { AND: [{ user_id: "bob" }, { user_id: "bob" }] } },
      { user: "bob" },
      'Read "filters.user_id" as scope.user.',
    ],
    [{ metadata: { userId: "bob", session: "s1" } }, { user: "bob" }, 'Read "metadata.userId" as scope.user.'],
    [{ filter: { path: "notes/*", user_id: "bob" } }, { user: "bob" }, 'Ignored the rest of "filter".'],
  ])("%j is the scope %j", (given, scope, note) => {
    for (const { input, example } of MEMORY_TOOLS.filter((tool) => Object.hasOwn(tool.input.shape, "scope"))) {
      const read = readAsMeant(input, { ...example, ...given });
      expect(read.input).toMatchObject({ ...example, scope });
      expect(read.notes).toContain(note);
    }
  });

  test("they are no question, and an empty user is refused", () => {
    expect(readAsMeant(memorySearchTool.input, { user: "bob" }).input).toEqual({ scope: { user: "bob" } });
    expect(memorySearchTool.input.safeParse(search({ user: "" })).success).toBe(false);
    expect(search({ user: "eve", scope: { user: "bob" } })).toEqual({ query: "x", scope: { user: "bob" } });
  });

  test.each([
    [{ user: null }, 'Read "user" as scope.user.'],
    [{ userId: null }, 'Read "userId" as scope.user.'],
    [{ user_id: null }, 'Read "user_id" as scope.user.'],
    [{ agent: null }, 'Read "agent" as scope.agent.'],
    [{ session: null }, 'Read "session" as scope.session.'],
    [{ user: null, scope: null }, 'Read "user" as scope.user.'],
    [{ user: null, scope: "" }, 'Read "user" as scope.user.'],
    [{ scope: { userId: null } }, 'Read "scope.userId" as scope.user.'],
    [{ filter: { user: null } }, 'Read "filter.user" as scope.user.'],
  ])("%j is for what is of nobody, as a scope with a null is", (given, note) => {
    for (const { input, example } of MEMORY_TOOLS.filter((tool) => Object.hasOwn(tool.input.shape, "scope"))) {
      const read = readAsMeant(input, { ...example, ...given });
      expect(read.input).toEqual(readAsMeant(input, { ...example, scope: { user: null } }).input);
      expect(read.input).toEqual({ ...example, scope: {} });
      expect(read.notes).toEqual([note]);
    }
  });

  test("a scope that is left out stays so, and several users are refused", () => {
    for (const scope of [null, "", "null", []]) expect(search({ scope })).toEqual({ query: "x" });
    for (const scope of [null, ""])
      expect(search({ scope, Scope: { user: "bob" } })).toEqual({ query: "x", scope: { user: "bob" } });
    expect(search({ filter: { topic: "tea" }, metadata: { session: "s1" } })).toEqual({ query: "x" });
    for (const messages of [{ user: "Any figs?" }, [{ role: "user", user: "ana" }]])
      expect(search({ messages, message: messages })).toEqual({ query: "x" });
    for (const field of [
      { users: ["bob", "eve"] },
      { filters: { OR: [{ user: "bob" }, { user: "eve" }] } },
      { filter: { user: { in: ["bob", "eve"] } } },
      { scope: "bob", user: "bob" },
      { filters: { user_id: "bob" }, userId: "eve" },
      { userId: "eve", filters: { user_id: "bob" } },
      { filter: { must_not: [{ user_id: "bob" }] } },
      { filter: { NOT: { user_id: "bob" } } },
    ])
      expect(memorySearchTool.input.safeParse(search(field)).success, JSON.stringify(field)).toBe(false);
  });

  test("the one text that is required may have another name beside objects and numbers", () => {
    const store = MEMORY_TOOLS.find(({ name }) => name === "memory_store");
    const given = { content: "Rita likes fado", metadata: { a: 1 }, confidence: 0.9 };
    const { input, notes } = readAsMeant(store?.input ?? z.any(), given);
    expect(input).toEqual({ text: "Rita likes fado" });
    expect(notes.join(" ")).toMatch(/Read "content" as text\..*metadata/);
    const two = readAsMeant(store?.input ?? z.any(), { content: "a", body: "b" });
    expect(two.input).toEqual({});
  });

  test("a null where a text is required is missing", () => {
    for (const { input } of MEMORY_TOOLS) {
      const required = z.toJSONSchema(input, { io: "input" }).required ?? [];
      const nulls = Object.fromEntries(required.map((name) => [name, null]));
      expect(readAsMeant(input, nulls).input).toEqual({});
    }
  });
});

describe("readAsMeant on hostile input", () => {
  test.each([
    ["digits", "1".repeat(200_000)],
    ["digits before a letter", `${"1".repeat(200_000)}x`],
    ["digits around a point", `${"1".repeat(100_000)}.${"1".repeat(100_000)}x`],
    ["spaces", `${" ".repeat(200_000)}x`],
    ["exponents", `1e${"1".repeat(200_000)}x`],
    ["brackets", "[".repeat(200_000)],
    ["commas", ",".repeat(200_000)],
  ])("%s take time in proportion to their length in every field", (_name, text) => {
    const spent = processorTime();
    for (const { input } of MEMORY_TOOLS)
      readAsMeant(input, Object.fromEntries(Object.keys(input.shape).map((name) => [name, text])));
    expect(spent()).toBeLessThan(1000);
  });

  test.each([[{ toString: 1, valueOf: 2 }], [{}], [[[{ toString: 1 }], 2]]])(
    "an object where a boolean is asked stays, so that the schema names it: %j",
    (value) => {
      expect(search({ includeText: value })).toEqual({ query: "x", includeText: value });
      expect(memorySearchTool.input.safeParse(search({ includeText: value })).error?.issues[0]?.path).toEqual([
        "includeText",
      ]);
    },
  );

  test.each([
    ["values", `[${"1,".repeat(100_000)}1]`],
    ["levels", `${"[".repeat(100)}${"]".repeat(100)}`],
  ])("a text whose JSON has more %s than any field needs stays a text", (_name, text) => {
    expect(search({ paths: text })).toEqual({ query: "x", paths: [text] });
    expect(search({ scope: text })).toEqual({ query: "x", scope: text });
    expect(search({ paths: '["a/", "b/"]', scope: '{"user":"u"}' })).toEqual({
      query: "x",
      paths: ["a/", "b/"],
      scope: { user: "u" },
    });
  });

  test("a text with more commas than any list has items is one item", () => {
    const text = "fact,".repeat(50_000);
    const recall = MEMORY_TOOLS.find(({ name }) => name === "memory_recall") ?? memorySearchTool;
    const categories = (given: string) => readAsMeant(recall.input, { query: "x", categories: given }).input;
    expect(categories(text)).toEqual({ query: "x", categories: [text] });
    expect(categories("fact, Decisions")).toEqual({ query: "x", categories: ["fact", "decision"] });
  });

  test("numbers in texts are read", () => {
    expect(search({ maxResults: " 7 ", minScore: ".5" })).toEqual({ query: "x", maxResults: 7, minScore: 0.5 });
    expect(search({ maxResults: "1e1", minScore: "0." })).toEqual({ query: "x", maxResults: 10, minScore: 0 });
    expect(search({ maxResults: "seven" })).toEqual({ query: "x", maxResults: "seven" });
  });

  test("numbers in other forms are read", () => {
    expect(search({ maxResults: "2.5", minScore: "20%" })).toEqual({ query: "x", maxResults: 2, minScore: 0.2 });
    expect(search({ maxResults: 3.7, minScore: "0,5" })).toEqual({ query: "x", maxResults: 3, minScore: 0.5 });
    expect(search({ maxResults: "1,000", minScore: "0,125" })).toEqual({
      query: "x",
      maxResults: 1000,
      minScore: 0.125,
    });
    expect(search({ maxResults: " 1,234,567 ", minScore: "1,000" })).toMatchObject({
      maxResults: 1_234_567,
      minScore: "1,000",
    });
    const get = MEMORY_TOOLS.find(({ name }) => name === "memory_get") ?? memorySearchTool;
    const lines = readAsMeant(get.input, { path: "a.md", from: "L12", lines: "line 3" }).input;
    expect(lines).toEqual({ path: "a.md", from: 12, lines: 3 });
  });
});

describe("readAsMeant on keys and lists", () => {
  const read = (tool: string, given: unknown) => {
    const { input, notes } = readAsMeant(
      MEMORY_TOOLS.find(({ name }) => name === tool)?.input ?? memorySearchTool.input,
      given,
    );
    return [input, notes];
  };

  test.each([
    ["memory_search", { q: "kettle" }, { query: "kettle" }],
    ["memory_search", { text: "kettle", maxResults: 2 }, { query: "kettle", maxResults: 2 }],
    ["memory_recall", { message: "Ana" }, { query: "Ana" }],
    ["memory_store", { content: "Bo likes tea" }, { text: "Bo likes tea" }],
    ["memory_get", { file: "a.md" }, { path: "a.md" }],
    ["memory_get", { id: 5 }, { path: "5" }],
  ])("%s: the one text that is required may have another name, and a note says so: %j", (tool, given, meant) => {
    expect(read(tool, given)).toEqual([meant, [expect.stringMatching(/^Read "\w+" as \w+\.$/)]]);
  });

  test.each([
    ["two texts might be meant", "memory_search", { q: "kettle", text: "boat" }, {}],
    ["it is no text", "memory_search", { q: true }, {}],
    ["the required one is there", "memory_search", { query: "kettle", text: "boat" }, { query: "kettle" }],
  ])("but not if %s", (_why, tool, given, meant) => {
    expect(read(tool, given)).toEqual([meant, [expect.stringMatching(/^Ignored /)]]);
  });

  test("a key may be in the other number, unless the field is there", () => {
    expect(read("memory_forget", { id: "7" })).toEqual([{ ids: ["7"] }, []]);
    expect(read("memory_get", { paths: ["a.md"] })).toEqual([{ path: "a.md" }, []]);
    expect(read("memory_store", { text: "x", tag: "food" })).toEqual([{ text: "x", tags: ["food"] }, []]);
    expect(read("memory_get", { path: "a.md", paths: "b.md" })).toEqual([
      { path: "a.md" },
      [expect.stringContaining('Ignored "paths"')],
    ]);
  });

  test("a question may be a list of words, and the arguments JSON in a text", () => {
    expect(read("memory_search", { query: ["red", "kettle"] })).toEqual([{ query: "red kettle" }, []]);
    expect(read("memory_search", '{"query":"kettle"}')).toEqual([{ query: "kettle" }, []]);
    expect(read("memory_search", "kettle")).toEqual(["kettle", []]);
  });

  test("lists in a text", () => {
    expect(read("memory_store", { text: "x", tags: "food; drinks\ntea" })[0]).toMatchObject({
      tags: ["food", "drinks", "tea"],
    });
    expect(search({ paths: "notes/*, archive/*" })).toMatchObject({ paths: ["notes/*", "archive/*"] });
    expect(search({ paths: "people/Smith, John.md" })).toMatchObject({ paths: ["people/Smith, John.md"] });
  });
});

describe("keys and shapes that models make up", () => {
  const meant = (name: string, given: unknown) =>
    readAsMeant(MEMORY_TOOLS.find((tool) => tool.name === name)?.input ?? memorySearchTool.input, given);

  test.each([
    ["memory_search", { input: { query: "key" } }, { query: "key" }],
    ["memory_search", { arguments: '{"query":"key","limit":"2"}' }, { query: "key", maxResults: 2 }],
    ["memory_search", { query: { text: "key" } }, { query: "key" }],
    ["memory_search", { q: { query: "key" } }, { query: "key" }],
    ["memory_search", { query: "key", top_k: 3 }, { query: "key", maxResults: 3 }],
    ["memory_search", { query: "key", limit: 9, maxResults: 3 }, { query: "key", maxResults: 3 }],
    ["memory_recall", { limit: "5" }, { maxResults: 5 }],
    ["memory_recall", { message: "Odile" }, { query: "Odile" }],
    ["memory_get", { path: "a.md", startLine: "40", endLine: 55 }, { path: "a.md", from: 40 }],
    ["memory_forget", { path: "facts/13" }, { ids: ["facts/13"] }],
    ["memory_forget", { factId: 12 }, { ids: ["12"] }],
    ["memory_forget", { fact_ids: "12, 13" }, { ids: ["12", "13"] }],
    ["memory_forget", { text: "Bo has a cat" }, { query: "Bo has a cat" }],
    [
      "memory_store",
      { text: "Bo is away", validUntil: "2099-12-31T00:00:00Z" },
      { text: "Bo is away", expiresAt: "2099-12-31T00:00:00Z" },
    ],
  ])("%s %j", (name, given, input) => {
    expect(meant(name, given).input).toEqual(input);
  });

  test.each([
    [{ input: { nothing: "key", other: 1 } }],
    [{ input: "key", other: { query: "x" } }],
    [{ text: { subject: "Bo", likes: "rum" } }],
    [{ scope: { query: "key" } }],
  ])("nothing is guessed of %j", (given) => {
    expect(memorySearchTool.input.safeParse(meant("memory_search", given).input).success).toBe(false);
  });

  test("a model is not offered the other names", () => {
    expect(JSON.stringify(z.toJSONSchema(memorySearchTool.offered, { io: "input" }))).not.toMatch(/topK|"names"/);
  });
});
