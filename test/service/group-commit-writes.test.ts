import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import type { Deps } from "../../src/service/deps.ts";
import { checkAgents } from "../support/check-agent.ts";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { byModel, OtherEmbedder, WordEmbedder, wordVector } from "../support/word-embedder.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe("writes of one agent at once", () => {
  let app: TestApp;
  const words = new WordEmbedder();
  const other = new OtherEmbedder();
  beforeAll(async () => {
    app = await startTestApp({
      embedders: byModel(words, other),
    });
  });
  afterAll(() => app.drop());

  const usage = async (agent: string) =>
    (await app.call<{ usage: { files: number; bytes: number } }>("GET", `/v1/agents/${agent}`)).body.usage;
  const create = (id: string, more: object = {}) => app.call("POST", "/v1/agents", { id, ...more });

  /** Commits no write before `count` writes wait for the commit. */
  async function together<T>(count: number, writes: () => Promise<T>): Promise<T> {
    const deps = app.runtime.deps as { fileCommits: Deps["fileCommits"] };
    const queues = deps.fileCommits;
    const all = Promise.withResolvers<void>();
    let come = 0;
    deps.fileCommits = {
      add: (queue, shareable) => {
        if (++come === count) all.resolve();
        return queues.add(queue, { ...shareable, commit: (works) => all.promise.then(() => shareable.commit(works)) });
      },
    };
    return writes().finally(() => {
      deps.fileCommits = queues;
    });
  }

  test("thirty-two share a transaction or two, and each has the answer it would have alone", async () => {
    await create("busy");
    await app.put("n1.md", "An older note.", "busy");
    await app.put("n2.md", "Note 2 of the heron.", "busy");
    const tall = "A paragraph about the heron at the pond.\n".repeat(120);
    const content = (i: number) => (i === 3 ? tall : `Note ${i} of the heron.`);
    let answers: Awaited<ReturnType<TestApp["put"]>>[] = [];
    const transactions = await countStatements(app, /UPDATE "?recollect"?\."?usage/i, async () => {
      const writes = () => Promise.all(numbers(32).map((i) => app.put(`n${i}.md`, content(i), "busy")));
      // An unchanged file is not written.
      answers = await together(31, writes);
    });
    expect(transactions).toBeLessThanOrEqual(2);
    for (const [i, { status, body }] of answers.entries()) {
      expect(status).toBe(200);
      const chunks = i === 3 ? body.chunks : 1;
      const wanted = { path: `n${i}.md`, status: i === 1 ? "updated" : i === 2 ? "unchanged" : "created", chunks };
      expect(body).toMatchObject(wanted);
      if (i !== 2) expect(body.pendingEmbeddings).toBe(body.chunks);
    }
    expect(answers[3]?.body.chunks).toBeGreaterThan(1);
    expect((await usage("busy")).files).toBe(32);
  });

  test("those with an idempotency key share one too, and each key has its own answer", async () => {
    await create("keyed");
    const key = await app.key(["tenant"]);
    const put = async (path: string, content: string, once: string) => {
      const answer = await app.runtime.app.request(`/v1/agents/keyed/files/${path}`, {
        method: "PUT",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": once },
        body: JSON.stringify({ content }),
      });
      return { status: answer.status, body: (await answer.json()) as { path: string } };
    };
    const all = () => Promise.all(numbers(8).map((i) => put(`n${i}.md`, `Note ${i}`, `key-${i}`)));
    let answers: Awaited<ReturnType<typeof put>>[] = [];
    const transactions = await countStatements(app, /UPDATE "?recollect"?\."?usage/i, async () => {
      answers = await together(8, all);
    });
    expect(transactions).toBeLessThanOrEqual(2);
    expect(answers.map(({ body }) => body.path)).toEqual(numbers(8).map((i) => `n${i}.md`));
    expect(await all()).toEqual(answers);
    // If two writes with one key come together, one is carried out and the other is not.
    const twice = await together(3, () =>
      Promise.all([put("x.md", "X", "same"), put("y.md", "Y", "same"), put("z.md", "Z", "own")]),
    );
    expect(twice[2]?.status).toBe(200);
    expect(
      twice
        .slice(0, 2)
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual([200, 409]);
    expect((await usage("keyed")).files).toBe(10);
  });

  test("a full quota refuses those that do not fit, and no others", async () => {
    await create("limited", { limits: { files: 10 } });
    const few = await together(24, () =>
      Promise.all(numbers(24).map((i) => app.put(`n${i}.md`, `Note ${i}`, "limited"))),
    );
    expect(few.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), ...Array(14).fill(413)]);
    await create("small", { limits: { bytes: 20_000 } });
    const contents = numbers(16).map((i) => (i === 9 ? "too much ".repeat(3000) : `Note ${i}`));
    const all = await together(16, () =>
      Promise.all(contents.map((content, i) => app.put(`n${i}.md`, content, "small"))),
    );
    expect(all.flatMap(({ status }, i) => (status === 200 ? [] : [[i, status]]))).toEqual([[9, 413]]);
    expect(await usage("small")).toMatchObject({ files: 15 });
  });

  test("what one gives back is not another's to take beyond a limit", async () => {
    await create("over");
    const put = (path: string, words: number) => app.put(path, "word ".repeat(words), "over");
    for (const i of numbers(6)) await put(`large${i}.md`, 1000);
    await app.call("PATCH", "/v1/agents/over", { limits: { bytes: 100 } });
    const writes = () => Promise.all([...numbers(6).map((i) => put(`large${i}.md`, 500)), put("new.md", 1)]);
    const answers = await together(7, writes);
    expect(answers.map(({ status }) => status)).toEqual([...Array(6).fill(200), 413]);
  });

  test("many writes of one file leave one of them whole", async () => {
    const write = (i: number) => app.put(i % 2 ? "same.md" : `own${i}.md`, `Version ${i} ${"of it ".repeat(i)}`, "one");
    await create("one");
    const answers = await together(16, () => Promise.all(numbers(16).map(write)));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const { body } = await app.call<{ content: string }>("GET", "/v1/agents/one/files/same.md");
    expect(body.content).toMatch(/^Version \d+ (of it )+$/);
    expect((await usage("one")).files).toBe(9);
  });

  test("while an index is built both have what is written at once, and what it takes over from is whole", async () => {
    await create("moving");
    await app.put("first.md", "The first note.", "moving");
    await app.embedded("moving");
    const gate = Promise.withResolvers<void>();
    other.gate = gate.promise;
    await app.call("PATCH", "/v1/agents/moving", { settings: { model: "other-words" } });
    const status = async () => (await app.call<AgentStatus>("GET", "/v1/agents/moving/status")).body;
    await until(async () => (await status()).reindex.state === "building");
    const during = await together(12, () =>
      Promise.all(numbers(12).map((i) => app.put(`b${i}.md`, `Note ${i} meanwhile`, "moving"))),
    );
    const across = numbers(12).map((i) => app.put(`f${i}.md`, `Note ${i} at the change`, "moving"));
    gate.resolve();
    other.gate = undefined;
    const answers = [...during, ...(await Promise.all(across))];
    expect(answers.map((answer) => answer.status)).toEqual(Array(24).fill(200));
    await until(async () => (await status()).model === "other-words");
    for (const agent of ["busy", "limited", "small", "over", "one", "moving"]) await app.embedded(agent);
    expect((await status()).files).toBe(25);
    // Checks files, chunks, embeddings and usage of all agents above. This embedder counts no
    // tokens, and a job updates the statistics.
    const problems = await checkAgents(app.db, (_model, text, dimensions) => wordVector(text, dimensions));
    expect(problems.filter((problem) => !/: (\d+ texts are counted|statistics count)/.test(problem))).toEqual([]);
  });
});
