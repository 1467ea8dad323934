import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentTransaction } from "../../src/db/agent/schema/agent-transaction.ts";
import { roleName, schemaName } from "../../src/db/agent/schema/schema-name.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("an agent whose role came to own something", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());

  test.each([
    ["a large object", "SELECT lo_create(0)"],
    ["a temporary table of a connection that is still open", "CREATE TEMP TABLE scratch (x int)"],
    ["a function of that connection", "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
    ["default privileges", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC"],
  ])("can be erased, with %s", async (_what, sql) => {
    await app.put("a.md", "Text", "hoarder");
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'hoarder'",
    );
    const name = rows[0]?.name ?? "";
    await withAgentTransaction(app.db, { schema: schemaName(name), role: roleName(name) }, (tx) => tx.executeSql(sql));
    expect(await app.call("DELETE", "/v1/agents/hoarder")).toMatchObject({ status: 200 });
    const left = await app.db.executeSql(
      `SELECT (SELECT count(*)::int FROM pg_roles WHERE rolname = $1) AS roles, (SELECT count(*)::int FROM pg_largeobject_metadata) AS objects,
              (SELECT count(*)::int FROM pg_default_acl) AS defaults`,
      [name],
    );
    expect(left.rows).toEqual([{ roles: 0, objects: 0, defaults: 0 }]);
  });
});
