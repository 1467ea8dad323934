import { afterEach, expect, test } from "vitest";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

class OfProvider extends WordEmbedder {
  override readonly provider: string;
  constructor(provider: string) {
    super();
    this.provider = provider;
  }
}

let app: TestApp;
afterEach(() => app.drop());
const status = async (agent: string) => (await app.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body;

test("the status names the fallback, and whether the index is made with it", async () => {
  // As createEmbedder does: it returns the fallback if the provider is not available.
  const embedders = async ({ model }: { model?: string | undefined }) =>
    new OfProvider(model === "away" ? "builtin" : "openai");
  app = await startTestApp({ worker: false, embedders });
  const make = async (id: string, settings: object) => {
    await app.call("POST", "/v1/agents", { id, settings: { provider: "openai", ...settings } });
    await app.put("a.md", "text", id);
    return status(id);
  };
  expect((await make("none", {})).fallback).toBeNull();
  const spare = { provider: "builtin", inUse: false };
  expect(await make("spare", { fallback: "builtin" })).toMatchObject({ provider: "openai", fallback: spare });
  const fallen = { provider: "builtin", inUse: true };
  expect(await make("fallen", { fallback: "builtin", model: "away" })).toMatchObject({
    provider: "builtin",
    fallback: fallen,
  });
  // The agent `main` has no write yet.
  expect((await status("main")).fallback).toBeNull();
});

test("the status says when a sync last ended", async () => {
  app = await startTestApp();
  expect((await status("main")).lastSyncAt).toBeNull();
  await app.put("a.md", "text");
  expect((await status("main")).lastSyncAt).toBeNull();
  const before = Date.now();
  expect((await app.call("POST", "/v1/agents/main/sync", {})).status).toBe(202);
  await until(async () => (await status("main")).lastSyncAt !== null);
  const at = Date.parse((await status("main")).lastSyncAt ?? "");
  // Compares with the clock of the same process, and allows a second for rounding.
  expect(at).toBeGreaterThan(before - 1000);
});
