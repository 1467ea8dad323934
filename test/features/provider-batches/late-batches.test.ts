import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeBatches, startFakeBatches } from "../../support/fake-batches.ts";
import { type BatchApp, startBatchApp } from "./batch-agent.ts";

const CHUNKS = 210;

describe.each(["openai", "gemini"] as const)("batches of %s that end late", (provider) => {
  let fake: FakeBatches;
  let api: BatchApp;
  const late = { clock: () => new Date(Date.now() + 31 * 60_000) };
  beforeAll(async () => {
    fake = await startFakeBatches(provider);
    api = await startBatchApp(fake, provider);
  });
  afterAll(async () => {
    await api.app.drop();
    await fake.close();
  });

  const submit = async (agent: string) => {
    Object.assign(fake, { steady: {}, batches: [], seen: [] });
    fake.charged.clear();
    await api.fill(agent, CHUNKS, { timeoutMinutes: 30 });
    await api.embed(agent);
    await api.advance(agent);
    expect(fake.batches.length).toBe(1);
  };
  const outcome = async (agent: string) => [
    await api.pending(agent),
    new Set(fake.charged.values()),
    await api.wrong(agent),
    fake.seen.includes("embed"),
  ];

  test("what was done while nobody looked is taken, not paid for again", async () => {
    await submit("ended");
    fake.finish("completed");
    fake.steady = { cancel: { status: 400 } };
    await api.advance("ended", late);
    expect(await outcome("ended")).toEqual([0, new Set([1]), [], false]);
  });

  test.each([400, 409])(
    "so is what was done just before it was cancelled, which is answered with %i",
    async (status) => {
      const agent = `just${status}`;
      await submit(agent);
      const { batches } = api.embedder;
      if (!batches) throw new Error("no batches");
      fake.steady = { cancel: { status } };
      const cancel = (id: string, signal: AbortSignal) => {
        fake.finish("completed");
        return batches.cancel(id, signal);
      };
      const raced = { ...api.embedder, batches: { ...batches, cancel } };
      await api.advance(agent, {
        ...late,
        embedders: { forSettings: async () => raced, forGeneration: async () => raced },
      });
      expect(await outcome(agent)).toEqual([0, new Set([1]), [], false]);
    },
  );

  test("what is planned beside one that runs and makes no batch is embedded at once", async () => {
    await submit("repeats");
    const put = Array.from({ length: 100 }, (_, i) => ({ path: `r${i}.md`, content: "the same private note" }));
    for (const folder of ["a", "b"]) {
      const files = put.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
      await api.app.call("POST", "/v1/agents/repeats/files", { put: files });
    }
    await api.embed("repeats");
    expect(await api.pending("repeats")).toBe(CHUNKS + 200);
    await api.app.db.executeSql("DELETE FROM recollect_jobs.job WHERE name = 'embed'");
    await api.advance("repeats");
    const jobs = "SELECT 1 FROM recollect_jobs.job WHERE name = 'embed' AND state = 'created'";
    expect((await api.app.db.executeSql(jobs)).rows).not.toEqual([]);
    await api.embed("repeats");
    expect(await api.pending("repeats")).toBe(CHUNKS);
    fake.finish("cancelled");
  });

  test("what it holds is not paid for by an index that is being built and may have no batches", async () => {
    await submit("building");
    const settings = { chunking: { tokens: 300, overlap: 40 }, remote: { batch: { enabled: false } } };
    expect((await api.app.call("PATCH", "/v1/agents/building", { settings })).status).toBe(200);
    await api.reindex("building");
    await api.embed("building");
    expect(fake.seen.includes("embed")).toBe(false);
    fake.finish("completed");
    await api.advance("building");
    await api.embed("building");
    await api.reindex("building");
    const { body } = await api.app.call("GET", "/v1/agents/building/status");
    expect(body).toMatchObject({ pendingEmbeddings: 0, reindex: { state: "none" } });
    expect([fake.charged.size, new Set(fake.charged.values())]).toEqual([CHUNKS, new Set([1])]);
  });
});
