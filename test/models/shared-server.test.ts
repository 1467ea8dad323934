import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { runInContext } from "../../src/base/request-context.ts";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import { createResilienceRegistry } from "../../src/embeddings/provider-guard.ts";
import { openModels } from "../../src/models/open-models.ts";
import { type FakeEmbeddings, sendJson, startFakeEmbeddings } from "../support/fake-embeddings.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";

/**
 * Tenants share the operator's provider and key. The requests of one tenant must not be the reason
 * why another tenant gets no answer.
 */

let fake: FakeEmbeddings;
let chatServer: FakeModel;
beforeEach(async () => {
  fake = await startFakeEmbeddings(8);
  chatServer = await startFakeModel();
});
afterEach(async () => {
  await fake.close();
  await chatServer.close();
});

const as = <T>(tenantId: string, work: () => Promise<T>): Promise<T> =>
  runInContext({ tenantId, agentId: "main", statements: 0 }, work);
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "answered",
    (error: Error) => (error instanceof AppError ? error.code : error.name),
  );

/** Makes embedders of one process, which share their knowledge of the provider. */
function embedders() {
  const registry = createResilienceRegistry();
  return async (model: string, more: object = {}) => {
    const made = await createEmbedder({
      provider: "openai-compatible",
      cacheDir: "",
      baseUrl: fake.url,
      apiKey: "sk-shared",
      model,
      outputDimensionality: 8,
      timeoutMs: 60_000,
      ...more,
      resilience: { registry, laneLimit: 4, concurrency: 4, sleep: async () => undefined },
    });
    if (!made) throw new Error("no embedder");
    return made;
  };
}

test("one tenant's embedding model that answers 503 does not stop another's", async () => {
  const embedder = await embedders();
  const [good, bad] = [await embedder("good"), await embedder("bad")];
  fake.fault = (response) =>
    fake.requests.at(-1)?.body.model === "bad" ? sendJson(response, 503, { error: { message: "down" } }) : false;
  const model = (name: string) => (name === "a" ? bad : good);
  for (let i = 0; i < 5; i++)
    expect(await outcome(as("a", () => model("a").embed(["x"], "query")))).toBe("embedder_unavailable");
  const asked = fake.requests.length;
  expect(asked).toBeLessThan(15);
  expect(await outcome(as("b", () => model("b").embed(["y"], "query")))).toBe("answered");
});

test("requests of one tenant that hang leave the other tenants a place, whatever input types it makes up", async () => {
  const embedder = await embedders();
  const [good, hanging] = [await embedder("good"), await embedder("hanging")];
  fake.fault = () => fake.requests.at(-1)?.body.model === "hanging";
  await as("b", () => good.embed(["before"], "query"));
  const stop = new AbortController();
  const held: Promise<string>[] = [];
  for (let i = 0; i < 6; i++) {
    // Another input type gives another fingerprint, but no separate lane.
    const varied = await embedder("hanging", { queryInputType: `type-${i}` });
    held.push(
      outcome(as("a", () => hanging.embed([`h${i}`], "query", stop.signal))),
      outcome(as("a", () => varied.embed([`v${i}`], "query", stop.signal))),
    );
  }
  for (let i = 0; i < 5; i++) expect(await outcome(as("b", () => good.embed([`b${i}`], "query")))).toBe("answered");
  expect(fake.requests.filter(({ body }) => body.model === "hanging")).toHaveLength(3);
  stop.abort();
  expect(new Set(await Promise.all(held))).toEqual(new Set(["AbortError"]));
  // A caller that gives up does not count as a failure of the provider.
  fake.fault = undefined;
  expect(await outcome(as("a", () => hanging.embed(["now"], "query")))).toBe("answered");
});

const models = (concurrency: number) =>
  openModels(
    {
      chat: { provider: "openai-compatible", model: "usual", baseUrl: chatServer.url, apiKey: "sk" },
      rerank: { baseUrl: chatServer.url, keys: {} },
      concurrency,
    },
    { modelsDir: undefined, cacheDir: "" },
  );
const prompt = { system: "s", user: "u", maxTokens: 5 };

test("six chat requests that miss their own deadline cost nobody the next", async () => {
  const { chat } = models(4);
  chatServer.fault = "hang";
  const late = () => outcome(as("a", () => chat(undefined).complete(prompt, AbortSignal.timeout(30))));
  for (let i = 0; i < 6; i++) expect(await late()).toBe("TimeoutError");
  chatServer.fault = undefined;
  expect(await as("b", () => chat(undefined).complete(prompt, new AbortController().signal))).toBe("A passage.");
});

test("a chat model or reranker that fails is not held against the others of its server", async () => {
  const { chat, reranker } = models(4);
  const ask = (name: string) => outcome(as("a", () => chat(name).complete(prompt, new AbortController().signal)));
  const rerank = (name: string) =>
    outcome(as("a", () => reranker("cohere-compatible", name).rerank("q", ["t"], new AbortController().signal)));
  chatServer.fault = { status: 503 };
  for (let i = 0; i < 5; i++)
    expect([await ask("bad"), await rerank("bad")]).toEqual(Array(2).fill("model_unavailable"));
  chatServer.fault = undefined;
  expect([await ask("bad"), await rerank("bad")]).toEqual(Array(2).fill("model_unavailable"));
  expect([await ask("good"), await rerank("good")]).toEqual(["answered", "answered"]);
});
