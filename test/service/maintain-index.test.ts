import { afterAll, beforeAll, expect, test } from "vitest";
import { jobCaller } from "../../src/service/authenticate.ts";
import { maintainIndex } from "../../src/service/maintain-index.ts";
import { countStatements } from "../support/count-statements.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

test("writers wait for a lock only when there is something to pack", async () => {
  await app.put("a.md", "A heron stands at the pond");
  const { rows } = await app.db.executeSql<{ tenant: string; schema: string }>(
    "SELECT tenant_id AS tenant, schema_name AS schema FROM recollect.agents WHERE id = 'main'",
  );
  const [{ tenant, schema } = { tenant: "", schema: "" }] = rows;
  await app.db.executeSql(
    `INSERT INTO "${schema}".chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
     SELECT file_id, source, n, 1, 1, '', '', '', 1, keywords FROM "${schema}".chunks_1, generate_series(1, 2200) AS n`,
  );
  const locks = () =>
    countStatements(app, /LOCK TABLE/, () => maintainIndex(app.runtime.deps, jobCaller(tenant), "main"));
  expect(await locks()).toBeGreaterThan(0);
  const { rows: segments } = await app.db.executeSql(`SELECT 1 FROM "${schema}".segments_1`);
  expect(segments).toHaveLength(1);
  await app.put("b.md", "A heron stands at the river");
  expect(await locks()).toBe(0);
});
