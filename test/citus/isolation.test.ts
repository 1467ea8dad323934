import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentReads, withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { type ClusterDatabase, openClusterDatabase } from "../support/citus.ts";
import { needsCluster } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const SECRET = "the word is heliotrope";

describe("one agent's SQL on a cluster", needsCluster(), () => {
  let database: ClusterDatabase;
  let app: TestApp;
  let mine = "";
  let other = "";
  beforeAll(async () => {
    database = await openClusterDatabase();
    app = await startTestApp({ on: database, worker: false });
    await app.put("a.md", "mine", "mine");
    await app.put("b.md", SECRET, "other");
    const { rows } = await app.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents",
    );
    [mine, other] = ["mine", "other"].map((id) => rows.find((row) => row.id === id)?.schema ?? "") as [string, string];
  });
  afterAll(async () => {
    await app?.runtime.close();
    await database?.drop();
  });

  const space = () => ({ schema: schemaName(mine), role: roleName(mine) });
  const asMine = (sql: string) => withAgentTransaction(app.db, space(), (tx) => tx.executeSql(sql));
  const stateOf = (sql: string) => asMine(sql).then(() => undefined, sqlState);

  test("reads and writes its own rows", async () => {
    expect((await asMine(`SELECT content FROM ${mine}.files`)).rows).toEqual([{ content: "mine" }]);
  });

  test.each([
    ["reads", (schema: string) => `SELECT * FROM ${schema}.files`],
    ["reads in a join with its own", (schema: string) => `SELECT * FROM ${mine}.files JOIN ${schema}.files USING (id)`],
    ["copies", (schema: string) => `COPY ${schema}.files TO STDOUT`],
    ["changes", (schema: string) => `UPDATE ${schema}.files SET content = ''`],
    ["empties", (schema: string) => `DELETE FROM ${schema}.files`],
    ["truncates", (schema: string) => `TRUNCATE ${schema}.files CASCADE`],
    ["explains and runs", (schema: string) => `EXPLAIN ANALYZE SELECT * FROM ${schema}.files`],
    ["makes a table in", (schema: string) => `CREATE TABLE ${schema}.more (id int)`],
    ["drops", (schema: string) => `DROP SCHEMA ${schema} CASCADE`],
  ])("%s another's: refused", async (_, sql) => {
    expect(await stateOf(sql(other))).toMatch(/^(42501|0A000|XX000)$/);
    expect((await database.asSuperuser(`SELECT content FROM ${other}.files`))[0]).toEqual({ content: SECRET });
  });

  test("the control schema and the queue are refused", async () => {
    expect(await stateOf("SELECT * FROM recollect.agents")).toBe("42501");
    expect(await stateOf("SELECT * FROM recollect_jobs.job")).toBe("42501");
  });

  test("asking the workers directly shows nothing of another's", async () => {
    const asked = `SELECT result FROM run_command_on_workers('SELECT string_agg(content, '','') FROM ${other}.files')`;
    const answer = await asMine(asked).then(({ rows }) => JSON.stringify(rows), String);
    expect(answer).not.toContain("heliotrope");
    const shards = `SELECT result FROM run_command_on_shards('${other}.files', 'SELECT string_agg(content, '','') FROM %s')`;
    expect(await asMine(shards).then(({ rows }) => JSON.stringify(rows), String)).not.toContain("heliotrope");
  });

  test("a read-only transaction has the same role, and scans as it is told", async () => {
    const read = (sql: string) =>
      withAgentReads(app.db, space(), (tx) => tx.executeSql(sql), ["SET LOCAL hnsw.ef_search = 77"]);
    const { rows } = await read(
      `SELECT current_setting('hnsw.ef_search') AS ef, current_user::text AS who FROM ${mine}.files`,
    );
    expect(rows).toEqual([{ ef: "77", who: mine }]);
    expect(await read(`SELECT * FROM ${other}.files`).then(() => undefined, sqlState)).toBe("42501");
  });

  test("names of other schemas can be read, and rows in no other way", async () => {
    const { rows } = await asMine(`SELECT nspname FROM pg_namespace WHERE nspname = '${other}'`);
    expect(rows).toHaveLength(1);
    expect((await asMine(`SELECT * FROM pg_stats WHERE schemaname = '${other}'`)).rows).toEqual([]);
  });
});
