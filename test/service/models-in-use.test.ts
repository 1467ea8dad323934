import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import { loadModelsInUse } from "../../src/service/embedding/warm-embedder.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** A model that is loaded into this process, as the built-in ones and GGUF files are. */
class OwnModel extends WordEmbedder {
  override readonly provider: string;
  override readonly model: string;
  constructor(provider: string, model: string) {
    super();
    [this.provider, this.model] = [provider, model];
  }
}

let database: TestDatabase;
let apps: TestApp[] = [];
let made: OwnModel[] = [];
/** Holds the making of models until it resolves. */
let held: Promise<void> | undefined;
beforeEach(async () => {
  [database, apps, made, held] = [await openTestDatabase(), [], [], undefined];
});
afterEach(async () => {
  for (const app of apps.reverse()) await app.drop();
  await database.drop();
});

async function start(usual = "new", env: Record<string, string> = {}): Promise<TestApp> {
  const models = new Map<string, OwnModel>();
  const embedders = async ({ provider, model = usual }: EmbeddingSettings) => {
    if (model === "former" && usual !== "former") await held;
    const one = models.get(model) ?? new OwnModel(provider === "auto" ? "builtin" : provider, model);
    if (!models.has(model)) made.push(one);
    models.set(model, one);
    return one;
  };
  const app = await startTestApp({ embedders, worker: false, on: database, env });
  apps.push(app);
  return app;
}

const loaded = () => made.filter(({ asked }) => asked.length > 0).map(({ model }) => model);

describe("the start", () => {
  test("loads the models that indexes were built with, each once, and no other", async () => {
    const before = await start("former");
    for (const agent of ["a", "b"]) await before.put("tea.md", "Green tea", agent);
    await before.call("POST", "/v1/agents", { id: "c", settings: { provider: "ollama", model: "elsewhere" } });
    await before.put("tea.md", "Green tea", "c");
    await before.call("POST", "/v1/agents", { id: "d", settings: { provider: "none" } });
    await before.put("tea.md", "Green tea", "d");
    made = [];
    const after = await start("new");
    expect(loaded()).toEqual([]);
    await loadModelsInUse(after.runtime.deps);
    expect(loaded()).toEqual(["former"]);
    expect(made.find(({ model }) => model === "former")?.asked).toHaveLength(1);
  });

  test("is not stopped by an agent that cannot be read, nor by a database without agents", async () => {
    const app = await start("former");
    await loadModelsInUse(app.runtime.deps);
    await app.put("tea.md", "Green tea", "a");
    await app.put("tea.md", "Green tea", "b");
    await database.db.executeSql("UPDATE recollect.agents SET schema_name = 'm_gone' WHERE id = 'b'");
    await loadModelsInUse(app.runtime.deps);
    expect(loaded()).toEqual(["former"]);
  });
});

describe("the reason for an answer by keyword", () => {
  test("a model that is still being loaded", async () => {
    await (await start("former")).put("tea.md", "Green tea");
    let open = () => {};
    held = new Promise((resolve) => {
      open = resolve;
    });
    const app = await start("new", { RECOLLECT_QUERY_EMBED_TIMEOUT_MS: "300" });
    const found = await app.search("tea");
    expect(found).toMatchObject({ mode: "keyword", results: [{ path: "tea.md" }] });
    expect(found.warning).toMatch(/^The model builtin\/former, which the index was built with, is still being loaded;/);
    open();
  });

  test("an index of a model of this process from before places were noted needs no place", async () => {
    await (await start("former")).put("tea.md", "Green tea");
    const { rows } = await database.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents",
    );
    await database.db.executeSql(`UPDATE "${rows[0]?.schema}".generations SET endpoint = NULL`);
    const app = await start("new");
    expect((await app.search("tea")).warning).toBeUndefined();
  });

  test("other dimensions", async () => {
    await (await start("former")).put("tea.md", "Green tea");
    const { rows } = await database.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents",
    );
    await database.db.executeSql(`UPDATE "${rows[0]?.schema}".generations SET dimensions = 32`);
    const found = await (await start("former")).search("tea");
    expect(found.warning).toContain("whose vectors had 32 dimensions; now they have 64.");
  });
});
