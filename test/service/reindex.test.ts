import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { unfinishedJobs } from "../support/check-service.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { byModel, OtherEmbedder, WordEmbedder } from "../support/word-embedder.ts";

/**
 * Returns a different text for each agent, because agents share cached embeddings. Most words of a
 * text are unique. If texts were nearly the same, a model with random vectors would tell any
 * question apart as clearly as a word that only one text has.
 */
const NOTE = (i: number, agent = "") =>
  `# Note ${i} of ${agent}\nThe ${["amber", "birch", "cedar", "delta"][i % 4]} team met about item${i}. ${own(i)}.`;
const own = (i: number) => Array.from({ length: 20 }, (_, k) => `point${i}of${k}`).join(" ");

const tablesOf = (generation: number) =>
  ["chunks", "postings", "segments", "vectors"].map((name) => `${name}_${generation}`);

describe("reindexing", () => {
  let app: TestApp;
  const words = new WordEmbedder();
  // Vectors of this many dimensions are stored in half precision.
  const other = new OtherEmbedder(2048);
  beforeAll(async () => {
    app = await startTestApp({
      embedders: byModel(words, other),
    });
  });
  afterAll(() => app.drop());

  const status = async (agent: string) => (await app.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body;
  const set = (agent: string, settings: unknown) => app.call("PATCH", `/v1/agents/${agent}`, { settings });
  const write = async (agent: string, count: number) => {
    for (let i = 0; i < count; i++) await app.put(`n${i}.md`, NOTE(i, agent), agent);
    await app.embedded(agent);
  };
  const tables = async (agent: string) => {
    const { rows } = await app.db.executeSql<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN recollect.agents a ON a.schema_name = c.relnamespace::regnamespace::text
        WHERE a.id = $1 AND c.relkind = 'r' AND c.relname ~ '_[0-9]+$' ORDER BY 1`,
      [agent],
    );
    return rows.map((row) => row.name);
  };

  test("a new model takes over while searches and writes go on; the old index is dropped", async () => {
    await write("moving", 12);
    let open = () => {};
    other.gate = new Promise((resolve) => {
      open = resolve;
    });
    expect((await set("moving", { model: "other-words" })).status).toBe(200);
    await until(async () => (await status("moving")).reindex.state === "building");
    // The old index answers with the old model.
    expect(await app.search("amber team", {}, "moving")).toMatchObject({ mode: "hybrid", model: "words" });
    await until(async () => (await status("moving")).reindex.files?.indexed === 12);
    await app.put("n0.md", "# Changed\nThe zephyr team replaced it.", "moving");
    await app.put("late.md", "# Late\nA quokka arrived.", "moving");
    await app.call("DELETE", "/v1/agents/moving/files/n1.md");
    // From then on the service uses the index's own measurements.
    await until(async () => !(await unfinishedJobs(app.db)).some((job) => job.startsWith("a job maintain-index of")));
    expect((await app.search("quokka", {}, "moving")).results[0]?.path).toBe("late.md");
    open();
    other.gate = undefined;
    await until(async () => (await status("moving")).model === "other-words");
    const after = await app.search("zephyr", {}, "moving");
    expect(after).toMatchObject({ mode: "hybrid", model: "other-words" });
    expect(after.results[0]).toMatchObject({ path: "n0.md" });
    expect((await app.search("quokka", {}, "moving")).results[0]?.path).toBe("late.md");
    expect((await app.search("item1", {}, "moving")).results.map((hit) => hit.path)).not.toContain("n1.md");
    // The new index takes over when nearly all of its chunks are embedded; a job embeds the rest.
    await until(async () => (await status("moving")).pendingEmbeddings === 0);
    expect(await status("moving")).toMatchObject({
      files: 12,
      chunks: 12,
      pendingEmbeddings: 0,
      dimensions: 2048,
      reindex: { state: "none" },
    });
    await until(async () => isDeepStrictEqual(await tables("moving"), tablesOf(2)));
    // Each text is embedded once; n1 may have been embedded before it was deleted.
    expect(new Set(other.asked).size).toBe(other.asked.length);
    const { body } = await app.call<{ usage: { chunks: number } }>("GET", "/v1/agents/moving");
    expect(body.usage.chunks).toBe(12);
  });

  test("without headings a section is found by its own words alone", async () => {
    const content = `# Pelican\n\n${"Filler of the first part. ".repeat(80)}\n\n## Wages\n\n${"The sums are paid monthly. ".repeat(80)}\n`;
    await app.put("plain.md", content, "bare");
    await app.embedded("bare");
    const found = async (query: string) =>
      (await app.search(query, { minScore: 0, explain: true, maxResults: 20 }, "bare")).results.filter(
        (hit) => hit.explain?.keyword,
      ).length;
    const under = await found("pelican");
    expect(under).toBeGreaterThan(0);
    await set("bare", { chunking: { headings: false }, query: { mergeNeighbours: false } });
    await until(async () => isDeepStrictEqual(await tables("bare"), tablesOf(2)));
    // The line of the heading is still the beginning of the first chunk.
    expect(await found("pelican")).toBe(1);
    expect(await found("wages")).toBe(1);
  });

  test("other chunk settings cut the files anew", async () => {
    await app.put(
      "long.md",
      `# Long\n${Array.from({ length: 60 }, (_, i) => `Sentence number ${i} is here.`).join("\n")}`,
      "cut",
    );
    await app.embedded("cut");
    expect((await status("cut")).chunks).toBe(2);
    await set("cut", { chunking: { tokens: 60, overlap: 10 } });
    await until(async () => (await status("cut")).chunks > 4);
    await app.embedded("cut");
    const { results } = await app.search("sentence number 57", { maxResults: 1 }, "cut");
    expect(results[0]?.startLine).toBeGreaterThan(40);
  });

  test("a change that is taken back while it is built leaves the old index, and nothing else", async () => {
    await write("wavering", 5);
    let open = () => {};
    other.gate = new Promise((resolve) => {
      open = resolve;
    });
    await set("wavering", { model: "other-words" });
    await until(async () => (await status("wavering")).reindex.state === "building");
    await set("wavering", { model: null });
    await until(async () => isDeepStrictEqual(await tables("wavering"), tablesOf(1)));
    open();
    other.gate = undefined;
    expect(await app.search("amber", {}, "wavering")).toMatchObject({ mode: "hybrid", model: "words" });
    expect((await status("wavering")).reindex).toEqual({ state: "none" });
  });

  test("a build that is cancelled stays so until somebody asks for it again", async () => {
    await write("cancelled", 5);
    let open = () => {};
    other.gate = new Promise((resolve) => {
      open = resolve;
    });
    await set("cancelled", { model: "other-words" });
    await until(async () => (await status("cancelled")).reindex.state === "building");
    const { body } = await app.call<{ state: string }>("DELETE", "/v1/agents/cancelled/reindex");
    expect(body.state).toBe("due");
    open();
    other.gate = undefined;
    expect((await app.search("amber", {}, "cancelled")).model).toBe("words");
    expect(await tables("cancelled")).toEqual(tablesOf(1));
    expect((await status("cancelled")).reindex.state).toBe("due");
    expect((await app.call("POST", "/v1/agents/cancelled/reindex", {})).status).toBe(202);
    await until(async () => (await status("cancelled")).model === "other-words");
  });

  test("settings whose provider has no key here are refused; a provider that is away at first makes no difference later", async () => {
    let away = true;
    const embedder = new WordEmbedder();
    const late = await startTestApp({
      embedders: async (settings) => {
        if (settings.provider === "gemini") throw new AppError("config_invalid", "Set GEMINI_API_KEY.");
        if (away) throw new AppError("embedder_unavailable", "It does not answer.");
        return embedder;
      },
    });
    try {
      for (const [method, path, body] of [
        ["POST", "/v1/agents", { id: "x", settings: { provider: "gemini" } }],
        ["PATCH", "/v1/agents/main", { settings: { provider: "gemini" } }],
        ["PATCH", "/v1/tenant", { settings: { provider: "gemini" } }],
      ] as const) {
        const answer = await late.call(method, path, body);
        expect([path, answer.status, answer.body.error.code]).toEqual([path, 400, "invalid_settings"]);
        expect(answer.body.error.message).toContain("GEMINI_API_KEY");
      }
      expect((await late.call("GET", "/v1/agents/x")).status).toBe(404);
      expect((await late.put("a.md", "Written while nobody could embed", "early")).status).toBe(200);
      expect(await late.search("embed", {}, "early")).toMatchObject({ mode: "keyword", results: [{ path: "a.md" }] });
      // A process whose provider answers serves the same index until it has been made anew.
      const other = await startTestApp({ on: late, worker: false, embedders: async () => embedder });
      expect(await other.search("embed", {}, "early")).toMatchObject({
        mode: "keyword",
        warning: expect.stringContaining("The index was made without embeddings"),
      });
      await other.drop();
      away = false;
      await until(async () => (await late.search("embed", {}, "early")).mode === "hybrid");
    } finally {
      await late.drop();
    }
  });

  test("a text that the provider refuses is set apart, its neighbours are embedded, and it does not come back", async () => {
    const picky = new WordEmbedder();
    const embed = picky.embed.bind(picky);
    let calls = 0;
    picky.embed = async (texts, inputType, signal) => {
      calls++;
      if (texts.some((text) => text.includes("poison")))
        throw Object.assign(new AppError("embedder_rejected", "No.", { details: { status: 400, fault: "text" } }));
      return embed(texts, inputType, signal);
    };
    const strict = await startTestApp({ embedders: async () => picky });
    try {
      const put = Array.from({ length: 40 }, (_, i) => ({
        path: `n${i}.md`,
        content: i === 17 ? "# Bad\npoison" : NOTE(i),
      }));
      await strict.call("POST", "/v1/agents/main/files", { put });
      await strict.embedded();
      const { body } = await strict.call<AgentStatus>("GET", "/v1/agents/main/status");
      expect(body).toMatchObject({ pendingEmbeddings: 0, rejectedChunks: 1 });
      // Each halving makes one refused call, and one call for the accepted half.
      expect(calls).toBeLessThan(20);
      expect((await strict.search("poison")).results[0]?.path).toBe("n17.md");
      // The job that measures the scores of chance asks the model too.
      await strict.rested();
      const before = calls;
      await strict.put("more.md", "# More\nAnother note.");
      await strict.embedded();
      expect(calls).toBe(before + 1);
    } finally {
      await strict.drop();
    }
  });
});

test("a key that is lost: the log says that the index is built anew for the built-in model", async () => {
  const of = (provider: string) => Object.assign(new WordEmbedder(), { provider, providerKey: provider });
  const before = await startTestApp({ embedder: of("openai") });
  await before.put("a.md", NOTE(0));
  await before.rested();
  await before.runtime.close();
  const lines: string[] = [];
  const app = await startTestApp({
    on: before,
    embedder: of("builtin"),
    env: { RECOLLECT_LOG_LEVEL: "warn" },
    log: { write: (line) => void lines.push(line) },
  });
  try {
    await app.call("POST", "/v1/agents/main/reindex");
    await until(async () => (await app.call<AgentStatus>("GET", "/v1/agents/main/status")).body.provider === "builtin");
    const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /^no provider has a key/.test(msg));
    expect(said).toMatchObject([{ agentId: "main", former: "openai", model: "words" }]);
  } finally {
    await app.runtime.close();
    await before.drop();
  }
});
