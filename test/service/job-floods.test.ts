import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

describe("jobs that are asked for again and again", () => {
  let api: TestApp;
  beforeAll(async () => {
    api = await startTestApp({ worker: false });
  });
  afterAll(() => api.drop());
  const jobs = async (agent: string) =>
    (await api.call<AgentStatus>("GET", `/v1/agents/${agent}/status`)).body.jobs as Required<AgentStatus["jobs"]>;

  test("searches ask once for a reindex that is due", async () => {
    await api.put("a.md", "Due", "due");
    await api.call("PATCH", "/v1/agents/due", { settings: { chunking: { tokens: 200, overlap: 20 } } });
    for (let i = 0; i < 20; i++) await api.search("due", {}, "due");
    expect((await jobs("due")).reindex?.waiting).toBe(1);
  });

  test("writes during an outage leave one job that waits, not one each", async () => {
    class Away extends WordEmbedder {
      asking = 0;
      override async embed(): Promise<Float32Array[]> {
        this.asking++;
        throw new AppError("embedder_unavailable", "The provider is away.");
      }
    }
    const away = new Away();
    const worker = await startTestApp({ on: api, embedder: away });
    for (let i = 0; i < 12; i++) {
      const before = away.asking;
      await api.put(`n${i}.md`, `Outage ${i}`, "outage");
      await until(async () => away.asking > before);
    }
    await until(async () => (await jobs("outage")).embed?.active === 0);
    expect((await jobs("outage")).embed?.waiting).toBeLessThanOrEqual(2);
    await worker.drop();
  });
});
