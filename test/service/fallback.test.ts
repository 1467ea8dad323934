import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import { hurryJobs } from "../support/hurry-jobs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/**
 * If the provider keeps failing, an index of the fallback replaces the provider's own index until
 * the provider is back.
 */

class Named extends WordEmbedder {
  override readonly provider: string;
  override readonly model: string;
  constructor(provider: string) {
    super();
    this.provider = provider;
    this.model = `${provider}-words`;
  }
}

let app: TestApp;
let [primary, spare]: Named[] = [];
beforeEach(async () => {
  [primary, spare] = [new Named("mistral"), new Named("builtin")];
  const embedders = async ({ provider }: EmbeddingSettings) => (provider === "builtin" ? spare : primary);
  app = await startTestApp({ embedders });
});
afterEach(() => app.drop());

const down = () => new AppError("embedder_unavailable", "The embedding provider answered with status 503.");
const set = (settings: unknown) => app.call("PATCH", "/v1/agents/main", { settings });
const waiting = async () =>
  (await app.runtime.deps.queue.list({ tenantId: undefined, agentId: "main", state: "waiting", limit: 10 })).map(
    ({ kind }) => kind,
  );
/** Resolves when searches use a provider. A delayed check of the providers runs at once. */
const servedBy = (name: string) =>
  until(async () => {
    await hurryJobs(app.db);
    return (await provider()) === name;
  }, `the index of ${name}`);
const provider = async () => (await app.search("tea")).provider;

test("a fallback takes over, and gives way again", async () => {
  await set({ provider: "mistral", fallback: "builtin" });
  await app.put("tea.md", "Green tea");
  await app.embedded();
  await app.rested();
  expect(await app.search("tea")).toMatchObject({ provider: "mistral", mode: "hybrid" });
  if (primary) primary.failure = down();
  const found = await app.search("tea for two");
  expect(found).toMatchObject({ provider: "mistral", mode: "keyword" });
  // A short outage does not start another index: the check comes later.
  expect(await waiting()).toContain("reindex");
  expect(spare?.asked).toEqual([]);

  await app.call("POST", "/v1/agents/main/reindex");
  await servedBy("builtin");
  expect(await app.search("tea for three")).toMatchObject({
    provider: "builtin",
    mode: "hybrid",
    fallback: { from: "mistral" },
    results: [{ path: "tea.md" }],
  });
  await app.put("coffee.md", "Black coffee");
  await app.embedded();
  expect(spare?.asked).toContain("Black coffee");

  if (primary) primary.failure = undefined;
  await servedBy("mistral");
  await app.embedded();
  const back = await app.search("coffee");
  expect(back).toMatchObject({ provider: "mistral", mode: "hybrid" });
  expect(back.results[0]?.path).toBe("coffee.md");
  expect(back).not.toHaveProperty("fallback");
});

test("a provider that answers again by then keeps its index, and without a fallback nothing is looked at", async () => {
  await set({ provider: "mistral", fallback: "builtin" });
  await app.put("tea.md", "Green tea");
  await app.embedded();
  await app.rested();
  if (primary) primary.failure = down();
  await app.search("tea");
  if (primary) primary.failure = undefined;
  await app.call("POST", "/v1/agents/main/reindex");
  const isAsked = async () => {
    await hurryJobs(app.db);
    return primary?.asked.includes("memory") === true;
  };
  await until(isAsked, "the look");
  expect(await provider()).toBe("mistral");
  expect(spare?.asked).toEqual([]);
});
