import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClusterDatabase, openClusterDatabase } from "../support/citus.ts";
import { needsCluster } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("on a cluster", needsCluster(), () => {
  let database: ClusterDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await openClusterDatabase();
    app = await startTestApp({ on: database });
  });
  afterAll(async () => {
    await app?.runtime.close();
    await database?.drop();
  });

  test("what is written is embedded and found, and is on workers only", async () => {
    for (const agent of ["main", "other"]) {
      expect(
        await app.put("notes/lantern.md", `# Lantern\n\nThe lantern of ${agent} hangs by the door.`, agent),
      ).toMatchObject({ status: 200 });
      await app.embedded(agent);
      const { results } = await app.search("where does the lantern hang", {}, agent);
      expect(results[0]).toMatchObject({ path: "notes/lantern.md", vectorScore: expect.any(Number) });
    }
    const tables = "SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace";
    const local = await database.asSuperuser(
      `${tables} WHERE n.nspname ~ '^agent_' AND c.relkind = 'r' AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)`,
    );
    expect(local).toEqual([]);
    const [places] = await database.asSuperuser<{ nodes: string; coordinator: string }>(
      `SELECT count(DISTINCT groupid) AS nodes, count(*) FILTER (WHERE groupid = 0 AND table_name::text NOT LIKE 'recollect_cluster.%') AS coordinator
         FROM pg_dist_placement JOIN citus_shards s USING (shardid)`,
    );
    expect(places).toMatchObject({ coordinator: "0" });
  });

  test("facts, conversations and a new index work as on one server", async () => {
    const { body } = await app.call<{ facts: { id: string; status: string }[] }>("POST", "/v1/agents/main/facts", {
      facts: [{ text: "The door is green." }],
    });
    expect(body.facts).toMatchObject([{ id: "1", status: "stored" }]);
    const said = [{ role: "user", content: "I live in Bremen." }];
    expect((await app.call("POST", "/v1/agents/main/sessions/s1/messages", { messages: said })).status).toBe(200);
    await app.call("PATCH", "/v1/agents/main", { settings: { chunking: { tokens: 200 } } });
    await app.call("POST", "/v1/agents/main/reindex", {});
    await app.rested();
    expect((await app.search("green door")).results[0]).toMatchObject({ source: "facts" });
    expect((await app.search("Bremen", { corpus: "sessions" })).results).toHaveLength(1);
    // Ids given by a worker would be in a range of the worker, and an order by ids would break when
    // the agent moves.
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'main'",
    );
    const [row] = await database.asSuperuser<{ last: string }>(
      `SELECT max(id) AS last FROM ${rows[0]?.schema}.chunks_2`,
    );
    expect(Number(row?.last)).toBeLessThan(1000);
  });

  test("an agent leaves as an archive and comes back as another; facts go on from the last number", async () => {
    const archive = await app.runtime.app.request("/v1/agents/main/archive");
    const body = new Uint8Array(await archive.arrayBuffer());
    const headers = { "content-type": "application/gzip" };
    const answer = await app.runtime.app.request("/v1/archives?as=copy", { method: "POST", headers, body });
    expect(answer.status, await answer.clone().text()).toBe(201);
    await app.rested();
    expect((await app.search("green door", {}, "copy")).results[0]).toMatchObject({ source: "facts" });
    const more = await app.call<{ facts: { id: string }[] }>("POST", "/v1/agents/copy/facts", {
      facts: [{ text: "The gate is blue." }],
    });
    const known = await app.call<{ facts: { id: string }[] }>("GET", "/v1/agents/main/facts");
    expect(Number(more.body.facts[0]?.id)).toBeGreaterThan(Math.max(...known.body.facts.map(({ id }) => Number(id))));
  });

  test("a write is one commit on worker and coordinator", async () => {
    const count = async () => {
      const [row] = await database.asSuperuser<{ n: number }>("SELECT count(*)::int AS n FROM pg_dist_transaction");
      return row?.n ?? 0;
    };
    const before = await count();
    await app.put("notes/one.md", "One commit.");
    expect(await count()).toBeGreaterThan(before);
  });

  test("an erased agent leaves nothing on any node", async () => {
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'copy'",
    );
    const schema = rows[0]?.schema ?? "";
    expect((await app.call("DELETE", "/v1/agents/copy")).status).toBe(200);
    for (const node of [undefined, ...database.workers]) {
      const left = await database.asSuperuser(
        `SELECT nspname FROM pg_namespace WHERE nspname = '${schema}' UNION ALL SELECT rolname FROM pg_roles WHERE rolname = '${schema}'`,
        node,
      );
      expect(left).toEqual([]);
    }
  });
});
