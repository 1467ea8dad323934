import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "../../src/base/logger.ts";
import { readConfig } from "../../src/config/config.ts";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import { embedderOpener } from "../../src/wiring/open-embedder.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { type FakeEmbeddings, startFakeEmbeddings } from "../support/fake-embeddings.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/**
 * An index is only ever asked at the address it was made with. If that is not available, search is
 * by keyword.
 */

const KEY = "sk-operators-key";

let [here, there]: FakeEmbeddings[] = [];
let database: TestDatabase;
let apps: TestApp[] = [];
let opened: EmbeddingSettings[] = [];
beforeEach(async () => {
  [here, there] = [await startFakeEmbeddings(1536), await startFakeEmbeddings(1536)];
  [apps, opened, database] = [[], [], await openTestDatabase()];
});
afterEach(async () => {
  for (const app of apps.reverse()) await app.drop();
  await database.drop();
  await here?.close();
  await there?.close();
});

/**
 * Starts a service on the database, with the embedding endpoint of the environment. Without a
 * worker it builds no index.
 */
async function start(env: Record<string, string> = {}, worker = false): Promise<TestApp> {
  const whole = { RECOLLECT_PROVIDER: "openai", OPENAI_API_KEY: KEY, RECOLLECT_BASE_URL: here?.url ?? "", ...env };
  const open = embedderOpener(readConfig({ RECOLLECT_LOG_LEVEL: "silent", ...whole }), createLogger("silent"));
  const embedders = (settings: EmbeddingSettings) => {
    opened.push(settings);
    return open(settings);
  };
  const app = await startTestApp({ env: whole, embedders, worker, on: database });
  apps.push(app);
  return app;
}

/** Makes an agent's index and stops. The next service on the database has no worker. */
async function index(): Promise<void> {
  const app = await start({}, true);
  await app.put("tea.md", "Green tea is drunk in the garden.");
  await app.embedded();
  expect(await app.search("tea")).toMatchObject({ mode: "hybrid" });
  await app.rested();
  await apps.pop()?.drop();
}

const atOpenAi = ({ provider, remote }: EmbeddingSettings) => provider === "openai" && remote.baseUrl === undefined;

describe("a question does not reach a place that the index was not made with", () => {
  beforeEach(index);

  test("when the agent takes another provider", async () => {
    const app = await start();
    opened = [];
    expect((await app.call("PATCH", "/v1/agents/main", { settings: { provider: "none" } })).status).toBe(200);
    const found = await app.search("what is drunk in the garden?");
    // The service must not send the operator's key to OpenAI's own address, because no setting
    // names that address.
    expect(opened.filter(atOpenAi)).toEqual([]);
    expect(found).toMatchObject({ mode: "keyword", results: [{ path: "tea.md" }] });
    expect(found.warning).toContain("openai/text-embedding-3-small");
  });

  test("when the operator's address changes", async () => {
    const app = await start({ RECOLLECT_BASE_URL: there?.url ?? "" });
    const found = await app.search("what is drunk in the garden?");
    expect(there?.requests).toEqual([]);
    expect(found).toMatchObject({ mode: "keyword", results: [{ path: "tea.md" }] });
    expect(found.warning).toBe(
      "The index was built with openai/text-embedding-3-small at another address than the current settings name. Search is by keyword only until a new index is ready.",
    );
    expect(await app.call("GET", "/v1/agents/main/status")).toMatchObject({
      body: { vector: { ready: false }, reindex: { state: "due" } },
    });
  });

  test("when an agent's own address and model change", async () => {
    const app = await start();
    const settings = { remote: { baseUrl: there?.url }, model: "text-embedding-3-large", outputDimensionality: 32 };
    expect((await app.call("PATCH", "/v1/agents/main", { settings })).status).toBe(200);
    expect(await app.search("garden")).toMatchObject({ mode: "keyword" });
    await app.put("coffee.md", "Coffee is drunk inside.");
    await app.search("coffee");
    expect(there?.requests).toEqual([]);
  });

  test("when a new key has the same place, it is that place", async () => {
    const app = await start({ RECOLLECT_BASE_URL: `${here?.url}/`, OPENAI_API_KEY: "sk-new" });
    expect(await app.search("tea in gardens")).toMatchObject({ mode: "hybrid" });
    expect(here?.requests.at(-1)?.headers.authorization).toBe("Bearer sk-new");
  });

  test("with an index from before places were noted: it is where the settings are at first, and keeps that", async () => {
    const { rows } = await database.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents",
    );
    await database.db.executeSql(`UPDATE "${rows[0]?.schema}".generations SET endpoint = NULL`);
    const app = await start();
    expect(await app.search("tea in gardens")).toMatchObject({ mode: "hybrid" });
    const moved = await start({ RECOLLECT_BASE_URL: there?.url ?? "" });
    expect(await moved.search("tea in the gardens")).toMatchObject({ mode: "keyword" });
    expect(there?.requests).toEqual([]);
  });

  test("and documents reach the new place for the new index alone, which then answers", async () => {
    const app = await start({}, true);
    await app.call("PATCH", "/v1/agents/main", { settings: { remote: { baseUrl: there?.url } } });
    await app.search("garden");
    await app.rested();
    const before = here?.requests.length;
    expect(await app.search("the garden?")).toMatchObject({ mode: "hybrid" });
    expect(there?.asked.has("the garden?")).toBe(true);
    expect(here?.requests).toHaveLength(before ?? -1);
  });
});

describe("the former address answers until the new index takes over, if the operator names it", () => {
  beforeEach(index);
  const former = () => ({ RECOLLECT_FORMER_BASE_URL: here?.url ?? "", RECOLLECT_FORMER_API_KEY: "sk-former" });

  test("with its own key, which no other address gets", async () => {
    const app = await start({ RECOLLECT_BASE_URL: there?.url ?? "", OPENAI_API_KEY: "sk-new", ...former() });
    expect(await app.search("tea in gardens")).toMatchObject({ mode: "hybrid", results: [{ path: "tea.md" }] });
    expect(here?.requests.at(-1)?.headers.authorization).toBe("Bearer sk-former");
    await app.put("coffee.md", "Coffee is drunk inside.");
    expect(there?.requests).toEqual([]);
    await apps.pop()?.drop();

    const worker = await start({ RECOLLECT_BASE_URL: there?.url ?? "", OPENAI_API_KEY: "sk-new", ...former() }, true);
    await worker.search("garden");
    await worker.embedded();
    await worker.rested();
    const before = here?.requests.length;
    expect(await worker.search("the garden?")).toMatchObject({ mode: "hybrid" });
    expect(there?.asked.has("the garden?")).toBe(true);
    expect(here?.requests).toHaveLength(before ?? -1);
    const keys = (fake: FakeEmbeddings | undefined) => [
      ...new Set(fake?.requests.map(({ headers }) => headers.authorization)),
    ];
    expect(keys(there)).toEqual(["Bearer sk-new"]);
    expect(keys(here)).toEqual([`Bearer ${KEY}`, "Bearer sk-former"]);
  });

  test("also when another provider and model are wanted, and never where the index was not built", async () => {
    const ollama = { RECOLLECT_PROVIDER: "ollama", RECOLLECT_BASE_URL: there?.url ?? "", ...former() };
    const app = await start(ollama);
    expect(await app.search("tea in gardens")).toMatchObject({ mode: "hybrid", model: "text-embedding-3-small" });
    expect(there?.requests).toEqual([]);
    const asked = here?.requests.length;
    const elsewhere = await start({ ...ollama, RECOLLECT_FORMER_BASE_URL: `${there?.url}/elsewhere` });
    expect(await elsewhere.search("tea in the gardens")).toMatchObject({ mode: "keyword" });
    expect([here?.requests.length, there?.requests.length]).toEqual([asked, 0]);
  });

  test("its secrets are not stored with an agent", async () => {
    const app = await start();
    for (const secret of [{ apiKey: "sk-secret" }, { headers: { authorization: "x" } }]) {
      const settings = { remote: { former: { baseUrl: here?.url, ...secret } } };
      const answer = await app.call("PATCH", "/v1/agents/main", { settings });
      expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_settings"]);
    }
    const settings = { remote: { baseUrl: there?.url, former: { baseUrl: here?.url } } };
    expect((await app.call("PATCH", "/v1/agents/main", { settings })).status).toBe(200);
    expect(await app.search("tea in gardens")).toMatchObject({ mode: "hybrid" });
  });

  test("a new key alone needs no new index", async () => {
    const app = await start({ OPENAI_API_KEY: "sk-new" });
    await app.search("tea in gardens");
    expect(await app.call("GET", "/v1/agents/main/status")).toMatchObject({ body: { reindex: { state: "none" } } });
  });
});
