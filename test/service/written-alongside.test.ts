import { afterAll, beforeAll, expect, test } from "vitest";
import { insertGeneration, liveGenerations } from "../../src/db/agent/schema/generations.ts";
import { findKnownAgent } from "../../src/service/agent/find-agent.ts";
import { jobCaller } from "../../src/service/core/authenticate.ts";
import { writeChecked } from "../../src/service/files/write-files.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.put("a.md", "A note", "main");
});
afterAll(() => app.drop());

test("of a write that finds another index, what came before it is undone with it, and done again with the next", async () => {
  const { deps } = app.runtime;
  const { rows } = await app.db.executeSql<{ id: string }>("SELECT id FROM recollect.tenants");
  const caller = jobCaller(rows[0]?.id ?? "");
  const agent = await findKnownAgent(deps, caller, "agent:write", "main");
  if (!agent) throw new Error("There is no agent.");
  let begun = 0;
  await writeChecked(deps, caller, agent, {
    put: [{ path: "b.md", content: "Another" }],
    delete: [],
    alongside: {
      begin: async (tx) => {
        const noted = await tx.executeSql(
          `UPDATE ${agent.schema}.files SET origin = coalesce(origin, '') || '+' RETURNING origin`,
        );
        expect(noted.rows).toEqual([{ origin: "+" }]);
        // From now on an index is being built, as if another process had begun it.
        const { active } = await liveGenerations(tx, agent.schema);
        if (begun++ === 0 && active)
          await insertGeneration(tx, agent.schema, active, { status: "building", now: new Date(), kind: "pglite" });
      },
      write: async () => ({ added: { files: 0, bytes: 0, chunks: 0, facts: 0 }, pending: 0 }),
      conclude: async () => undefined,
    },
  });
  expect(begun).toBe(2);
});
