import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Embedder } from "../../src/embeddings/embedder.ts";
import { checkProvider, countLosses } from "../support/check-embeddings.ts";
import { checkService } from "../support/check-service.ts";
import { type MeteredProvider, startMeteredProvider } from "../support/metered-provider.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** Reports the cost of an answer, as providers do. */
class CountedEmbedder extends WordEmbedder {
  override embed(...[texts, inputType, signal, report]: Parameters<Embedder["embed"]>) {
    report?.({ tokens: texts.length, cutTexts: 0 });
    return super.embed(texts, inputType, signal);
  }
}

/**
 * The crash tests rely on this checker. Here each fault that it must find is made by hand, and
 * found.
 */
describe("the checker of a service at rest", () => {
  let app: TestApp;
  let schema: string;
  const embedder = new CountedEmbedder();
  const vectors = new Map<string, ArrayLike<number>>();
  const check = () =>
    checkService(app.db, { vectorOf: (_model, text) => vectors.get(text) ?? [], aloneOnServer: false });
  beforeAll(async () => {
    app = await startTestApp({ embedder, env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "3" } });
    const text = (n: number) => `# Part ${n}\n\n${"Words of this part. ".repeat(60)}`;
    await app.put("a.md", [1, 2, 3, 4].map(text).join("\n\n"));
    await app.put("b.md", "# Short");
    await app.call("PATCH", "/v1/agents/main", { settings: { sources: ["memory", "sessions"] } });
    const messages = Array.from({ length: 12 }, (_, i) => ({ role: "user", text: `Turn ${i}.` }));
    await app.call("POST", "/v1/agents/main/sessions/chat:1/messages", { messages, end: true });
    await app.embedded();
    await until(async () => {
      const { rows } = await app.db.executeSql(
        "SELECT 1 FROM recollect_jobs.job WHERE state < 'completed' AND name <> 'schedule'",
      );
      return rows.length === 0;
    });
    await app.runtime.deps.queue.stop();
    const agent = await app.db.executeSql<{ schema: string }>("SELECT schema_name AS schema FROM recollect.agents");
    schema = agent.rows[0]?.schema ?? "";
    const { rows } = await app.db.executeSql<{ heading: string; text: string }>(
      `SELECT heading, text FROM ${schema}.chunks_1`,
    );
    const whole = rows.map((row) => (row.heading === "" ? row.text : `${row.heading}\n${row.text}`));
    for (const [i, vector] of (await embedder.embed(whole, "document")).entries()) vectors.set(whole[i] ?? "", vector);
  });
  afterAll(() => app.drop());

  test("finds nothing wrong with one that is whole", async () => {
    expect(await check()).toEqual([]);
  });

  const job = (state: string, more = "") =>
    `INSERT INTO recollect_jobs.job (name, data, state${more === "" ? "" : ", start_after"})
     VALUES ('embed', '{"agentId":"main"}', '${state}'${more})`;
  const faults: [string, (schema: string) => string, RegExp][] = [
    ["a chunk that is missing", (s) => `DELETE FROM ${s}.chunks_1 WHERE ordinal = 1`, /a\.md: has \d+ chunks/],
    ["chunks in the wrong order", (s) => `UPDATE ${s}.chunks_1 SET ordinal = ordinal + 1`, /a\.md: has \d+ chunks/],
    ["wrong lines", (s) => `UPDATE ${s}.chunks_1 SET end_line = end_line + 1`, /b\.md: has 1 chunks/],
    ["a chunk without a vector", (s) => `DELETE FROM ${s}.vectors_1`, /has no vector row/],
    ["a pending embedding", (s) => `UPDATE ${s}.vectors_1 SET embedding = NULL`, /is not embedded/],
    [
      "another text's vector",
      (s) => `UPDATE ${s}.vectors_1 SET embedding = embedding + embedding`,
      /has a vector that/,
    ],
    ["another content", (s) => `UPDATE ${s}.files SET content = content || 'x'`, /the hash is not its content's/],
    ["an unmarked file", (s) => `UPDATE ${s}.files SET indexed_generation = NULL`, /is not marked/],
    ["a window that is missing", (s) => `DELETE FROM ${s}.chunks_1 WHERE first_message = 5`, /chat:1: has 5 chunks/],
    [
      "a window of other messages",
      (s) => `UPDATE ${s}.chunks_1 SET last_message = last_message + 1 WHERE first_message = 1`,
      /chat:1: has 6 chunks/,
    ],
    ["a message that is lost", (s) => `DELETE FROM ${s}.messages WHERE seq = 12`, /the counters are off/],
    ["lines of other messages", (s) => `UPDATE ${s}.messages SET first_line = first_line + 1`, /lines are not those/],
    [
      "messages that wait for ever",
      (s) => `UPDATE ${s}.sessions SET unindexed_bytes = 7`,
      /is indexed up to 12 of 12, with 7 bytes left/,
    ],
    [
      "a batch that nobody asks for",
      () =>
        `INSERT INTO recollect.embedding_batches (id, tenant_id, agent_id, generation_id, provider, model, provider_key,
           status, texts, planned_to, backlog, created_at, expires_at)
         SELECT gen_random_uuid(), tenant_id, id, 1, 'p', 'm', 'k', 'running', 0, 0, false, now(), now()
           FROM recollect.agents`,
      /a batch of main is running/,
    ],
    ["embeddings that nobody counted", () => "DELETE FROM recollect.embedding_usage", /0 texts are counted as/],
    ["a usage that is off", () => "UPDATE recollect.usage SET chunks = chunks + 1", /usage is/],
    ["a table left over", (s) => `CREATE TABLE ${s}.chunks_7 (id bigint PRIMARY KEY)`, /has the tables/],
    ["a lost index", (s) => `DROP INDEX ${s}.vectors_1_hnsw`, /the vector index is not/],
    ["old statistics", (s) => `UPDATE ${s}.generations SET stats_chunk_count = 1`, /statistics count 1 of/],
    ["a language that nobody asks in", (s) => `DELETE FROM ${s}.languages`, /chunks in english, which is not noted/],
    ["statistics left over", (s) => `INSERT INTO ${s}.lexemes VALUES (9, 'x', 1)`, /left over/],
    [
      "a build that goes on for ever",
      (s) =>
        `INSERT INTO ${s}.generations (provider, model, chunk_tokens, chunk_overlap, language, status, created_at)
         VALUES ('p', 'm', 100, 0, 'english', 'building', now())`,
      /left building/,
    ],
    ["a schema of nobody", () => "CREATE SCHEMA agent_000000000000", /belongs to nobody/],
    ["an agent without its schema", (s) => `ALTER SCHEMA ${s} RENAME TO elsewhere`, /does not exist|is missing/],
    [
      "usage of nobody",
      () => "INSERT INTO recollect.usage SELECT tenant_id, 'gone' FROM recollect.usage",
      /usage of gone/,
    ],
    ["a job that runs for nobody", () => job("active"), /a job embed of main is active/],
    ["a job that waits", () => job("retry", ", now() + interval '1 hour'"), /a job embed of main is retry/],
    [
      "a job that failed for good",
      () => "INSERT INTO recollect_jobs.job (name, source_name) VALUES ('dead-letter', 'embed')",
      /has failed for good/,
    ],
  ];
  test.each(faults)("finds %s", async (_what, statement, problem) => {
    const found = Promise.withResolvers<string[]>();
    const undo = new Error("undo");
    const broken = app.db.transaction(async (tx) => {
      await tx.executeSql(statement(schema));
      const options = { vectorOf: (_: string, text: string) => vectors.get(text) ?? [], aloneOnServer: false };
      found.resolve(await checkService(tx, options).catch((error: Error) => [error.message]));
      throw undo;
    });
    await expect(broken).rejects.toBe(undo);
    expect((await found.promise).join("\n")).toMatch(problem);
  });
});

describe("the account of what a provider was paid for", () => {
  let app: TestApp;
  let provider: MeteredProvider;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.drop());
  beforeEach(async () => {
    provider = await startMeteredProvider(() => 0);
  });
  afterEach(() => provider.close());
  const ask = async (...input: string[]) => {
    const body = JSON.stringify({ model: "m", input, dimensions: 4 });
    await (await fetch(`${provider.url}/embeddings`, { method: "POST", body })).json();
  };
  const batchOf = (token: string, outcome: "running" | "completed") => ({
    id: `batch ${token}`,
    token,
    inputFile: "file",
    lines: [],
    createdAt: 0,
    outcome,
    outputFile: outcome === "completed" ? `file ${token}` : undefined,
  });

  test("knows which texts were charged twice, and whether something was killed in between", async () => {
    await ask("one", "two", "three");
    await ask("four");
    const between = Date.now();
    await ask("one", "two");
    const [sum, fault] = [
      { again: 2, requests: 1, uncounted: 6, unwanted: 0 },
      { from: between, to: between },
    ];
    expect(await countLosses(app.db, provider, [fault])).toEqual({ ...sum, unexplained: [] });
    const [before, after] = [between - 60_000, between + 60_000];
    const others = [before, after].map((at) => ({ from: at, to: at }));
    expect(await countLosses(app.db, provider, others)).toMatchObject({
      ...sum,
      unexplained: [/^m one after/, /^m two after/].map((text) => expect.stringMatching(text)),
    });
  });

  test("excuses what was in a batch that nobody wanted any more, and only that", async () => {
    await ask("one");
    const batch = batchOf("a", "completed");
    provider.charged.set("m one", [{ at: 0, batch }, ...(provider.charged.get("m one") ?? [])]);
    expect(await countLosses(app.db, provider, [])).toMatchObject({ again: 1, unexplained: [], unwanted: 1 });
    provider.downloaded.add("file a");
    expect(await countLosses(app.db, provider, [])).toMatchObject({
      again: 1,
      unexplained: [expect.stringMatching(/^m one/)],
      unwanted: 0,
    });
  });

  test("finds batches that run for nobody or were sent twice, and texts that were counted and not charged", async () => {
    expect(await checkProvider(app.db, provider)).toEqual([]);
    provider.batches.push(batchOf("a", "running"), batchOf("a", "completed"));
    await app.db.executeSql(
      `INSERT INTO recollect.embedding_usage (tenant_id, day, agent_id, provider, model, kind, requests, texts, tokens, cost_nano_usd, unpriced_tokens)
       SELECT id, now(), 'main', 'p', 'm', 'document', 1, 3, 20, 0, 0 FROM recollect.tenants LIMIT 1`,
    );
    expect(await checkProvider(app.db, provider)).toEqual([
      "1 batches are left running at the provider",
      "1 batches were sent twice",
      "3 texts are counted, 0 were charged",
      "20 tokens of 3 texts are counted",
    ]);
  });
});
