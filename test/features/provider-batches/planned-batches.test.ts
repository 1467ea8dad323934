import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Embedder } from "../../../src/embeddings/embedder.ts";
import { EMBED_BATCH_JOB } from "../../../src/features/provider-batches/plan-batches.ts";
import { type FakeBatches, startFakeBatches } from "../../support/fake-batches.ts";
import { openEmbedder } from "../../support/provider-agent.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const FEW = 5;
const MANY = 210;

describe("batches beside single requests, with a worker", () => {
  let fake: FakeBatches;
  let app: TestApp;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  beforeAll(async () => {
    fake = await startFakeBatches("openai");
    const embedder = await openEmbedder(fake, "openai");
    let requests = 0;
    const embed: Embedder["embed"] = async (...args) => {
      const vectors = await embedder.embed(...args);
      if (++requests > 1) return vectors;
      asked.resolve();
      await answer.promise;
      return vectors;
    };
    app = await startTestApp({ embedders: async () => ({ ...embedder, embed }) });
  });
  afterAll(async () => {
    answer.resolve();
    await app.drop();
    await fake.close();
  });

  const write = async (from: number, count: number) => {
    const put = Array.from({ length: count }, (_, i) => ({ path: `n${from + i}.md`, content: `a note ${from + i}` }));
    for (let at = 0; at < count; at += 100)
      expect((await app.call("POST", "/v1/agents/a/files", { put: put.slice(at, at + 100) })).status).toBe(200);
  };
  const ended = "SELECT 1 FROM recollect_jobs.job WHERE name = 'embed-batch' AND state = 'completed'";

  test("a text whose answer is on its way is not planned again", async () => {
    const settings = { remote: { batch: { enabled: true, pollIntervalMs: 200 } } };
    expect((await app.call("POST", "/v1/agents", { id: "a", settings })).status).toBe(201);
    await write(0, FEW);
    await asked.promise;
    await write(1000, MANY);
    const { rows } = await app.db.executeSql<{ tenantId: string }>(
      `SELECT tenant_id AS "tenantId" FROM recollect.agents WHERE id = 'a'`,
    );
    const payload = { tenantId: rows[0]?.tenantId ?? "", agentId: "a" };
    await app.runtime.deps.queue.send(app.db, EMBED_BATCH_JOB, payload);
    await until(async () => (await app.db.executeSql(ended)).rows.length > 0);
    answer.resolve();
    await until(() => fake.batches.length > 0);
    await until(async () => {
      fake.finish("completed");
      const { body } = await app.call<{ pendingEmbeddings: number }>("GET", "/v1/agents/a/status");
      return body.pendingEmbeddings === 0;
    });
    expect([fake.charged.size, new Set(fake.charged.values())]).toEqual([FEW + MANY, new Set([1])]);
  });
});
