import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEmbedder } from "../../src/embeddings/create-embedder.ts";
import type { EmbeddingSettings } from "../../src/service/embedding/embedder-registry.ts";
import { fakeLlama } from "../support/fake-llama.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

/** An agent whose GGUF file is missing continues by keyword, and reports the reason everywhere. */

const MISSING = "There is no model file to read at local.modelPath.";

let folder: string;
let apps: TestApp[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-gguf-"));
});
afterAll(async () => {
  for (const app of apps.reverse()) await app.drop();
  await rm(folder, { recursive: true });
});

const start = async (on?: TestApp) => {
  const embedders = ({ provider, local }: EmbeddingSettings) =>
    createEmbedder({ provider, local, cacheDir: folder, loadEngine: async () => fakeLlama().engine });
  const env = { RECOLLECT_PROVIDER: "none" };
  const app = await startTestApp({ env, embedders, worker: on === undefined, ...(on ? { on } : {}) });
  apps = [...apps, app];
  return app;
};

async function says(app: TestApp, agent: string) {
  const found = await app.search("tea", {}, agent);
  const { body: status } = await app.call<{ vector: unknown }>("GET", `/v1/agents/${agent}/status`);
  const { body: doctor } = await app.call<{ findings: { check: string }[] }>("GET", `/v1/doctor?agent=${agent}`);
  return { found, vector: status.vector, provider: doctor.findings.find(({ check }) => check === "provider") };
}

test("search, status and doctor name the file, whether the index is older than its loss or not", async () => {
  const modelPath = join(folder, "model.gguf");
  await writeFile(modelPath, "weights");
  const app = await start();
  const settings = { provider: "local", local: { modelPath } };
  expect((await app.call("PATCH", "/v1/tenant", { settings })).status).toBe(200);
  await app.call("POST", "/v1/agents", { id: "early" });
  await app.put("tea.md", "Green tea", "early");
  await app.embedded("early");
  const before = await says(app, "early");
  expect(before).toMatchObject({ found: { mode: "hybrid" }, vector: { ready: true }, provider: { state: "ok" } });
  expect(before.vector).not.toHaveProperty("problem");
  await app.rested();

  await rename(modelPath, `${modelPath}.away`);
  const later = await start(app);
  expect((await later.put("tea.md", "Black tea")).status).toBe(200);
  for (const agent of ["early", "main"])
    expect([agent, await says(later, agent)]).toMatchObject([
      agent,
      {
        found: { mode: "keyword", results: [{ path: "tea.md" }], warning: expect.stringContaining(MISSING) },
        vector: { ready: false, problem: MISSING },
        provider: { state: "failed", message: MISSING, remedy: expect.stringContaining("Put the GGUF file") },
      },
    ]);
});
