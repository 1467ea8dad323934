import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { LOCAL_CALLER } from "../../src/service/core/authenticate.ts";
import { searchMemory } from "../../src/service/search/search-memory.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("memory_search", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const put = [
      { path: "docs/billing.md", content: "# Billing\n\nInvoices are made on the first of the month." },
      { path: "docs/harbour.md", content: "# Harbour\n\nThe ferry to the island leaves at nine." },
      { path: "copy/harbour.md", content: "# Harbour\n\nThe ferry to the island leaves at nine." },
      { path: "long.md", content: `# Long\n\n${"Some words about the lighthouse. ".repeat(45)}` },
      { path: "other.md", content: "A note that mentions docs/billing.md and the ferry." },
    ];
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.embedded();
  });
  afterAll(() => app.drop());

  test("answers with the fields of the contract", async () => {
    const answer = await app.search("when does the ferry leave");
    expect(answer).toMatchObject({ provider: "test", model: "words", citations: "auto", mode: "hybrid" });
    expect(answer).not.toHaveProperty("warning");
    const [hit] = answer.results;
    expect(hit).toMatchObject({ startLine: 1, endLine: 3, source: "memory", citation: "docs/harbour.md#L1-L3" });
    expect(hit?.score).toBeCloseTo(0.7 * (hit?.vectorScore ?? 0) + 0.3 * (hit?.textScore ?? 0), 6);
    expect(hit?.snippet).toMatch(/\n\nSource: docs\/harbour\.md#L1-L3$/);
  });

  test("shows equal texts once", async () => {
    const paths = (await app.search("ferry island", { minScore: 0 })).results.map((hit) => hit.path);
    expect(paths.filter((path) => path.endsWith("harbour.md"))).toHaveLength(1);
  });

  test("an exact path, or a file's name in whatever case, comes first", async () => {
    expect((await app.search("docs/billing.md")).results[0]).toMatchObject({ path: "docs/billing.md", score: 1 });
    expect((await app.search("what is in BILLING.MD?")).results[0]?.path).toBe("docs/billing.md");
    expect((await app.search("ferry, see docs/billing.md")).results[0]?.path).toBe("docs/billing.md");
  });

  test("respects maxResults and minScore", async () => {
    expect((await app.search("ferry", { maxResults: 1, minScore: 0 })).results).toHaveLength(1);
    const all = (await app.search("ferry", { minScore: 0 })).results;
    const some = (await app.search("ferry", { minScore: all[0]?.score })).results;
    expect(some.length).toBeLessThan(all.length);
    expect(all.map((hit) => hit.score)).toEqual(all.map((hit) => hit.score).toSorted((a, b) => b - a));
  });

  test("snippets have at most 700 characters", async () => {
    const { results } = await app.search("lighthouse");
    expect(results[0]?.path).toBe("long.md");
    expect(results[0]?.snippet.length).toBeLessThanOrEqual(700);
  });

  test("there are no sessions yet", async () => {
    expect((await app.search("ferry", { corpus: "sessions" })).results).toEqual([]);
    expect((await app.search("ferry", { corpus: "all" })).results.length).toBeGreaterThan(0);
  });

  test("asks the provider once for a query", async () => {
    app.embedder.asked.length = 0;
    await app.search("a question nobody asked before");
    await app.search("a question nobody asked before");
    expect(app.embedder.asked).toEqual(["a question nobody asked before"]);
  });

  test("does not wait for a provider that says nothing", async () => {
    app.embedder.silent = true;
    const deps = { ...app.runtime.deps, queryEmbedTimeoutMs: 50 };
    const answer = await searchMemory(deps, LOCAL_CALLER, "main", { query: "ferry at nine" });
    app.embedder.silent = false;
    expect(answer).toMatchObject({ mode: "keyword", warning: expect.stringContaining("50 ms") });
    expect(answer.results[0]?.path).toContain("harbour.md");
  });

  test("an agent can be searched before anything is written, and the search does not create it", async () => {
    const empty = await startTestApp({ worker: false });
    expect(await empty.search("anything")).toMatchObject({ results: [], mode: "hybrid" });
    expect(await empty.search("anything", {}, "nobody")).toMatchObject({ results: [], mode: "hybrid" });
    expect((await empty.call("GET", "/v1/agents/nobody")).status).toBe(404);
    await empty.drop();
  });

  test("without an embedder the keyword arm answers, without a warning", async () => {
    const plain = await startTestApp({ worker: false, embedder: undefined });
    const written = await plain.put("a.md", "The heron waits.");
    expect(written.body.pendingEmbeddings).toBe(0);
    const answer = await plain.search("heron");
    expect(answer).toMatchObject({ mode: "keyword", provider: "none", results: [{ path: "a.md", score: 1 }] });
    expect(answer).not.toHaveProperty("warning");
    await plain.drop();
  });

  test("vectors of another model are never compared: keyword search, and a warning that names the model", async () => {
    const none = { forSettings: async () => app.embedder, forGeneration: async () => undefined };
    const other = { ...app.runtime.deps, embedders: none };
    const answer = await searchMemory(other, LOCAL_CALLER, "main", { query: "ferry" });
    expect(answer).toMatchObject({ mode: "keyword", warning: expect.stringContaining("test/words") });
    expect(answer.results.length).toBeGreaterThan(0);
  });

  test("a database that is away is a normal answer that says what to do", async () => {
    const away = async () => {
      throw new AppError("database_unavailable", "The database cannot be reached.");
    };
    const deps = { ...app.runtime.deps, db: { ...app.runtime.deps.db, executeSql: away, transaction: away } };
    const answer = await searchMemory(deps, LOCAL_CALLER, "main", { query: "ferry" });
    expect(answer).toMatchObject({ results: [], disabled: true, unavailable: true, error: "database_unavailable" });
    expect(answer).toHaveProperty("action");
  });
});
