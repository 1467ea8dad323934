import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageReport } from "../../src/service/admin/read-embedding-usage.ts";
import { type FakeBatches, startFakeBatches } from "../support/fake-batches.ts";
import { type ProviderApp, startProviderApp } from "../support/provider-agent.ts";

describe("the usage of embedding providers", () => {
  let fake: FakeBatches;
  let api: ProviderApp;
  beforeAll(async () => {
    fake = await startFakeBatches("openai");
    api = await startProviderApp(fake, "openai", {
      prices: { openai: { "a-model": { direct: 20_000_000, batch: 10_000_000 } } },
    });
  });
  afterAll(async () => {
    await api.app.drop();
    await fake.close();
  });
  const today = new Date().toISOString().slice(0, 10);
  const report = async (query = "", key?: string) =>
    (await api.app.call<UsageReport>("GET", `/v1/usage/embeddings?${query}`, undefined, key)).body;
  const line = { day: today, provider: "openai", model: "a-model" };

  test("documents are counted with their vectors, queries a little later, each with its cost", async () => {
    await api.fill("direct", 150);
    await api.embed("direct");
    // Two requests of 100 and 50 texts, seven tokens each at 0.02 dollars a million.
    const documents = { ...line, agentId: "direct", kind: "document", requests: 2, texts: 150, tokens: 1050 };
    expect((await report("agentId=direct")).entries).toEqual([{ ...documents, costNanoUsd: 21_000 }]);
    await api.app.search("private note", {}, "direct");
    await api.app.search("private note", {}, "direct");
    await api.app.runtime.deps.queryUsage.flush();
    const { entries, totals } = await report("agentId=direct");
    const query = { ...line, agentId: "direct", kind: "query", requests: 1, texts: 1, tokens: 7, costNanoUsd: 140 };
    expect(entries).toEqual([{ ...documents, costNanoUsd: 21_000 }, query]);
    expect(totals).toEqual({ requests: 3, texts: 151, tokens: 1057, costNanoUsd: 21_140, unpricedTokens: 0 });
  });

  test("what the cache has costs nothing", async () => {
    await api.app.call("POST", "/v1/agents", { id: "second" });
    await api.app.call("PUT", "/v1/agents/second/files/a.md", { content: "private note 1 of direct" });
    await api.embed("second");
    expect((await report("agentId=second")).entries).toEqual([]);
    expect(await api.pending("second")).toBe(0);
  });

  test("a model whose price nobody knows has no cost, which is not a cost of nothing", async () => {
    const unknown = await startProviderApp(fake, "openai");
    await unknown.fill("main2", 3);
    await unknown.embed("main2");
    const { body } = await unknown.app.call<UsageReport>("GET", "/v1/usage/embeddings");
    expect(body.entries).toMatchObject([{ tokens: 21, costNanoUsd: null }]);
    expect(body.totals).toMatchObject({ tokens: 21, costNanoUsd: 0, unpricedTokens: 21 });
    await unknown.app.drop();
  });

  test("erasing an agent keeps the sums and forgets whose they were", async () => {
    await api.fill("kept", 3);
    await api.embed("kept");
    const before = (await report()).totals;
    await api.app.call("DELETE", "/v1/agents/direct");
    // Writes the usage of a search after the erasure.
    api.app.runtime.deps.queryUsage.add({
      tenantId: await tenantId(),
      agentId: "direct",
      ...line,
      kind: "query",
      requests: 1,
      texts: 1,
      tokens: 7,
      costNanoUsd: 140,
      unpricedTokens: 0,
    });
    await api.app.runtime.deps.queryUsage.flush();
    const { entries, totals } = await report();
    expect(entries.map((entry) => entry.agentId)).toEqual(["", "", "kept"]);
    expect(totals).toEqual({
      ...before,
      requests: before.requests + 1,
      texts: before.texts + 1,
      tokens: before.tokens + 7,
      costNanoUsd: before.costNanoUsd + 140,
    });
  });
  const tenantId = async () => {
    const { rows } = await api.app.db.executeSql<{ id: string }>("SELECT id FROM recollect.tenants LIMIT 1");
    return rows[0]?.id ?? "";
  };

  test("a tenant sees its own only; days and pages are as asked for", async () => {
    const rival = await api.app.key(["tenant"], { tenantId: await api.app.tenant("rival") });
    expect(await report("", rival)).toMatchObject({ entries: [], totals: { requests: 0 } });
    expect((await report("from=2020-01-01&to=2020-02-01")).entries).toEqual([]);
    const pages: UsageReport[] = [];
    for (let cursor = ""; pages.length < 5; ) {
      const page = await report(`limit=1${cursor && `&cursor=${cursor}`}`);
      pages.push(page);
      if (page.nextCursor === undefined) break;
      cursor = page.nextCursor;
    }
    expect(pages.flatMap((page) => page.entries)).toEqual((await report()).entries);
    expect(pages).toHaveLength(3);
    for (const query of [
      "from=2026-02-30",
      "from=1999-01-01",
      "from=2020-01-01",
      "cursor=x",
      `cursor=${Buffer.from(JSON.stringify(["2026-02-31", "", "", "", ""])).toString("base64url")}`,
      "limit=0",
      "to=2020-01-01&from=2020-01-02",
    ])
      expect((await api.app.call("GET", `/v1/usage/embeddings?${query}`)).status).toBe(400);
  });
});
