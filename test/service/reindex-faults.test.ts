import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { DEFAULT_TENANT_ID } from "../../src/db/control/tenants.ts";
import { REINDEX_JOB } from "../../src/queue/job-contracts.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { byModel, OtherEmbedder, WordEmbedder } from "../support/word-embedder.ts";

/** More dimensions than pgvector can index. */
class WideEmbedder extends WordEmbedder {
  override readonly model: string = "wide";
  override readonly dimensions: number = 4096;
}
class PickyEmbedder extends WordEmbedder {
  override readonly model = "picky";
  refuses: (text: string) => boolean = () => true;
  override async embed(texts: readonly string[], inputType: "query" | "document", signal?: AbortSignal) {
    if (texts.some(this.refuses))
      throw new AppError("embedder_rejected", "No.", { details: { status: 400, fault: "text" } });
    return super.embed(texts, inputType, signal);
  }
}

describe("reindexing when something is wrong", () => {
  const other = new OtherEmbedder(64);
  const embedders = byModel<WordEmbedder>(new WordEmbedder(), other, new WideEmbedder());
  let api: TestApp;
  beforeAll(async () => {
    api = await startTestApp({ worker: false, embedders, env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "100" } });
  });
  afterAll(() => api.drop());
  const status = async (app: TestApp, agent: string) =>
    (await app.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body;

  test("a build that was cancelled is not begun again by jobs that were waiting", async () => {
    await api.put("a.md", "Amber", "calm");
    await api.call("PATCH", "/v1/agents/calm", { settings: { model: "other-words" } });
    let open = () => {};
    other.gate = new Promise((resolve) => {
      open = resolve;
    });
    const worker = await startTestApp({ on: api, embedders });
    await until(async () => (await status(api, "calm")).reindex.state === "building");
    await worker.drop();
    const payload = { tenantId: DEFAULT_TENANT_ID, agentId: "calm" };
    await api.runtime.deps.queue.send(api.db, REINDEX_JOB, payload);
    await api.call("DELETE", "/v1/agents/calm/reindex");
    open();
    const again = await startTestApp({ on: api, embedders });
    await until(async () => (await status(api, "calm")).jobs.reindex?.waiting === 0);
    await until(async () => (await status(api, "calm")).jobs.reindex?.active === 0);
    expect(await status(api, "calm")).toMatchObject({ model: "words", reindex: { state: "due" } });
    expect((await api.call("POST", "/v1/agents/calm/reindex", {})).status).toBe(202);
    await until(async () => (await status(api, "calm")).model === "other-words");
    await again.drop();
  });

  test("vectors that no index can hold are compared one by one", async () => {
    const put = Array.from({ length: 120 }, (_, i) => ({ path: `n${i}.md`, content: `Note ${i} of amber` }));
    for (const part of [put.slice(0, 60), put.slice(60)])
      expect((await api.call("POST", "/v1/agents/wide/files", { put: part })).status).toBe(200);
    const worker = await startTestApp({ on: api, embedders, env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "100" } });
    await api.embedded("wide");
    await api.call("PATCH", "/v1/agents/wide", { settings: { model: "wide" } });
    await until(async () => (await status(api, "wide")).model === "wide");
    expect(await status(api, "wide")).toMatchObject({ dimensions: 4096, vector: { ready: true, index: "exact" } });
    expect((await api.search("note 77 amber", {}, "wide")).mode).toBe("hybrid");
    await worker.drop();
  });

  test("a provider that refuses everything is not believed about a single text; a reindex by hand asks again", async () => {
    const picky = new PickyEmbedder();
    const strict = await startTestApp({ embedders: async () => picky });
    try {
      for (let i = 0; i < 4; i++) await strict.put(`n${i}.md`, `Note ${i}`);
      await until(async () => (await status(strict, "main")).jobs.embed?.waiting === 1);
      expect(await status(strict, "main")).toMatchObject({ pendingEmbeddings: 4, rejectedChunks: 0 });
      picky.refuses = (text) => text.includes("Note 2");
      const { body } = await strict.call<{ jobs: { id: string }[] }>("GET", "/v1/jobs?agentId=main&state=retry");
      for (const { id } of body.jobs) await strict.call("POST", `/v1/jobs/${id}/retry`, {});
      await strict.embedded();
      expect(await status(strict, "main")).toMatchObject({ pendingEmbeddings: 0, rejectedChunks: 1 });
      picky.refuses = () => false;
      await strict.call("POST", "/v1/agents/main/reindex", {});
      await until(async () => (await status(strict, "main")).rejectedChunks === 0);
      await strict.embedded();
    } finally {
      await strict.drop();
    }
  });
});
