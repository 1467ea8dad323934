import { afterAll, beforeAll, expect, test } from "vitest";
import { SQLSTATE } from "../../src/db/pg-error.ts";
import { restoreRoles } from "../../src/service/agent/recreate-roles.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

test("after a restore without roles they are made again, and isolate", async () => {
  for (const agent of ["one", "two"]) await app.put("a.md", `A note of ${agent}`, agent);
  const { rows } = await app.db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id IN ('one', 'two') ORDER BY id",
  );
  const [one = "", two = ""] = rows.map((row) => row.schema);
  // The state that pg_dump --no-acl leaves on a server that has never had the agents' roles.
  for (const role of [one, two]) await app.db.executeSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  expect((await app.call("GET", "/v1/agents/one/files/a.md")).status).not.toBe(200);
  expect(await restoreRoles(app.db)).toBe(2);
  // A second run changes nothing.
  await restoreRoles(app.db);
  for (const agent of ["one", "two"]) {
    expect((await app.call("GET", `/v1/agents/${agent}/files/a.md`)).status).toBe(200);
    expect((await app.put("b.md", "Another note", agent)).status).toBe(200);
    expect((await app.search("note", {}, agent)).results.length).toBeGreaterThan(0);
  }
  const asOne = (statement: string) => app.db.transaction((tx) => tx.executeSql(statement), { role: one });
  for (const statement of [
    ...[`SELECT * FROM ${two}.files`, "SELECT * FROM recollect.agents", `CREATE TABLE ${one}.mine (id bigint)`],
    ...[`DROP TABLE ${one}.files`, `TRUNCATE ${one}.files`, "SELECT * FROM recollect_jobs.job"],
  ])
    await expect(asOne(statement)).rejects.toMatchObject({ code: SQLSTATE.insufficientPrivilege });
});
