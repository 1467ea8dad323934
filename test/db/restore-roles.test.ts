import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectAgentRoles } from "../../src/db/inspect-database.ts";
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
  const { rows: versions } = await app.db.executeSql<{ version: number }>(
    "SELECT current_setting('server_version_num')::int AS version",
  );
  const roles = () => inspectAgentRoles(app.db, versions[0]?.version ?? 0);
  expect(await roles()).toMatchObject({ missing: 0, lacking: 0 });
  const expectRefused = async () => {
    for (const [method, path, body] of [
      ["GET", "files/a.md", undefined],
      ["GET", "facts?person=ana", undefined],
      ["PUT", "files/b.md", { content: "Another" }],
      ["POST", "facts", { facts: [{ text: "Likes tea" }] }],
      ["POST", "facts/forget", { person: "ana", sessions: true }],
    ] as const)
      expect(await app.call(method, `/v1/agents/one/${path}`, body), `${method} ${path}`).toMatchObject({
        status: 503,
        body: { code: "database_unavailable", detail: expect.stringContaining("recollect migrate --roles") },
      });
    expect(await app.search("note", {}, "one")).toMatchObject({ error: "database_unavailable" });
  };
  // The state that a dump of the roles alone leaves: the roles are there, their rights are not.
  for (const role of [one, two]) await app.db.executeSql(`DROP OWNED BY ${role}`);
  expect(await roles()).toMatchObject({ missing: 0, lacking: 2 });
  await expectRefused();
  // The state that pg_dump --no-acl leaves on a server that has never had the agents' roles.
  for (const role of [one, two]) await app.db.executeSql(`DROP ROLE ${role}`);
  expect(await roles()).toMatchObject({ missing: 2, lacking: 0 });
  await expectRefused();
  expect(await restoreRoles(app.db)).toBe(2);
  // A second run changes nothing.
  await restoreRoles(app.db);
  expect(await roles()).toMatchObject({ missing: 0, lacking: 0, unreachable: 0 });
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
