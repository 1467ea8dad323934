import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MemoryMap } from "../../../src/client/api.ts";
import { schemaName } from "../../../src/db/agent/schema/schema-name.ts";
import { makeMap } from "../../../src/features/map/map-job.ts";
import { sampleChunks } from "../../../src/features/map/sql/map-points.ts";
import { jobCaller } from "../../../src/service/core/authenticate.ts";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { until } from "../../support/until.ts";

describe("the map of a memory", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
    await app.put("ports.md", "# Ports\nThe gateway listens on port 9090.");
    const messages = [{ role: "user", content: "The heron stands in the pond." }];
    await app.call("POST", "/v1/agents/main/sessions/slack:C1/messages", { messages, scope: { user: "u1" } });
    await app.store("main", { text: "Petra lives in Oslo", subject: "Petra", scope: { user: "u1" }, importance: 0.7 });
    await app.embedded();
  });
  afterAll(() => app.drop());

  const read = async (query = "", agent = "main") =>
    (await app.call<MemoryMap>("GET", `/v1/agents/${agent}/map?${query}`)).body;

  test("is made when it is first read, and shows files, conversations and facts", async () => {
    expect(await read()).toMatchObject({ state: "due", madeAt: null, chunks: 3, points: [] });
    await until(async () => (await read()).state === "ready");
    const { points, madeAt } = await read();
    expect(madeAt).toEqual(expect.any(String));
    const place = { x: expect.any(Number), y: expect.any(Number), at: expect.any(String) };
    expect(points.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
      {
        ...place,
        kind: "fact",
        path: expect.stringMatching(/^facts\/\d+$/),
        title: "Petra lives in Oslo",
        subject: "Petra",
        user: "u1",
        importance: 0.7,
      },
      { ...place, kind: "file", path: "ports.md", startLine: 1, title: "Ports" },
      { ...place, kind: "session", path: "sessions/slack:C1", startLine: 1, title: expect.any(String), user: "u1" },
    ]);
    // A job that was requested while the map was being made finds it up to date.
    const { tenantId } = (await app.call<{ tenantId: string }>("GET", "/v1/key")).body;
    await makeMap(app.runtime.deps, jobCaller(tenantId), "main", new AbortController().signal);
    expect((await read()).madeAt).toBe(madeAt);
    expect((await read("limit=1")).points.length).toBeLessThanOrEqual(1);
  });

  test("forgets with the memory, and is made anew when a tenth has changed", async () => {
    const [fact] = await app.list("main");
    await app.call("DELETE", `/v1/agents/main/facts/${fact?.id}`);
    const after = await read();
    expect(after.points.map(({ kind }) => kind)).not.toContain("fact");
    expect(after).toMatchObject({ state: "due", chunks: 2 });
    await until(async () => (await read()).state === "ready");
  });

  test("an empty memory has none, and a job of an erased agent ends", async () => {
    expect((await app.call("GET", "/v1/agents/nobody/map")).status).toBe(404);
    await app.put("a.md", "", "blank");
    expect(await read("", "blank")).toEqual({ state: "none", madeAt: null, chunks: 0, points: [] });
    const { tenantId } = (await app.call<{ tenantId: string }>("GET", "/v1/key")).body;
    await makeMap(app.runtime.deps, jobCaller(tenantId), "blank", new AbortController().signal);
  });

  test("of a large index a sample is shown, with the newest facts in it", async () => {
    await app.put("a.md", "One", "large");
    await app.store("large", "Petra lives in Oslo");
    const { rows } = await app.db.executeSql<{ name: string }>(
      "SELECT schema_name AS name FROM recollect.agents WHERE id = 'large'",
    );
    const schema = schemaName(rows[0]?.name ?? "");
    await app.db.executeSql(
      `INSERT INTO ${schema}.chunks_1 (source, ordinal, start_line, end_line, heading, text, hash, length, keywords)
       SELECT 1, 0, 1, 1, '', 'n', '', 1, '' FROM generate_series(1, 12000)`,
    );
    const ids = await sampleChunks(app.db, { schema, generationId: 1 });
    expect(ids.length).toBeLessThanOrEqual(5000);
    expect(ids.length).toBeGreaterThan(4900);
    const facts = await app.db.executeSql<{ id: string }>(
      `SELECT id::text AS id FROM ${schema}.chunks_1 WHERE fact_id IS NOT NULL`,
    );
    expect(ids).toEqual(expect.arrayContaining(facts.rows.map(({ id }) => id)));
    expect(await sampleChunks(app.db, { schema, generationId: 1 })).toEqual(ids);
  });
});
