import { LRUCache } from "lru-cache";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purgeStaleEntries } from "../../src/service/core/cache-expiry.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/**
 * search-answers.test.ts and limits.test.ts test the caches of answers and rates, so this file does
 * not.
 */
describe("what another process did", () => {
  let a: TestApp;
  let b: TestApp;
  beforeAll(async () => {
    a = await startTestApp();
    b = await startTestApp({ on: a, embedder: a.embedder, worker: false, keyless: false });
  });
  afterAll(async () => {
    await b.drop();
    await a.drop();
  });

  const asB = async (query: string, agent: string, key: string) => {
    const { body } = await b.call<{ results: { path: string; snippet: string }[]; model: string }>(
      ...(["POST", `/v1/agents/${agent}/tools/memory_search`, { query, minScore: 0, maxResults: 3 }, key] as const),
    );
    return body;
  };

  test("a key that is revoked is refused by the next request, also if it was used a moment ago", async () => {
    const key = await a.key(["tenant"]);
    expect((await b.call("GET", "/v1/agents", undefined, key)).status).toBe(200);
    const { body } = await a.call<{ keys: { id: string; prefix: string }[] }>("GET", "/v1/keys");
    const { id = "" } = body.keys.find(({ prefix }) => key.includes(prefix)) ?? {};
    await a.call("DELETE", `/v1/keys/${id}`);
    expect((await b.call("GET", "/v1/agents", undefined, key)).status).toBe(401);
  });

  test("a setting, of the tenant too, holds in the next request", async () => {
    const key = await a.key(["tenant"]);
    await a.put("one.md", "The crane stands in the marsh.", "set");
    await a.put("two.md", "The crane lifts the beam.", "set");
    await a.embedded("set");
    expect((await asB("crane", "set", key)).results).toHaveLength(2);
    await a.call("PATCH", "/v1/tenant", { settings: { enabled: false } });
    expect(await asB("crane", "set", key)).toMatchObject({ results: [], disabled: true });
    await a.call("PATCH", "/v1/agents/set", { settings: { enabled: true } });
    expect((await asB("crane", "set", key)).results).toHaveLength(2);
    await a.call("PATCH", "/v1/tenant", { settings: { enabled: null } });
  });

  test("what is shared of a memory is measured anew when another process has changed it", async () => {
    const key = await a.key(["tenant"]);
    const note = (n: number) => ({
      path: `rules/${n}.md`,
      content: `Rule ${n}: the bell of hall ${n % 7} rings at noon.`,
    });
    await a.call("POST", "/v1/agents/rulebook/files", { put: Array.from({ length: 20 }, (_, n) => note(n)) });
    await a.put("own.md", "The bell is loud.", "ringer");
    await a.call("PUT", "/v1/agents/rulebook/shares/ringer", { folders: ["rules"] });
    await a.call("PUT", "/v1/agents/ringer/reads/rulebook", {});
    await a.embedded("rulebook");
    await a.rested();
    const ask = async (app: TestApp) => {
      const input = { query: "which bell rings in hall 3", minScore: 0, explain: true };
      return (await app.call<object>("POST", "/v1/agents/ringer/tools/memory_search", input, key)).body;
    };
    const before = await ask(a);
    await b.call("POST", "/v1/agents/rulebook/files", { put: Array.from({ length: 40 }, (_, n) => note(n + 20)) }, key);
    await a.embedded("rulebook");
    await a.rested();
    const after = await ask(a);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await ask(b));
  });

  test("an agent that was erased and made anew answers with the new memory alone", async () => {
    const key = await a.key(["tenant"]);
    const fill = async (word: string) => {
      await a.put("n.md", `The lighthouse is ${word}.`, "anew");
      await a.embedded("anew");
    };
    const hits = async () => (await asB("lighthouse", "anew", key)).results[0];
    await fill("crimson");
    expect(await hits()).toMatchObject({ path: "n.md", snippet: expect.stringContaining("crimson") });
    await a.call("DELETE", "/v1/agents/anew");
    expect((await b.call("GET", "/v1/agents/anew/status", undefined, key)).status).toBe(404);
    await fill("violet");
    expect(await hits()).toMatchObject({ path: "n.md", snippet: expect.stringContaining("violet") });
    expect(JSON.stringify((await asB("crimson", "anew", key)).results)).not.toContain("crimson");
  });

  test("everything that is remembered of an agent is forgotten after an hour at the latest", async () => {
    const { searchAnswers, queryVectors, segmentCache } = b.runtime.deps;
    expect(Math.min(searchAnswers.size, queryVectors.size)).toBeGreaterThan(0);
    for (const { ttl } of [searchAnswers, queryVectors, segmentCache.chunks, segmentCache.postings])
      expect(ttl).toBe(3_600_000);
  });
});

test("what is too old is forgotten, asked for again or not", async () => {
  const cache = new LRUCache<string, string>({ max: 10, ttl: 1 });
  const stop = purgeStaleEntries([cache], 5);
  cache.set("question", "answer");
  await until(async () => cache.size === 0);
  await stop();
});

test("the flip to a new index is seen by a process that remembers answers of the old", async () => {
  const embedders = async ({ model }: { model?: string | undefined }) =>
    Object.assign(new WordEmbedder(), { model: model ?? "first" });
  const a = await startTestApp({ embedders });
  const b = await startTestApp({ on: a, embedders, worker: false });
  await a.put("a.md", "The heron stands at the pond.");
  await a.embedded();
  expect(await b.search("heron")).toMatchObject({ model: "first" });
  await a.call("PATCH", "/v1/agents/main", { settings: { model: "second" } });
  await until(async () => (await b.search("heron")).model === "second");
  expect((await b.search("heron")).results.map(({ path }) => path)).toEqual(["a.md"]);
  await b.drop();
  await a.drop();
});
