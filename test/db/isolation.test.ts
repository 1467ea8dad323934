import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema-name.ts";
import { sqlState } from "../../src/db/pg-error.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const PERMISSION_DENIED = "42501";

describe("an agent's role", () => {
  let app: TestApp;
  let mine: string;
  let other: string;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("a.md", "My secret", "mine");
    await app.put("a.md", "Another secret", "other");
    const { rows } = await app.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents",
    );
    mine = rows.find((row) => row.id === "mine")?.schema ?? "";
    other = rows.find((row) => row.id === "other")?.schema ?? "";
  });
  afterAll(() => app.drop());

  const asMine = (sql: string) =>
    withAgentTransaction(app.db, { schema: schemaName(mine), role: roleName(mine) }, (tx) => tx.executeSql(sql, []));

  test("reads its own memory", async () => {
    expect((await asMine(`SELECT content FROM ${mine}.files`)).rows).toEqual([{ content: "My secret" }]);
  });

  const hostile: [string, () => string][] = [
    ["another agent's files", () => `SELECT * FROM ${other}.files`],
    ["another agent's chunks", () => `SELECT * FROM ${other}.chunks_1`],
    ["a write to another agent", () => `DELETE FROM ${other}.files`],
    ["the control schema", () => "SELECT * FROM recollect.agents"],
    ["the embedding cache", () => "SELECT * FROM recollect.embedding_cache"],
    ["the job queue", () => "SELECT * FROM recollect_jobs.job"],
    ["a table of its own", () => `CREATE TABLE ${mine}.extra (id int)`],
    ["a change of its own tables", () => `ALTER TABLE ${mine}.files ADD COLUMN extra int`],
    ["a new role", () => "CREATE ROLE agent_intruder"],
  ];
  test.each(hostile)("is refused %s", async (_what, statement) => {
    const error = await asMine(statement()).then(
      () => "allowed",
      (reason: unknown) => reason,
    );
    expect(sqlState(error)).toBe(PERMISSION_DENIED);
  });

  test("leaves nothing behind on the connection", async () => {
    await asMine("SELECT 1");
    const { rows } = await app.db.executeSql<{ name: string }>("SELECT current_user AS name");
    expect(rows[0]?.name).not.toBe(mine);
  });
});
