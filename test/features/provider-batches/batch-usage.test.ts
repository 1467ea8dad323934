import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageReport } from "../../../src/service/admin/read-embedding-usage.ts";
import { type FakeBatches, startFakeBatches } from "../../support/fake-batches.ts";
import { type BatchApp, startBatchApp } from "./batch-agent.ts";

describe("the usage of provider batches", () => {
  let fake: FakeBatches;
  let api: BatchApp;
  beforeAll(async () => {
    fake = await startFakeBatches("openai");
    api = await startBatchApp(fake, "openai", {
      prices: { openai: { "a-model": { direct: 20_000_000, batch: 10_000_000 } } },
    });
  });
  afterAll(async () => {
    await api.app.drop();
    await fake.close();
  });
  const report = async (query: string) =>
    (await api.app.call<UsageReport>("GET", `/v1/usage/embeddings?${query}`)).body;
  const line = { day: new Date().toISOString().slice(0, 10), provider: "openai", model: "a-model" };

  test("a batch is counted once, at its own price, also when its results had to be fetched twice", async () => {
    await api.fill("batched", 250);
    await api.embed("batched");
    await api.advance("batched");
    fake.finish("completed");
    fake.script.download = ["cut"];
    await api.advance("batched");
    expect(await api.pending("batched")).toBeGreaterThan(0);
    const tokens = (await report("agentId=batched")).totals.tokens;
    expect(tokens).toBe((250 - (await api.pending("batched"))) * 7);
    await api.advance("batched");
    expect((await report("agentId=batched")).entries).toEqual([
      { ...line, agentId: "batched", kind: "document", requests: 250, texts: 250, tokens: 1750, costNanoUsd: 17_500 },
    ]);
  });
});
