import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withAgentReads } from "../../../src/db/agent/schema/agent-transaction.ts";
import { DEFAULT_TENANT_ID } from "../../../src/db/control/tenants.ts";
import { findKnownAgent } from "../../../src/service/agent/find-agent.ts";
import { localCaller } from "../../../src/settings/access.ts";
import { branchOf } from "../../support/branches.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const DENIED = "42501";

describe("who reaches what of a branch and its origin", () => {
  let app: TestApp;
  let rival: string;
  beforeAll(async () => {
    app = await startTestApp();
    rival = await app.tenant("rival");
    await app.put("secret.md", "The vault opens with cinnabar.", "origin");
    await app.embedded("origin");
    await branchOf(app, "origin", "branch");
    await app.put("own.md", "The branch keeps vermilion.", "branch");
  });
  afterAll(() => app.drop());

  const known = async (id: string) => {
    const agent = await findKnownAgent(app.runtime.deps, localCaller(DEFAULT_TENANT_ID), "search", id);
    if (!agent) throw new Error(`${id} is there.`);
    return agent;
  };
  const routes = (from: string, to: string) =>
    [
      ["POST", `/v1/agents/${from}/branches`, { as: "spy" }],
      ["GET", `/v1/agents/${from}/diff/${to}`],
      ["POST", `/v1/agents/${from}/merge`, { into: to }],
      ["POST", `/v1/agents/${from}/merge`, { into: to, dryRun: true, prefer: "branch" }],
    ] as const;

  test("each is read under its own role, which cannot read the other's schema, whatever the statement", async () => {
    const [origin, branch] = [await known("origin"), await known("branch")];
    expect(new Set([origin.schema, branch.schema, origin.role, branch.role]).size).toBeGreaterThan(1);
    expect(origin.role).not.toBe(branch.role);
    for (const [as, of] of [
      [origin, branch],
      [branch, origin],
    ] as const)
      for (const sql of [
        `SELECT content FROM ${of.schema}.files`,
        `SELECT * FROM ${as.schema}.files JOIN ${of.schema}.files USING (path)`,
        `SELECT text FROM ${of.schema}.chunks_1`,
        `SELECT before FROM ${of.schema}.fact_changes`,
        `SELECT content FROM ${of.schema}.file_versions`,
        `UPDATE ${as.schema}.files f SET content = o.content FROM ${of.schema}.files o`,
        "SELECT * FROM recollect.branches",
        "UPDATE recollect.shares SET taken_at = now()",
      ])
        await expect(withAgentReads(app.db, as, (tx) => tx.executeSql(sql))).rejects.toMatchObject({ code: DENIED });
    await expect(
      withAgentReads(app.db, origin, (tx) => tx.executeSql(`SELECT * FROM ${branch.schema}.branch_base`)),
    ).rejects.toMatchObject({ code: DENIED });
  });

  test("another tenant reaches neither, as either side", async () => {
    const key = await app.key(["tenant"], { tenantId: rival });
    await app.call("PUT", "/v1/agents/mine/files/a.md", { content: "Ours" }, key);
    for (const [from, to] of [
      ["origin", "branch"],
      ["branch", "origin"],
      ["origin", "mine"],
      ["mine", "origin"],
    ] as const)
      for (const [method, path, body] of routes(from, to)) {
        if (from === "mine" && path.endsWith("/branches")) continue;
        const answer = await app.call(method, path, body, key);
        expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, "agent_not_found"]);
      }
    expect(await app.call("GET", "/v1/agents/branch/branch", undefined, key)).toMatchObject({ status: 404 });
  });

  test("a key of one of the two reads that one, and compares, merges and branches nothing", async () => {
    for (const [own, other] of [
      ["branch", "origin"],
      ["origin", "branch"],
    ] as const) {
      const key = await app.key(["agent:read", "agent:write"], { agentId: own });
      for (const [method, path, body] of [...routes(own, other), ...routes(other, own)]) {
        const answer = await app.call(method, path, body, key);
        expect([path, [403, 404].includes(answer.status)]).toEqual([path, true]);
      }
      expect(await app.call("GET", `/v1/agents/${other}/files/secret.md`, undefined, key)).toMatchObject({
        status: 404,
        body: { error: { code: "agent_not_found" } },
      });
      expect((await app.call("GET", `/v1/agents/${own}/files/secret.md`, undefined, key)).status).toBe(200);
    }
    const reader = await app.key(["agent:read"], { agentId: "branch" });
    expect((await app.call("GET", "/v1/agents/branch/branch", undefined, reader)).status).toBe(200);
    expect(await app.call("GET", "/v1/agents/spy")).toMatchObject({ status: 404 });
  });

  test("SQL in an id or the name of a snapshot is refused as such, and changes nothing", async () => {
    const { schema } = await known("origin");
    const attack = `x'; RESET ROLE; DROP SCHEMA ${schema} CASCADE; --`;
    const path = encodeURIComponent(attack);
    for (const [method, route, body] of [
      ["POST", "/v1/agents/origin/branches", { as: attack }],
      ["POST", `/v1/agents/${path}/branches`, { as: "spy" }],
      ["GET", `/v1/agents/branch/diff/${path}`],
      ["POST", "/v1/agents/branch/merge", { into: attack }],
    ] as const)
      expect((await app.call(method, route, body)).status).toBe(400);
    const snapshot = await app.call("POST", "/v1/agents/origin/branches", { as: "spy", snapshot: "x' OR true; --" });
    expect(snapshot).toMatchObject({ status: 404, body: { error: { code: "snapshot_not_found" } } });
    // Merged paths and texts are passed as values.
    await app.put(`notes/${"'); DROP TABLE files; --"}.md`, attack, "branch");
    await app.call("POST", "/v1/agents/branch/facts", { facts: [{ text: attack, key: "a'); --" }] });
    expect((await app.call("POST", "/v1/agents/branch/merge", { into: "origin" })).status).toBe(200);
    expect((await app.call<{ facts: object[] }>("GET", "/v1/agents/origin/facts")).body.facts).toMatchObject([
      { text: attack },
    ]);
    expect((await app.call("GET", "/v1/agents/origin/files/secret.md")).status).toBe(200);
  });

  test("an erased branch leaves nothing, and an agent of the erased origin's name is not its origin", async () => {
    await branchOf(app, "origin", "brief");
    const { schema, role } = await known("brief");
    expect((await app.call("DELETE", "/v1/agents/brief")).status).toBe(200);
    const { rows } = await app.db.executeSql<{ left: number }>(
      `SELECT (SELECT count(*) FROM pg_namespace WHERE nspname = $1)::int + (SELECT count(*) FROM pg_roles WHERE rolname = $2)::int
            + (SELECT count(*) FROM recollect.branches WHERE schema_name = $1)::int AS left`,
      [schema.replaceAll('"', ""), role.replaceAll('"', "")],
    );
    expect(rows[0]?.left).toBe(0);
    await branchOf(app, "origin", "orphan");
    expect((await app.call("DELETE", "/v1/agents/origin")).status).toBe(200);
    await app.put("secret.md", "Another secret.", "origin");
    expect((await app.call("GET", "/v1/agents/orphan/branch")).body).toMatchObject({ origin: null });
    expect(await app.call("POST", "/v1/agents/orphan/merge", { into: "origin" })).toMatchObject({
      status: 404,
      body: { error: { code: "branch_not_found" } },
    });
    expect((await app.call("GET", "/v1/agents/orphan/files/secret.md")).body).toMatchObject({
      content: "The vault opens with cinnabar.",
    });
  });
});
