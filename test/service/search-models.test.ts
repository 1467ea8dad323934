import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("models that a search may ask", () => {
  let fake: FakeModel;
  let app: TestApp;
  /**
   * A second process of the service, with a very short model timeout. Tests may use it only with a
   * model that never answers.
   */
  let hasty: TestApp;
  beforeAll(async () => {
    fake = await startFakeModel();
    const env = {
      RECOLLECT_CHAT_PROVIDER: "openai-compatible",
      RECOLLECT_CHAT_BASE_URL: fake.url,
      RECOLLECT_CHAT_MODEL: "m",
      RECOLLECT_RERANK_BASE_URL: fake.url,
    };
    app = await startTestApp({ env });
    hasty = await startTestApp({ on: app, env: { ...env, RECOLLECT_MODEL_TIMEOUT_MS: "300" }, worker: false });
    const put = ["red", "green", "blue"].map((colour) => ({
      path: `${colour}.md`,
      content: `The ${colour} boat sails on Friday.`,
    }));
    put.push({ path: "answer.md", content: "Captain Ahab commands the vessel." });
    await app.call("POST", "/v1/agents/main/files", { put });
    await app.embedded();
  });
  afterAll(async () => {
    await hasty.drop();
    await app.drop();
    await fake.close();
  });
  const set = (query: unknown) => app.call("PATCH", "/v1/agents/main", { settings: { query } });

  test("a reranker orders the best hits, and its score is theirs", async () => {
    expect((await set({ rerank: { provider: "cohere-compatible", model: "r", candidates: 30 } })).status).toBe(200);
    fake.relevance = (_query, document) => (document.includes("blue") ? 0.95 : 0.2);
    const { results } = await app.search("boat on Friday", { minScore: 0, explain: true });
    expect(results[0]).toMatchObject({ path: "blue.md", score: 0.95, explain: { rerankScore: 0.95 } });
    expect(results.slice(1).every((hit) => hit.score <= 0.95)).toBe(true);
    expect(fake.requests.at(-1)?.body).toMatchObject({ model: "r", query: "boat on Friday" });
  });

  test.each(["hang", "truncated", { status: 500 }, { status: 401 }] as const)(
    "a reranker that fails (%j) changes nothing but the warning",
    async (fault) => {
      await set({ rerank: { provider: "none" } });
      const plain = await app.search("boat on Friday", { minScore: 0 });
      await set({ rerank: { provider: "cohere-compatible", model: "r" } });
      fake.fault = fault;
      const answer = await (fault === "hang" ? hasty : app).search("boat on Friday", { minScore: 0 });
      fake.fault = undefined;
      expect(answer.results).toEqual(plain.results);
      expect(answer.warning).toMatch(/not reranked/);
      await set({ rerank: null });
    },
  );

  test("the chat model grades passages", async () => {
    await set({ rerank: { provider: "chat" } });
    fake.reply = (user) => {
      const { passages } = JSON.parse(user) as { passages: { text: string }[] };
      return JSON.stringify({ grades: passages.map(({ text }) => (text.includes("green") ? 9 : 1)) });
    };
    expect((await app.search("boat", { minScore: 0 })).results[0]).toMatchObject({ path: "green.md", score: 0.9 });
    await set({ rerank: null });
  });

  test("a hypothetical passage finds what shares no word with the question", async () => {
    const query = "who is in charge";
    fake.reply = () => "Captain Ahab commands the vessel.";
    const before = await app.search(query, { minScore: 0 });
    await set({ hyde: { enabled: true } });
    const after = await app.search(query, { minScore: 0 });
    expect(after.results[0]?.path).toBe("answer.md");
    expect(after.results[0]?.vectorScore).toBeGreaterThan(
      before.results.find((hit) => hit.path === "answer.md")?.vectorScore ?? 0,
    );
    fake.fault = "hang";
    const late = await hasty.search(`${query} now`, { minScore: 0 });
    fake.fault = undefined;
    expect(late.warning).toMatch(/HyDE was left out/);
    expect(late.results.length).toBeGreaterThan(0);
    await set({ hyde: null });
  });

  test("a model that the operator has not set up is a warning, not an error", async () => {
    await set({ rerank: { provider: "cohere" } });
    const answer = await app.search("boat", { minScore: 0 });
    expect(answer.warning).toMatch(/No key for cohere/);
    expect(answer.results.length).toBeGreaterThan(0);
    await set({ rerank: null });
    expect((await set({ rerank: { provider: "acme" } })).status).toBe(400);
  });
});
