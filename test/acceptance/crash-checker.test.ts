import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkService } from "../support/check-service.ts";
import { until } from "../support/process.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** What the crash tests rely on: each fault that they are to find, made by hand, is found. */
describe("the checker of a service at rest", () => {
  let app: TestApp;
  let schema: string;
  const embedder = new WordEmbedder();
  const vectors = new Map<string, ArrayLike<number>>();
  const check = () =>
    checkService(app.db, { vectorOf: (_model, text) => vectors.get(text) ?? [], aloneOnServer: false });
  beforeAll(async () => {
    app = await startTestApp({ embedder, env: { RECOLLECT_VECTOR_INDEX_THRESHOLD: "3" } });
    const text = (n: number) => `# Part ${n}\n\n${"Words of this part. ".repeat(60)}`;
    await app.put("a.md", [1, 2, 3, 4].map(text).join("\n\n"));
    await app.put("b.md", "# Short");
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
      (s) => `UPDATE ${s}.vectors_1 SET embedding = embedding * embedding`,
      /has a vector that/,
    ],
    ["another content", (s) => `UPDATE ${s}.files SET content = content || 'x'`, /the hash is not its content's/],
    ["an unmarked file", (s) => `UPDATE ${s}.files SET indexed_generation = NULL`, /is not marked/],
    ["a usage that is off", () => "UPDATE recollect.usage SET chunks = chunks + 1", /usage is/],
    ["a table left over", (s) => `CREATE TABLE ${s}.chunks_7 (id bigint PRIMARY KEY)`, /has the tables/],
    ["a lost index", (s) => `DROP INDEX ${s}.vectors_1_hnsw`, /the vector index is not/],
    ["old statistics", (s) => `UPDATE ${s}.generations SET stats_chunk_count = 1`, /statistics count 1 of/],
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
