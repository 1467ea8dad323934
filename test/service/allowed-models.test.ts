import { afterEach, expect, test } from "vitest";
import { DEFAULT_EMBEDDING_MODEL } from "../../src/onnx/model-table.ts";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import type { ErrorBody, TestApp } from "../support/test-app.ts";
import { startTestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/**
 * The operator's keys pay for the models that tenants choose, so the operator can limit the choice.
 */

const apps: TestApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0).reverse()) await app.drop();
});

async function start(models: string | undefined, on?: TestApp) {
  const asked: EmbeddingSettings[] = [];
  const env = {
    RECOLLECT_PROVIDER: "openai",
    RECOLLECT_MODEL: "operators-own",
    OPENAI_API_KEY: "sk",
    ...(models === undefined ? {} : { RECOLLECT_ALLOWED_MODELS: models }),
  };
  const embedders = async (settings: EmbeddingSettings) => {
    asked.push(settings);
    return new WordEmbedder();
  };
  const app = await startTestApp({ env, embedders, worker: false, ...(on ? { on } : {}) });
  apps.push(app);
  return { app, asked };
}

test("a model that the operator does not offer is refused, and a word says which are", async () => {
  const { app } = await start("text-embedding-3-large, gpt-small,rerank-v3.5,gemini-embedding-001");
  const tenantId = await app.tenant("acme");
  const key = await app.key(["tenant", "agent:read", "agent:write", "search"], { tenantId });
  expect((await app.call("POST", "/v1/agents", { id: "a" }, key)).status).toBe(201);
  const set = (settings: unknown) => app.call<ErrorBody>("PATCH", "/v1/agents/a", { settings }, key);
  const refused: [string, unknown][] = [
    ["model", { model: "gpt-huge" }],
    ["model", { provider: "voyage", model: null }],
    ["model", { provider: "auto", model: null }],
    ["fallback", { fallback: "mistral" }],
    ["query.rerank.model", { query: { rerank: { provider: "cohere", model: "rerank-huge" } } }],
    ["query.rerank.model", { query: { rerank: { provider: "voyage" } } }],
    ["query.rerank.model", { query: { rerank: { provider: "chat", model: "gpt-huge" } } }],
    ["query.hyde.model", { query: { hyde: { model: "gpt-huge" } } }],
    ["facts.capture.model", { facts: { capture: { model: "gpt-huge" } } }],
    ["facts.ingest.model", { facts: { ingest: { model: "gpt-huge" } } }],
  ];
  for (const [path, settings] of refused) {
    const { status, body } = await set(settings);
    expect([path, status, body.error?.code]).toEqual([path, 400, "invalid_settings"]);
    expect(body.error.message).toContain(`settings.${path}: the operator of this server does not offer`);
    expect(body.error.message).toContain("gpt-small");
  }
  const offered = [
    { model: "text-embedding-3-large" },
    { model: "operators-own" },
    { provider: "gemini", model: "gemini-embedding-001" },
    { provider: "none" },
    { query: { rerank: { provider: "cohere" } } },
    { query: { rerank: { provider: "chat" }, hyde: { enabled: true, model: "gpt-small" } } },
  ];
  for (const settings of offered) expect([settings, (await set(settings)).status]).toEqual([settings, 200]);
  // The list holds for all: for the tenant's settings, for an archive, and for an operator who sets
  // up one agent.
  const tenant = await app.call<ErrorBody>("PATCH", "/v1/tenant", { settings: { model: "gpt-huge" } }, key);
  expect(tenant.body.error?.message).toContain("does not offer the model gpt-huge");
  const operator = await app.call("POST", "/v1/agents", { id: "b", settings: { model: "gpt-huge" } });
  expect(operator.status).toBe(400);
});

test("who offers a former default of the built-in model offers the default", async () => {
  const { app } = await start("all-MiniLM-L6-v2");
  const set = (settings: unknown) => app.call<ErrorBody>("PATCH", "/v1/agents/main", { settings });
  expect((await set({ provider: "builtin", model: DEFAULT_EMBEDDING_MODEL })).status).toBe(200);
  expect((await set({ provider: "builtin", model: "gte-small" })).status).toBe(400);
});

test("a model that is no longer offered is no longer asked", async () => {
  const { app: before } = await start(undefined);
  await before.put("tea.md", "tea");
  const settings = { model: "gpt-huge", query: { hyde: { model: "gpt-huge" } } };
  expect((await before.call("PATCH", "/v1/agents/main", { settings })).status).toBe(200);
  const { app, asked } = await start("text-embedding-3-large", before);
  await app.search("tea");
  expect(asked.map(({ model }) => model)).not.toContain("gpt-huge");
  const { body } = await app.call<{ settings: object }>("GET", "/v1/agents/main/settings");
  expect(body.settings).toMatchObject({ model: "operators-own" });
  expect(JSON.stringify(body.settings)).not.toContain("gpt-huge");
  // A model chosen earlier does not prevent another change.
  expect((await app.call("PATCH", "/v1/agents/main", { settings: { citations: "on" } })).status).toBe(200);
});

test("an agent's concurrency is a share of the operator's, and cannot be more", async () => {
  const { app } = await start(undefined);
  const set = (nonBatchConcurrency: number) =>
    app.call<ErrorBody>("PATCH", "/v1/agents/main", { settings: { remote: { nonBatchConcurrency } } });
  expect((await set(2)).status).toBe(200);
  const { status, body } = await set(5);
  expect([status, body.error.code]).toEqual([400, "invalid_settings"]);
  expect(body.error.message).toContain("must be at most 4, the concurrent requests");
});
