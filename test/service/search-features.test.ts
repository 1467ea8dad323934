import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SearchOutput } from "../../src/service/search/search-schemas.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const DAYS = ["2026-01-05", "2026-02-10", "2026-03-15"];

describe("ranking features, each by its setting", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const put = [
      ...DAYS.map((day) => ({
        path: `memory/${day}.md`,
        content: `Standup of ${day}: the ferry timetable was discussed.`,
      })),
      { path: "notes/ferry.md", content: "The ferry timetable hangs in the harbour.", mtime: "2026-02-20T10:00:00Z" },
      { path: "notes/100%_sure.md", content: "The ferry timetable is certain.", mtime: "2025-01-01T00:00:00Z" },
      { path: "MEMORY.md", content: "The ferry timetable changes in spring.", mtime: "2020-01-01T00:00:00Z" },
      { path: "memory/2026-13-45.md", content: "The ferry timetable of no day.", mtime: "2026-02-01T00:00:00Z" },
    ];
    await app.call("POST", "/v1/agents/main/files", { put });
    const lines = Array.from(
      { length: 120 },
      (_, i) => `Line ${i} tells of the lighthouse keeper and his lamp number ${i}.`,
    );
    await app.put("long.md", lines.join("\n"), "long");
    await app.embedded();
    await app.embedded("long");
  });
  afterAll(() => app.drop());

  const paths = async (query: string, options: Record<string, unknown>) =>
    (await app.search(query, { minScore: 0, maxResults: 20, ...options })).results.map((hit) => hit.path).sort();
  const set = (query: unknown, agent = "main") => app.call("PATCH", `/v1/agents/${agent}`, { settings: { query } });

  test("days: that of a dated name, else when the file was changed", async () => {
    expect(await paths("ferry timetable", { after: "2026-02-10" })).toEqual([
      ...["memory/2026-02-10.md", "memory/2026-03-15.md", "notes/ferry.md"],
    ]);
    expect(await paths("ferry timetable", { before: "2026-02-10" })).toEqual([
      ...["MEMORY.md", "memory/2026-01-05.md", "memory/2026-13-45.md", "notes/100%_sure.md"],
    ]);
    expect(await paths("ferry timetable", { after: "2026-02-01", before: "2026-03-01" })).toEqual([
      ...["memory/2026-02-10.md", "memory/2026-13-45.md", "notes/ferry.md"],
    ]);
    expect(await paths("ferry timetable", { after: "2026-2-10" })).toEqual(
      await paths("ferry timetable", { after: "2026-02-10" }),
    );
    for (const after of ["2026-02-31", "soon", "2026-1-32"])
      expect((await app.call("POST", "/v1/agents/main/tools/memory_search", { query: "x", after })).status).toBe(400);
  });

  test("paths: folders, patterns and names, of which nothing is a pattern of SQL", async () => {
    expect(await paths("ferry timetable", { paths: ["notes/"] })).toEqual(["notes/100%_sure.md", "notes/ferry.md"]);
    expect(await paths("ferry timetable", { paths: ["*2026-0*"] })).toEqual(DAYS.map((day) => `memory/${day}.md`));
    expect(await paths("ferry timetable", { paths: ["notes/100%_sure.md", "MEMORY.md"] })).toEqual([
      "MEMORY.md",
      "notes/100%_sure.md",
    ]);
    expect(await paths("ferry timetable", { paths: ["%", "notes_ferry.md", "note"] })).toEqual([]);
    expect(await paths("ferry timetable", { paths: ["notes"] })).toEqual(["notes/100%_sure.md", "notes/ferry.md"]);
    // A file name in the query does not bypass the filter.
    expect(await paths("MEMORY.md ferry timetable", { paths: ["notes/"] })).not.toContain("MEMORY.md");
  });

  test("a search may combine the arms otherwise than the setting: it is the search of an agent with that setting", async () => {
    const query = "ferry timetable of the harbour";
    const asked = async (options: Record<string, unknown>) => {
      const { results, debug } = await app.search(query, { minScore: 0, maxResults: 20, explain: true, ...options });
      return { ranking: results.map(({ path, score }) => [path, score]), fusion: debug?.fusion };
    };
    const usual = await asked({});
    for (const fusion of ["rrf", "weighted", "adaptive"]) {
      const once = await asked({ fusion });
      await set({ hybrid: { fusion } });
      expect(once).toEqual(await asked({}));
      // The other direction: an agent has another fusion set, and the search names the usual one.
      expect(await asked({ fusion: "adaptive" })).toEqual(usual);
      await set({ hybrid: { fusion: null } });
    }
    expect(await asked({ fusion: "rrf" })).not.toEqual(usual);
    // The cached answer for one fusion is not used for another.
    const plain = async (options: Record<string, unknown>) => (await app.search(query, options)).results[0]?.score;
    expect(await plain({ fusion: "rrf" })).not.toBe(await plain({}));
  });

  test("temporal decay: what is newer comes first, what has no date stays", async () => {
    const query = "standup ferry timetable discussed";
    await set({ hybrid: { temporalDecay: { enabled: true, halfLifeDays: 10 } } });
    const { results } = await app.search(query, { minScore: 0, maxResults: 20, explain: true });
    const dated = results.filter((hit) => hit.path.startsWith("memory/2026-0")).map((hit) => hit.path);
    expect(dated).toEqual(DAYS.toReversed().map((day) => `memory/${day}.md`));
    expect(results.find((hit) => hit.path === "MEMORY.md")?.explain?.decay).toBe(1);
    await set({ hybrid: { temporalDecay: null } });
    expect(
      (await app.search(query, { minScore: 0, explain: true })).results.every((hit) => hit.explain?.decay === 1),
    ).toBe(true);
  });

  test("neighbours are one hit, whose lines and text are those of the file", async () => {
    const query = "lighthouse keeper lamp";
    const joined = (await app.search(query, { includeText: true, explain: true }, "long")).results.filter(
      (hit) => hit.path === "long.md",
    );
    expect(joined[0]?.explain?.joined).toBe(true);
    for (const hit of joined) {
      const { body } = await app.call<{ text: string }>("POST", "/v1/agents/long/tools/memory_get", {
        path: "long.md",
        from: hit.startLine,
        lines: hit.endLine - hit.startLine + 1,
      });
      expect(hit.text).toBe(body.text);
    }
    await set({ mergeNeighbours: false }, "long");
    const apart = (await app.search(query, {}, "long")).results.filter((hit) => hit.path === "long.md");
    expect(apart.length).toBeGreaterThan(joined.length);
    expect(apart[0]).not.toHaveProperty("text");
    await set({ mergeNeighbours: null }, "long");
  });

  test("equal texts, and MMR", async () => {
    const put = ["a", "b", "c"].map((name) => ({ path: `${name}.md`, content: "Same words about tea." }));
    put.push({ path: "d.md", content: "Other words about tea, and biscuits with it." });
    await app.call("POST", "/v1/agents/mmr/files", { put });
    await app.embedded("mmr");
    const found = async () =>
      (await app.search("same words about tea", { minScore: 0 }, "mmr")).results.map((hit) => hit.path);
    expect(await found()).toHaveLength(2);
    const change = (query: unknown) => app.call("PATCH", "/v1/agents/mmr", { settings: { query } });
    await change({ deduplicate: false });
    expect((await found()).at(-1)).toBe("d.md");
    await change({ hybrid: { mmr: { enabled: true, lambda: 0.3 } } });
    expect((await found())[1]).toBe("d.md");
  });

  test("citations auto: in a conversation with one person, not in groups and channels", async () => {
    await app.put("a.md", "The lighthouse keeper is Wanda.", "cited");
    const ask = async (sessionKey?: string) => {
      const answer = await app.search("lighthouse keeper", sessionKey === undefined ? {} : { sessionKey }, "cited");
      return [answer.citations, answer.results[0]?.citation, answer.results[0]?.snippet.includes("Source:")];
    };
    expect(await ask()).toEqual(["auto", "a.md#L1", true]);
    expect(await ask("agent:cited:telegram:direct:5")).toEqual(["auto", "a.md#L1", true]);
    // Asks both conversations: a cached answer for one is not used for the other.
    for (const key of ["agent:cited:telegram:group:5", "slack:channel:C042"])
      expect(await ask(key)).toEqual(["auto", undefined, false]);
    expect(await ask("web:1")).toEqual(["auto", "a.md#L1", true]);
    await app.call("PATCH", "/v1/agents/cited", { settings: { citations: "on" } });
    expect(await ask("slack:channel:C042")).toEqual(["on", "a.md#L1", true]);
  });

  test("equal short texts are equal in any case", async () => {
    const put = [
      { path: "a.md", content: "Straßburg buys Äpfel on Friday." },
      { path: "b.md", content: "STRAßBURG BUYS ÄPFEL ON FRIDAY." },
      { path: "c.md", content: "Straßburg buys Äpfel on Monday." },
    ];
    await app.call("POST", "/v1/agents/case/files", { put });
    await app.embedded("case");
    const found = async () =>
      (await app.search("straßburg äpfel", { minScore: 0, explain: true }, "case")).results.map((hit) => hit.path);
    const shown = await found();
    expect(shown).toHaveLength(2);
    expect(shown).toContain("c.md");
    await app.call("PATCH", "/v1/agents/case", { settings: { query: { deduplicate: false } } });
    expect(await found()).toHaveLength(3);
  });

  test("equal long texts are equal in their own case", async () => {
    const long = "A passage of the report about turbines. ".repeat(20);
    const put = [long, long.toUpperCase(), long].map((content, i) => ({ path: `${i}.md`, content }));
    await app.call("POST", "/v1/agents/long-case/files", { put });
    await app.embedded("long-case");
    const { results } = await app.search("report about turbines", { minScore: 0 }, "long-case");
    const shown = results.map((hit) => hit.path);
    expect(shown).toHaveLength(2);
    expect(shown).toContain("1.md");
  });

  test("a file that the query names comes first, unless the settings say otherwise", async () => {
    const put = [
      { path: "tea/plans.md", content: "Biscuits are bought on Friday." },
      { path: "tea/notes.md", content: "What the plans say of tea: plans, plans and tea again." },
    ];
    await app.call("POST", "/v1/agents/named/files", { put });
    await app.embedded("named");
    const first = async () =>
      (await app.search("plans.md tea plans", { minScore: 0, explain: true }, "named")).results[0];
    expect(await first()).toMatchObject({ path: "tea/plans.md", explain: { named: true } });
    await app.call("PATCH", "/v1/agents/named", { settings: { query: { namedFiles: false } } });
    expect(await first()).toMatchObject({ path: "tea/notes.md", explain: { named: false } });
  });

  test("explain says what both arms gave, what was made of it, and what was left out", async () => {
    const answer: SearchOutput = await app.search("ferry harbour", { explain: true, minScore: 0.5 });
    const [first] = answer.results;
    expect(first?.path).toBe("notes/ferry.md");
    expect(first?.explain).toMatchObject({
      keyword: { rank: 1 },
      vector: { rank: expect.any(Number) },
      decay: 1,
      named: false,
      joined: false,
      rankedAt: 1,
      textScore: 1,
      fusedScore: first?.score,
    });
    const { debug } = answer;
    expect(debug).toMatchObject({ fusion: { mode: "hybrid" }, minScore: 0.5, limit: 24 });
    expect(debug?.arms.keyword[0]).toMatchObject({ path: "notes/ferry.md", startLine: 1, endLine: 1 });
    expect(debug?.arms.vector.map((one) => one.score)).toEqual(
      debug?.arms.vector.map((one) => one.score).toSorted((a, b) => b - a),
    );
    expect(debug?.leftOut.find((one) => one.path === "MEMORY.md")).toMatchObject({ stage: "floor" });
    expect(await app.search("ferry harbour")).not.toHaveProperty("debug");
  });
});
