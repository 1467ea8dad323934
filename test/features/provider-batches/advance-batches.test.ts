import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type BatchFault,
  type FakeBatches,
  type Outcome,
  type Stage,
  startFakeBatches,
} from "../../support/fake-batches.ts";
import { openEmbedder } from "../../support/provider-agent.ts";
import { until } from "../../support/until.ts";
import { type BatchApp, startBatchApp } from "./batch-agent.ts";

const CHUNKS = 210;

/**
 * Faults that happen once. `again`: a text may be charged a second time, because its first result
 * was useless.
 */
const FAULTS: [string, Stage, BatchFault, "again"?][] = [
  ["429 with Retry-After", "upload", { status: 429, headers: { "retry-after": "7" } }],
  ["500", "create", { status: 500 }],
  ["silence", "create", "hang"],
  ["an answer that is lost", "create", "lost"],
  ["a reset connection", "create", "reset"],
  ["429 with Retry-After", "get", { status: 429, headers: { "retry-after": "7" } }],
  ["500", "get", { status: 500 }],
  ["silence", "get", "hang"],
  ["a reset connection", "get", "reset"],
  ["a key that is wrong for a while", "get", { status: 401 }],
  ["500", "download", { status: 500 }],
  ["a reset connection", "download", "reset"],
  ["truncated lines", "download", "truncated", "again"],
  ["missing lines", "download", "few", "again"],
  ["another dimension", "download", "dimension", "again"],
  ["NaN", "download", "nan", "again"],
  ["no output", "get", "missing", "again"],
  ["files that cannot be deleted", "delete", { status: 500 }],
];

/** Batches that return no results, or only half of them. */
const OUTCOMES: Outcome[] = ["failed", "expired", "cancelled"];

describe.each(["openai", "gemini"] as const)("batches of %s", (provider) => {
  let fake: FakeBatches;
  let patient: BatchApp;
  /** An app that does not wait long for an answer. */
  let hasty: BatchApp;
  let api: BatchApp;
  let agents = 0;
  const newAgent = () => `agent${++agents}`;
  beforeAll(async () => {
    fake = await startFakeBatches(provider);
    patient = await startBatchApp(fake, provider);
    hasty = await startBatchApp(fake, provider, { timeoutMs: 300 });
    api = patient;
  });
  afterAll(async () => {
    await patient.app.drop();
    await hasty.app.drop();
    await fake.close();
  });
  afterEach(() => {
    api = patient;
    Object.assign(fake, { script: {}, steady: {}, batches: [], seen: [], key: "sk-very-secret-key" });
    fake.charged.clear();
    fake.files.clear();
  });
  const times = () => new Set(fake.charged.values());
  const expectNoSecret = async () => {
    const { rows } = await api.app.db.executeSql(
      "SELECT b::text FROM recollect.embedding_batches b UNION ALL SELECT data::text || coalesce(output::text, '') FROM recollect_jobs.job",
    );
    expect(JSON.stringify([rows, api.logged])).not.toMatch(/very-secret|Bearer|private note/);
  };
  /** Makes the batch and sends it. */
  const submit = async (agent: string, batch = {}) => {
    await api.fill(agent, CHUNKS, batch);
    await api.embed(agent);
    await api.advance(agent);
  };

  test("many chunks go as one batch at the end of which every vector is right and nothing is left behind", async () => {
    const agent = newAgent();
    await submit(agent);
    expect(fake.seen).toEqual(["upload", "create"]);
    await api.embed(agent);
    await api.advance(agent);
    expect([await api.pending(agent), fake.seen.at(-1)]).toEqual([CHUNKS, "get"]);
    fake.finish("completed");
    await api.advance(agent);
    expect([await api.pending(agent), await api.wrong(agent), await api.rows(agent)]).toEqual([0, [], []]);
    expect([fake.charged.size, times()]).toEqual([CHUNKS, new Set([1])]);
    expect(fake.seen.filter((stage) => stage === "embed")).toEqual([]);
    expect(fake.files.size).toBe(0);
    await expectNoSecret();
  });

  test("a few chunks are embedded directly, while a batch is under way too, and none twice", async () => {
    const agent = newAgent();
    await api.fill(agent, 5);
    await api.embed(agent);
    expect([await api.pending(agent), fake.batches.length]).toEqual([0, 0]);
    await api.write(agent, 1000, CHUNKS);
    await api.embed(agent);
    await api.advance(agent);
    await api.app.call("PUT", `/v1/agents/${agent}/files/new.md`, { content: "private note, new" });
    // This file has the same text as a pending file, under another name.
    await api.app.call("PUT", `/v1/agents/${agent}/files/copy.md`, { content: `private note 1001 of ${agent}` });
    await api.embed(agent);
    expect(await api.pending(agent)).toBe(CHUNKS + 1);
    expect(fake.charged.get("private note, new")).toBe(1);
    fake.finish("completed");
    await api.advance(agent);
    expect([await api.pending(agent), times(), await api.wrong(agent)]).toEqual([0, new Set([1]), []]);
  });

  test.each(FAULTS)("%s (%s) leaves every vector right", async (_what, stage, fault, again) => {
    const agent = newAgent();
    if (fault === "hang") api = hasty;
    fake.script[stage] = [fault];
    await submit(agent);
    for (let turn = 0; turn < 12 && (await api.pending(agent)) > 0; turn++) {
      fake.finish("completed");
      await api.embed(agent);
      await api.advance(agent);
    }
    expect([await api.pending(agent), await api.wrong(agent)]).toEqual([0, []]);
    expect(fake.charged.size).toBe(CHUNKS);
    expect(Math.max(...times())).toBe(again ? 2 : 1);
    await expectNoSecret();
  });

  test("results that drip in for ever are given up", async () => {
    const { batches } = await openEmbedder(fake, provider, 20);
    const signal = new AbortController().signal;
    const submitted = await openEmbedder(fake, provider);
    await submitted.batches?.submit("a-token", [{ id: "one", text: "private note" }], signal);
    fake.finish("completed");
    fake.script.download = ["drip"];
    const read = async () => {
      for await (const _ of batches?.results(fake.batches[0]?.outputFile ?? "", signal) ?? []);
    };
    await expect(read()).rejects.toMatchObject({ code: "embedder_unavailable" });
  });

  test.each(OUTCOMES)("a batch that ends %s: what it did is taken, the rest is embedded directly", async (outcome) => {
    const agent = newAgent();
    await submit(agent);
    fake.finish(outcome);
    await api.advance(agent);
    expect(await api.pending(agent)).toBe(outcome === "failed" ? CHUNKS : CHUNKS / 2);
    await api.drain(agent);
    expect([await api.pending(agent), times(), fake.batches.length]).toEqual([0, new Set([1]), 1]);
    expect(await api.wrong(agent)).toEqual([]);
    expect((await api.rows(agent)).map((row) => row.status)).toEqual(["direct"]);
  });

  test.each([401, 403, 404, 400])("an endpoint that answers %i is done without", async (status) => {
    const agent = newAgent();
    fake.steady = { upload: { status }, create: { status } };
    await submit(agent);
    await api.drain(agent);
    expect([await api.pending(agent), times(), await api.wrong(agent)]).toEqual([0, new Set([1]), []]);
    await expectNoSecret();
  });

  test("after its time a batch is cancelled, what it did is taken, the rest is embedded directly", async () => {
    const agent = newAgent();
    await submit(agent, { timeoutMinutes: 30 });
    const later = { clock: () => new Date(Date.now() + 31 * 60_000) };
    await api.advance(agent, later);
    expect(fake.seen.slice(2, 5)).toEqual(["get", "cancel", "get"]);
    await api.drain(agent);
    expect([await api.pending(agent), times(), await api.wrong(agent)]).toEqual([0, new Set([1]), []]);
  });

  test("a provider that is gone for good is given up after that", async () => {
    const agent = newAgent();
    await submit(agent, { timeoutMinutes: 30 });
    fake.steady = { get: "reset", cancel: "reset" };
    await api.advance(agent, { clock: () => new Date(Date.now() + 31 * 60_000) });
    expect((await api.rows(agent))[0]?.status).toBe("running");
    await api.advance(agent, { clock: () => new Date(Date.now() + 45 * 60_000) });
    expect((await api.rows(agent))[0]?.status).toBe("direct");
    await api.drain(agent);
    expect([await api.pending(agent), await api.wrong(agent)]).toEqual([0, []]);
  });

  test("a process that ends between note and answer costs nothing twice", async () => {
    const agent = newAgent();
    await api.fill(agent, CHUNKS);
    await api.embed(agent);
    for (const stage of ["upload", "create"] as const) {
      fake.script[stage] = ["hang"];
      const stop = new AbortController();
      const running = api.advance(agent, {}, stop.signal);
      await until(() => fake.seen.at(-1) === stage);
      stop.abort();
      await running;
      expect(await api.rows(agent)).toEqual([{ status: "submitting", remoteId: null }]);
    }
    // The batch arrived at the provider, and the process ended before it got the answer.
    fake.script.create = ["lost"];
    await api.advance(agent);
    expect([fake.batches.length, (await api.rows(agent))[0]?.remoteId]).toEqual([1, null]);
    await api.advance(agent);
    expect((await api.rows(agent))[0]?.remoteId).toBe(fake.batches[0]?.id);
    fake.finish("completed");
    await api.advance(agent);
    expect([await api.pending(agent), times(), fake.batches.length]).toEqual([0, new Set([1]), 1]);
  });

  test("no more batches at once than the settings say; the rest waits for the next, what is new does not", async () => {
    const agent = newAgent();
    await submit(agent, { concurrency: 1 });
    await api.write(agent, 1000, CHUNKS);
    await api.embed(agent);
    await api.advance(agent);
    expect(fake.batches.length).toBe(1);
    await api.write(agent, 5000, 3);
    await api.embed(agent);
    expect(await api.pending(agent)).toBe(2 * CHUNKS);
    fake.finish("completed");
    await api.advance(agent);
    expect([fake.batches.length, await api.pending(agent)]).toEqual([2, CHUNKS]);
    fake.finish("completed");
    await api.advance(agent);
    expect([await api.pending(agent), times(), await api.wrong(agent)]).toEqual([0, new Set([1]), []]);
  });

  test("erasing an agent cancels its batches and deletes their files", async () => {
    const agent = newAgent();
    await submit(agent);
    const { body } = await api.app.call<{ counts: Record<string, number> }>("DELETE", `/v1/agents/${agent}`);
    expect(body.counts.batches).toBe(1);
    expect(fake.batches.map((batch) => batch.outcome)).toEqual(["cancelled"]);
    expect([fake.files.has(fake.batches[0]?.inputFile ?? ""), await api.rows(agent)]).toEqual([false, []]);
    const items = "SELECT 1 FROM recollect.embedding_batch_items WHERE batch_id = $1";
    expect((await api.app.db.executeSql(items, [fake.batches[0]?.token])).rows).toEqual([]);
  });

  test("a batch whose index was given up for another model is cancelled, and its file deleted", async () => {
    const agent = newAgent();
    await submit(agent);
    const find = "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1";
    const { rows } = await api.app.db.executeSql<{ schema: string }>(find, [agent]);
    await api.app.db.executeSql(`UPDATE ${rows[0]?.schema}.generations SET status = 'dropped'`);
    const other = { ...api.embedder, model: "another-model" };
    await api.advance(agent, { embedders: { forSettings: async () => other, forGeneration: async () => undefined } });
    expect(fake.batches.map((batch) => batch.outcome)).toEqual(["cancelled"]);
    expect([fake.files.has(fake.batches[0]?.inputFile ?? ""), await api.rows(agent)]).toEqual([false, []]);
  });

  test("an index that is being built is embedded by batches too, and takes over after the last", async () => {
    const agent = newAgent();
    await api.fill(agent, CHUNKS);
    const { body } = await api.app.call<{ settings: unknown }>("PATCH", `/v1/agents/${agent}`, {
      settings: { chunking: { tokens: 300, overlap: 40 } },
    });
    expect(body.settings).toMatchObject({ chunking: { tokens: 300 } });
    await api.reindex(agent);
    await api.embed(agent);
    await api.advance(agent);
    // Both indexes have the same texts, so one batch serves both.
    fake.finish("completed");
    await api.advance(agent);
    await api.embed(agent);
    await api.reindex(agent);
    const status = await api.app.call<{ pendingEmbeddings: number; reindex: { state: string } }>(
      "GET",
      `/v1/agents/${agent}/status`,
    );
    expect(status.body).toMatchObject({ pendingEmbeddings: 0, reindex: { state: "none" } });
    expect([fake.charged.size, times()]).toEqual([CHUNKS, new Set([1])]);
  });

  test("the next poll is due when the settings say", async () => {
    const agent = newAgent();
    await submit(agent, { pollIntervalMs: 90_000 });
    const { rows } = await api.app.db.executeSql<{ seconds: number }>(
      `SELECT extract(epoch FROM start_after - created_on)::int AS seconds FROM recollect_jobs.job
        WHERE name = 'embed-batch' AND data->>'agentId' = $1 ORDER BY created_on DESC LIMIT 1`,
      [agent],
    );
    expect(rows[0]?.seconds).toBe(90);
  });
});
