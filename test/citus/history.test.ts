import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { placeOf } from "../../src/db/citus/place-agents.ts";
import { runCluster } from "../../src/start/cluster.ts";
import { type ClusterDatabase, openClusterDatabase } from "../support/citus.ts";
import { needsCluster } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Numbers from here on belong to a worker's own range. */
const WORKERS_RANGE = 2 ** 48;

interface Numbers {
  files: string;
  versions: string;
  changes: string;
  snapshots: string;
}

describe("the past of an agent on a cluster", needsCluster(), () => {
  let database: ClusterDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await openClusterDatabase();
    app = await startTestApp({ on: database });
    for (const content of ["first", "second"]) await app.put("a.md", content);
    await app.put("b.md", "of b");
    await store("The door is green.");
  });
  afterAll(async () => {
    await app?.runtime.close();
    await database?.drop();
  });

  const store = (text: string) =>
    app.call("POST", "/v1/agents/main/facts", { facts: [{ text, key: text.split(" ")[1] }] });
  const schemaOf = async (agent: string) => {
    const sql = "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1";
    return (await app.db.executeSql<{ schema: string }>(sql, [agent])).rows[0]?.schema ?? "";
  };
  const versionsOf = async (path: string, agent = "main") => {
    const { body } = await app.call<{ versions: { version: string }[] }>(
      "GET",
      `/v1/agents/${agent}/versions?path=${path}`,
    );
    return body.versions.map(({ version }) => Number(version));
  };
  const textOf = async (path: string, agent = "main") =>
    (await app.call<{ content: string }>("GET", `/v1/agents/${agent}/files/${path}`)).body.content;
  const factsOf = async (agent = "main") =>
    (await app.call<{ facts: { text: string }[] }>("GET", `/v1/agents/${agent}/facts`)).body.facts.map(
      ({ text }) => text,
    );
  const greatest = async (agent: string): Promise<number[]> => {
    const schema = await schemaOf(agent);
    const [row] = await database.asSuperuser<Numbers>(
      `SELECT (SELECT max(greatest(id, seq)) FROM ${schema}.files) AS files, (SELECT max(until_seq) FROM ${schema}.file_versions) AS versions,
              (SELECT max(seq) FROM ${schema}.fact_changes) AS changes, (SELECT max(seq) FROM ${schema}.snapshots) AS snapshots`,
    );
    return Object.values(row ?? {}).map(Number);
  };

  test("what a file said before is kept, also of one that is deleted", async () => {
    expect(await versionsOf("a.md")).toHaveLength(1);
    await app.call("POST", "/v1/agents/main/snapshots", { name: "now" });
    await app.call("POST", "/v1/agents/main/files", { put: [{ path: "a.md", content: "third" }], delete: ["b.md"] });
    expect(await versionsOf("a.md")).toHaveLength(2);
    expect(await versionsOf("b.md")).toHaveLength(1);
  });

  test("a rollback brings back files and facts as the snapshot had them, those forgotten since too", async () => {
    await store("The door is red.");
    await store("The gate is red.");
    await app.call("DELETE", "/v1/agents/main/facts/1");
    const { status } = await app.call("POST", "/v1/agents/main/snapshots/now/rollback", {});
    expect(status).toBe(200);
    expect([await textOf("a.md"), await textOf("b.md"), await factsOf()]).toEqual([
      ...["second", "of b"],
      ["The door is green."],
    ]);
  });

  test("numbers are the coordinator's, and grow when the agent has moved", async () => {
    const before = Math.max(...(await greatest("main")));
    expect(before).toBeLessThan(WORKERS_RANGE);
    const here = await placeOf(app.db, await schemaOf("main"));
    const node = database.workers.find(({ host, port }) => host !== here?.host || port !== here?.port);
    if (!node) throw new Error("The cluster of TEST_CITUS_URL has one worker.");
    await runCluster(readConfig(database.env), { do: "move", agent: "main", node }, () => undefined);
    await app.put("a.md", "after the move");
    await store("The door is blue.");
    await app.call("POST", "/v1/agents/main/snapshots", { name: "later" });
    const [newest] = await versionsOf("a.md");
    const after = await greatest("main");
    expect(newest).toBeGreaterThan(before);
    expect(Math.max(...after)).toBe(after.at(-1));
    expect(Math.max(...after)).toBeLessThan(WORKERS_RANGE);
  });

  test("a branch has all that its origin has, on whichever node, and goes on by itself", async () => {
    for (const as of ["branch-1", "branch-2", "branch-3"]) {
      expect((await app.call("POST", "/v1/agents/main/branches", { as })).status).toBe(202);
      const isReady = async () =>
        (await app.call<{ state: string }>("GET", `/v1/agents/${as}/branch`)).body.state === "ready";
      await until(isReady, `the branch ${as}`);
      expect(await factsOf(as)).toEqual(await factsOf());
      expect(await versionsOf("a.md", as)).toEqual(await versionsOf("a.md"));
      await app.put("a.md", `only in ${as}`, as);
      expect(await textOf("a.md")).toBe("after the move");
    }
    const places = await Promise.all(
      ["main", "branch-1", "branch-2", "branch-3"].map(async (id) => (await placeOf(app.db, await schemaOf(id)))?.host),
    );
    // Branches are placed on the nodes in turn, so some are copied from one node to another.
    expect(new Set(places).size).toBeGreaterThan(1);
  });

  test("a memory that is shared from another node is searched beside the own", async () => {
    await app.put("c.md", "The lighthouse keeper is called Ada.", "branch-1");
    await app.embedded("branch-1");
    await app.call("PUT", "/v1/agents/branch-1/shares/main", {});
    await app.call("PUT", "/v1/agents/main/reads/branch-1", {});
    const { results } = await app.search("lighthouse keeper Ada");
    expect(results[0]).toMatchObject({ path: "@branch-1/c.md", sharedBy: "branch-1" });
  });
});
