import { afterAll, beforeAll, expect, test } from "vitest";
import { addUsage } from "../../src/db/control/usage.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import { maintainIndex } from "../../src/service/indexing/maintain-index.ts";
import { countStatements } from "../support/count-statements.ts";
import { needsPostgres } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: false });
});
afterAll(() => app.drop());

/** Makes an agent of many chunks that are in no segment yet. */
async function unpackedAgent(id: string) {
  await app.put("a.md", "A heron stands at the pond", id);
  const { rows } = await app.db.executeSql<{ tenant: string; schema: string }>(
    "SELECT tenant_id AS tenant, schema_name AS schema FROM recollect.agents WHERE id = $1",
    [id],
  );
  const [{ tenant, schema } = { tenant: "", schema: "" }] = rows;
  const grow = async () => {
    await app.db.executeSql(
      `INSERT INTO "${schema}".chunks_1 (file_id, source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
       SELECT file_id, source, n, 1, 1, '', '', '', 1, keywords FROM (SELECT * FROM "${schema}".chunks_1 LIMIT 1) AS c, generate_series(1, 2200) AS n`,
    );
    await addUsage(app.db, tenant, id, { files: 0, bytes: 0, chunks: 2200, facts: 0 });
  };
  await grow();
  return {
    schema,
    grow,
    maintain: () => maintainIndex(app.runtime.deps, jobCaller(tenant), id),
    segments: async () => (await app.db.executeSql(`SELECT 1 FROM "${schema}".segments_1`)).rows.length,
    waiting: async () =>
      (await app.runtime.deps.queue.counts({ tenantId: tenant, agentId: id }))["maintain-index"]?.waiting,
  };
}

test("writers wait for a lock only when there is something to pack", async () => {
  const { maintain, segments } = await unpackedAgent("main");
  const locks = () => countStatements(app, /LOCK TABLE/, maintain);
  expect(await locks()).toBeGreaterThan(0);
  expect(await segments()).toBe(1);
  await app.put("b.md", "A heron stands at the river");
  expect(await locks()).toBe(0);
});

test("words are counted before they are packed the first time, and afterwards after, when it takes less", async () => {
  const { schema, maintain, grow } = await unpackedAgent("counted");
  await app.db.executeSql(`DELETE FROM "${schema}".lexemes`);
  const countedLast = async () => {
    await maintain();
    const { rows } = await app.db.executeSql<{ last: boolean }>(
      `SELECT (SELECT max(xmin::text::bigint) FROM "${schema}".lexemes) > (SELECT max(xmin::text::bigint) FROM "${schema}".segments_1) AS last`,
    );
    return rows[0]?.last;
  };
  expect(await countedLast()).toBe(false);
  await grow();
  expect(await countedLast()).toBe(true);
});

test("words are counted anew after a day, also in an index that keeps its size", async () => {
  const { schema, maintain } = await unpackedAgent("steady");
  await maintain();
  await app.put("b.md", "A bittern stands at the pond", "steady");
  const counted = async () => {
    await maintain();
    return (await app.db.executeSql(`SELECT 1 FROM "${schema}".lexemes WHERE lexeme = 'bittern'`)).rows.length;
  };
  expect(await counted()).toBe(0);
  await app.db.executeSql(`UPDATE "${schema}".generations SET stats_at = stats_at - interval '24 hours'`);
  expect(await counted()).toBe(1);
});

const options = needsPostgres("the embedded database has one session, which nobody else's lock can stop");

test("what a vacuum kept from being packed is packed after it, whether there is a write or not", options, async () => {
  const { schema, maintain, segments, waiting } = await unpackedAgent("vacuumed");
  await app.db.executeSql("DELETE FROM recollect_jobs.job WHERE name = 'maintain-index'");
  await app.db.transaction(async (tx) => {
    await tx.executeSql(`LOCK TABLE "${schema}".chunks_1 IN SHARE UPDATE EXCLUSIVE MODE`);
    await maintain();
  });
  expect(await segments()).toBe(0);
  expect(await waiting()).toBe(1);
  await maintain();
  expect(await segments()).toBe(1);
});
