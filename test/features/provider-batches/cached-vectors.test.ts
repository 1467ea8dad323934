import { afterAll, beforeAll, expect, test } from "vitest";
import { withAgentTransaction } from "../../../src/db/agent/schema/agent-transaction.ts";
import { liveGenerations } from "../../../src/db/agent/schema/generations.ts";
import { planBatches } from "../../../src/features/provider-batches/plan-batches.ts";
import { findKnownAgent } from "../../../src/service/agent/find-agent.ts";
import { systemCaller } from "../../../src/settings/access.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

/** A process that answers searches, and another one that plans batches. */
let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ on: app, embedder: app.embedder, worker: false });
  await app.put("a.md", "The heron stands at the pond.");
  await app.put("b.md", "A heron of the cache.");
  await app.embedded();
  await app.rested();
});
afterAll(async () => {
  await other.drop();
  await app.drop();
});

test("a remembered answer lacks no embedding that a plan takes from the cache", async () => {
  const { deps } = other.runtime;
  const [row] = (
    await other.db.executeSql<{ schema: string; tenantId: string }>(
      `SELECT schema_name AS schema, tenant_id AS "tenantId" FROM recollect.agents WHERE id = 'main'`,
    )
  ).rows;
  if (!row) throw new Error("no agent");
  await other.db.executeSql(
    `UPDATE ${row.schema}.vectors_1 SET embedding = NULL WHERE chunk_id = (SELECT max(chunk_id) FROM ${row.schema}.vectors_1)`,
  );
  await other.db.executeSql(`UPDATE ${row.schema}.generations SET changes = changes + 1`);
  const before = await app.search("heron", { minScore: 0 });
  const agent = await findKnownAgent(deps, systemCaller(row.tenantId), "agent:write", "main");
  if (!agent) throw new Error("no agent");
  const { active } = await withAgentTransaction(deps.db, agent, (tx) => liveGenerations(tx, agent.schema));
  if (!active) throw new Error("no index");
  await planBatches(deps, agent, { generation: active, embedder: app.embedder, slots: 1 }, () => false);
  const remembered = await app.search("heron", { minScore: 0 });
  expect(remembered).not.toEqual(before);
  app.runtime.deps.searchAnswers.clear();
  expect(remembered).toEqual(await app.search("heron", { minScore: 0 }));
});
