import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createClient, type RecollectClient } from "../../../src/client/client.ts";
import { runWaiting } from "../../../src/features/evaluation/evaluation-job.ts";
import { jobCaller } from "../../../src/service/core/authenticate.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { WordEmbedder, wordVector } from "../../support/word-embedder.ts";

describe("evaluations", () => {
  let app: TestApp;
  let client: RecollectClient;
  beforeAll(async () => {
    app = await startTestApp();
    client = createClient({ url: "http://localhost", fetch: async (url, init) => app.runtime.app.request(url, init) });
    await app.put("ports.md", "The gateway listens on port 9090.");
    await app.put("tax.md", "Quarterly tax figures of the subsidiary.");
    await app.embedded();
  });
  afterAll(() => app.drop());

  const QUESTIONS = {
    description: "Ports and taxes",
    items: [
      { id: "port", text: "gateway port", expected: [{ path: "ports.md" }] },
      { id: "tax", text: "tax figures", expected: [{ path: "tax.md", grade: 2 }, { path: "gone.md" }] },
      { id: "none", text: "heron", expected: [{ path: "herons.md" }] },
    ],
  };
  const measured = async (name: string, label: string) => {
    const { evaluations } = client.agent();
    const { id, state } = await evaluations.start(name, { label });
    expect(state).toBe("waiting");
    await until(async () => (await evaluations.run(name, id)).state !== "waiting");
    return evaluations.run(name, id);
  };

  test("a set is stored, changed, listed and deleted", async () => {
    const { evaluations } = client.agent();
    await evaluations.put("drafts", QUESTIONS);
    expect(await evaluations.set("drafts")).toMatchObject({
      name: "drafts",
      description: "Ports and taxes",
      questions: 3,
      items: [{ id: "port", expected: [{ path: "ports.md", grade: 1 }] }, { id: "tax" }, { id: "none" }],
      updatedBy: "local",
    });
    await evaluations.put("drafts", { items: QUESTIONS.items.slice(0, 1) });
    expect((await evaluations.sets()).sets).toMatchObject([{ name: "drafts", description: "", questions: 1 }]);
    expect(await evaluations.delete("drafts")).toEqual({ deleted: "drafts" });
    const missing = [
      () => evaluations.set("drafts"),
      () => evaluations.delete("drafts"),
      () => evaluations.start("drafts"),
    ];
    for (const ask of missing) await expect(ask()).rejects.toMatchObject({ code: "eval_not_found" });
  });

  test("a run asks each question, and two runs are compared", async () => {
    const { evaluations } = client.agent();
    await evaluations.put("work", QUESTIONS);
    const first = await measured("work", "before");
    expect(first).toMatchObject({ state: "done", label: "before", questions: 3, done: 3, error: null });
    expect(first.results).toMatchObject([
      { id: "port", text: "gateway port", rank: 1, measures: { ndcg10: 1, recall1: 1, mrr10: 1 } },
      { id: "tax", rank: 1, measures: { recall10: 0.5 } },
      { id: "none", rank: null, measures: { ndcg10: 0 } },
    ]);
    expect(first.results[0]?.found[0]).toBe("ports.md");
    expect(first.summary).toMatchObject({ missed: 1, measures: { recall1: { mean: (1 + 0.5) / 3 } } });
    await app.put("herons.md", "The heron stands in the pond.");
    await app.embedded();
    const second = await measured("work", "after");
    const compared = await evaluations.compare("work", second.id, first.id);
    expect(compared).toMatchObject({
      before: { label: "before" },
      after: { label: "after" },
      shared: 3,
      measures: { ndcg10: { wins: 1, losses: 0, ties: 2 } },
    });
    expect(compared.questions[0]).toMatchObject({ id: "none", change: "better", rankBefore: null, rankAfter: 1 });
    expect((await evaluations.runs("work")).runs.map(({ label }) => label)).toEqual(["after", "before"]);
    await evaluations.deleteRun("work", first.id);
    expect((await evaluations.runs("work")).runs).toHaveLength(1);
    await expect(evaluations.compare("work", second.id, first.id)).rejects.toMatchObject({ code: "eval_not_found" });
  });

  test("a set changed between two runs is compared by the questions that stayed", async () => {
    const { evaluations } = client.agent();
    await evaluations.put("moving", QUESTIONS);
    const first = await measured("moving", "");
    const [port, tax] = QUESTIONS.items;
    await evaluations.put("moving", { items: [port, { ...tax, text: "another question" }] as never });
    const second = await measured("moving", "");
    expect(await evaluations.compare("moving", second.id, first.id)).toMatchObject({ shared: 1 });
    await evaluations.put("moving", { items: [{ id: "new", text: "new", expected: [{ path: "a.md" }] }] });
    const third = await measured("moving", "");
    await expect(evaluations.compare("moving", third.id, first.id)).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("sets are bounded, and an agent without a memory search fails a run with the reason", async () => {
    const { evaluations } = client.agent();
    const put = (body: object) => app.call("PUT", "/v1/agents/main/eval-sets/bad", body);
    const item = { id: "a", text: "b", expected: [{ path: "c.md" }] };
    for (const items of [
      [],
      [item, item],
      [{ ...item, expected: [] }],
      [{ ...item, text: " " }],
      Array.from({ length: 301 }, (_, n) => ({ ...item, id: String(n) })),
    ])
      expect((await put({ items })).status).toBe(400);
    expect((await app.call("PUT", "/v1/agents/main/eval-sets/A%20B", { items: [item] })).status).toBe(400);
    await app.call("POST", "/v1/agents", { id: "off", settings: { enabled: false } });
    await client.agent("off").evaluations.put("x", { items: [item] });
    const { id } = await client.agent("off").evaluations.start("x");
    await until(async () => (await client.agent("off").evaluations.run("x", id)).state === "failed");
    expect((await client.agent("off").evaluations.run("x", id)).error).toEqual(expect.any(String));
    expect((await evaluations.sets()).sets.length).toBeLessThan(50);
  });
});

describe("runs that wait", () => {
  const embedder = new WordEmbedder();
  const questions = (about: string) =>
    Array.from({ length: 20 }, (_, n) => ({ id: `q${n}`, text: `${about} ${n}`, expected: [{ path: "ports.md" }] }));
  let app: TestApp;
  let client: RecollectClient;
  beforeAll(async () => {
    app = await startTestApp({ worker: false, embedder });
    client = createClient({ url: "http://localhost", fetch: async (url, init) => app.runtime.app.request(url, init) });
    await app.put("ports.md", "The gateway listens on port 9090.");
    await client.agent().evaluations.put("work", { items: questions("gateway port") });
  });
  afterAll(() => app.drop());

  test("are at most ten, and each is made once by two jobs at a time", async () => {
    const { evaluations } = client.agent();
    for (let n = 0; n < 10; n++) await evaluations.start("work", { label: String(n) });
    await expect(evaluations.start("work")).rejects.toMatchObject({ code: "invalid_request" });
    const { runs } = await evaluations.runs("work");
    for (const { id } of runs.slice(2)) await evaluations.deleteRun("work", id);
    const caller = jobCaller((await client.key()).tenantId);
    const { signal } = new AbortController();
    await Promise.all([1, 2].map(() => runWaiting(app.runtime.deps, caller, "main", signal)));
    const ended = (await evaluations.runs("work")).runs;
    expect(ended.map(({ state, done }) => ({ state, done }))).toEqual([
      { state: "done", done: 20 },
      { state: "done", done: 20 },
    ]);
  });

  test("are given up when somebody deletes them", async () => {
    const { evaluations } = client.agent();
    await evaluations.put("gone", { items: questions("pond") });
    const { id } = await evaluations.start("gone");
    const embed = vi.spyOn(embedder, "embed");
    embed.mockImplementationOnce(async (texts) => {
      await evaluations.deleteRun("gone", id);
      return texts.map((text) => wordVector(text, embedder.dimensions));
    });
    const caller = jobCaller((await client.key()).tenantId);
    await runWaiting(app.runtime.deps, caller, "main", new AbortController().signal);
    expect(embed).toHaveBeenCalledTimes(10);
    await expect(evaluations.run("gone", id)).rejects.toMatchObject({ code: "eval_not_found" });
  });
});
