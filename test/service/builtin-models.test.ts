import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import { DEFAULT_EMBEDDING_MODEL, FORMER_DEFAULT_MODELS } from "../../src/onnx/model-table.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { embedderOpener } from "../../src/wiring/open-embedder.ts";
import { type ArchiveApp, startArchiveApp } from "../support/archive-app.ts";
import { startTestApp, type TestApp, type TestAppOptions } from "../support/test-app.ts";
import { writeTinyModel } from "../support/tiny-model.ts";
import { until } from "../support/until.ts";

describe("models of the operator's folder", () => {
  let root: string;
  let app: TestApp;
  const env = () => ({ RECOLLECT_MODELS_DIR: join(root, "models"), RECOLLECT_CACHE_DIR: join(root, "cache") });
  const start = (more: Partial<TestAppOptions> = {}) => {
    const named = { ...env(), RECOLLECT_PROVIDER: "builtin", RECOLLECT_MODEL: "one", ...more.env };
    const embedders = embedderOpener(readConfig(named), createLogger("silent"));
    return startTestApp({ ...more, env: named, embedders });
  };
  const set = (settings: unknown) => app.call("PATCH", "/v1/agents/main", { settings });
  const status = async () => (await app.call<AgentStatus>("GET", "/v1/agents/main/status")).body;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "recollect-models-"));
    const { RECOLLECT_MODELS_DIR: modelsDir } = env();
    for (const name of ["one", "two"]) writeTinyModel(modelsDir, name, "embedding", { int8: name === "two" });
    writeTinyModel(modelsDir, "judge", "cross-encoder");
    app = await start();
    const notes = {
      "a.md": "The amber boat lies at the dock.",
      "b.md": "A gull, an eel.",
      "c.md": "Cedar on the ferry.",
    };
    await app.call("POST", "/v1/agents/main/files", {
      put: Object.entries(notes).map(([path, content]) => ({ path, content })),
    });
    await app.embedded();
  });
  afterAll(async () => {
    await app.drop();
    rmSync(root, { recursive: true, force: true });
  });

  test("another model builds a new index beside the one in use; one that is not there is refused and changes nothing", async () => {
    expect(await app.search("amber boat", { minScore: 0 })).toMatchObject({ mode: "hybrid", model: "one" });
    expect((await set({ model: "two" })).status).toBe(200);
    await until(async () => (await status()).model === "two");
    await app.embedded();
    const after = await app.search("amber boat", { minScore: 0 });
    expect(after).toMatchObject({ provider: "builtin", mode: "hybrid", model: "two" });
    expect(after.results[0]).toMatchObject({ path: "a.md", vectorScore: expect.any(Number) });
    const refused = await set({ model: "three" });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_settings" } } });
    expect(refused.body.error.message).toMatch(
      /No built-in model three is an embedding model\. Known models: all-MiniLM-L6-v2, /,
    );
    expect((await status()).model).toBe("two");
  });

  test("a reranker orders hits by what it reads; the floor is that of the score before it", async () => {
    await set({ query: { rerank: { provider: "builtin", model: "judge" } } });
    const query = "gull eel gull eel gull eel and the amber boat";
    const { results, warning } = await app.search(query, { minScore: 0, explain: true });
    expect(warning).toBeUndefined();
    expect(results[0]?.path).toBe("b.md");
    // The score is six minus two: two words of the passage are in the question, each three times.
    expect(results[0]?.score).toBeCloseTo(1 / (1 + Math.exp(-4)), 5);
    const plain = Math.max(...results.map((hit) => hit.score));
    await set({ query: { rerank: { provider: "none" } } });
    const before = await app.search(query, { minScore: 0 });
    const floor = Math.min(...before.results.map((hit) => hit.score)) + 1e-6;
    await set({ query: { rerank: { provider: "builtin", model: "judge" } } });
    const floored = await app.search(query, { minScore: floor });
    const kept = before.results.filter((hit) => hit.score >= floor).map((hit) => hit.path);
    expect(floored.results.map((hit) => hit.path).sort()).toEqual(kept.sort());
    expect(plain).toBeGreaterThan(0.9);
  });

  test("one that is not there changes nothing but the warning", async () => {
    await set({ query: { rerank: { provider: "none" } } });
    const plain = await app.search("amber boat", { minScore: 0 });
    await set({ query: { rerank: { provider: "builtin", model: "nobody" } } });
    const answer = await app.search("amber boat", { minScore: 0 });
    expect(answer.results).toEqual(plain.results);
    expect(answer.warning).toMatch(/^The hits are not reranked\. No built-in model nobody is a cross-encoder/);
  });

  test("past the deadline the order stays as it was, with a warning", async () => {
    // A thread and a model do not start in ten milliseconds.
    const hasty = await start({ on: app, env: { RECOLLECT_MODEL_TIMEOUT_MS: "10" }, worker: false });
    await set({ query: { rerank: { provider: "none" } } });
    const plain = await hasty.search("amber boat", { minScore: 0 });
    await set({ query: { rerank: { provider: "builtin", model: "judge" } } });
    const answer = await hasty.search("amber boat", { minScore: 0 });
    await hasty.runtime.close();
    expect(answer.results).toEqual(plain.results);
    expect(answer.warning).toMatch(/The hits are not reranked\. It took longer than 10 ms\.$/);
  });
});

describe("the default model", () => {
  let root: string;
  let app: ArchiveApp;
  const status = async (agent: string) => (await app.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "recollect-models-"));
    const env = { RECOLLECT_CACHE_DIR: root, RECOLLECT_PROVIDER: "builtin" };
    const embedders = embedderOpener(readConfig(env), createLogger("silent"));
    app = await startArchiveApp({ env, embedders });
  });
  afterAll(async () => {
    await app.drop();
    rmSync(root, { recursive: true, force: true });
  });

  test("an index of a former one stays in use where settings name no model, also as an archive, until a reindex is asked for", async () => {
    const [former = ""] = FORMER_DEFAULT_MODELS;
    await app.call("POST", "/v1/agents", { id: "main", settings: { model: former } });
    await app.put("boat.md", "The amber boat lies at the dock.");
    await app.embedded();
    await app.call("PATCH", "/v1/agents/main", { settings: { model: null } });
    const question = "where is the ship?";
    expect(await app.search(question, { minScore: 0 })).toMatchObject({ mode: "hybrid", model: former });
    await app.rested();
    expect(await status("main")).toMatchObject({ model: former, reindex: { state: "none" } });

    const copied = await app.import(await app.export("main", "?vectors=true"), "?as=copy");
    expect(copied.body).toMatchObject({ vectorsUsed: true, pendingEmbeddings: 0 });
    expect(await app.search(question, { minScore: 0 }, "copy")).toMatchObject({ mode: "hybrid", model: former });

    await app.call("POST", "/v1/agents", { id: "new" });
    await app.put("boat.md", "The amber boat lies at the dock.", "new");
    expect((await status("new")).model).toBe(DEFAULT_EMBEDDING_MODEL);
    // If it is named, the default is handled like any other model.
    await app.call("PATCH", "/v1/agents/copy", { settings: { model: DEFAULT_EMBEDDING_MODEL } });
    await until(async () => (await status("copy")).model === DEFAULT_EMBEDDING_MODEL);
    expect((await status("main")).model).toBe(former);
    await app.call("POST", "/v1/agents/main/reindex", {});
    await until(async () => (await status("main")).model === DEFAULT_EMBEDDING_MODEL);
  });
});
