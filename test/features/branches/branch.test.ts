import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SearchOutput } from "../../../src/service/search/search-schemas.ts";
import { branchOf, consistent } from "../../support/branches.ts";
import { type SessionApp, startSessionApp } from "../../support/session-app.ts";

const withoutScores = ({ results }: SearchOutput) => results.map(({ path, snippet }) => ({ path, snippet }));

describe("branches of an agent", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
    const put = Array.from({ length: 60 }, (_, i) => ({
      path: `notes/n${i}.md`,
      content: `# Note ${i}\n\nHeron ${i} stands at pond ${i % 7} with ${["reed", "carp", "frog"][i % 3]}.`,
    }));
    await app.talker("origin");
    await app.call("POST", "/v1/agents/origin/files", { put });
    await app.call("POST", "/v1/agents/origin/facts", {
      facts: [{ text: "The user's name is Ada.", key: "user.name" }],
    });
    await app.call("POST", "/v1/agents/origin/facts", {
      facts: [{ text: "The user's name is Grace.", key: "user.name" }],
    });
    await app.append("origin", "slack:C042", ["The ferry leaves at nine.", "Then we take the ferry."]);
    await app.synced("origin");
    await app.rested();
  });
  afterAll(() => app.drop());

  const schemaOf = async (id: string) =>
    (await app.db.executeSql<{ name: string }>("SELECT schema_name AS name FROM recollect.agents WHERE id = $1", [id]))
      .rows[0]?.name;

  test("have all that the origin remembers, found alike, and embed nothing", async () => {
    const before = app.embedder.asked.length;
    await app.db.executeSql(
      `UPDATE ${await schemaOf("origin")}.generations SET vector_scan = 800, vector_scan_count = 60`,
    );
    const branch = await branchOf(app, "origin", "try-1");
    expect(branch).toMatchObject({ origin: "origin", branchedAt: expect.any(String) });
    const { body } = await app.call<{ branches: object[] }>("GET", "/v1/agents/origin/branches");
    expect(body.branches).toEqual([branch]);
    expect(await app.call("GET", "/v1/agents/try-1/branches")).toMatchObject({ body: { branches: [] } });
    await app.rested();
    expect(app.embedder.asked.slice(before)).toEqual([]);
    for (const query of ["heron with carp", "ferry at nine", "name of the user"])
      expect(withoutScores(await app.search(query, { minScore: 0 }, "try-1"))).toEqual(
        withoutScores(await app.search(query, { minScore: 0 }, "origin")),
      );
    const usage = async (id: string) => (await app.call<{ usage: object }>("GET", `/v1/agents/${id}`)).body.usage;
    expect(await usage("try-1")).toEqual(await usage("origin"));
    const history = async (id: string) =>
      (await app.call<{ facts: { text: string }[] }>("GET", `/v1/agents/${id}/facts/2/history`)).body.facts.map(
        (fact) => fact.text,
      );
    expect(await history("try-1")).toEqual(["The user's name is Ada.", "The user's name is Grace."]);
    // Measurements of the origin's vector index do not hold for the branch's index.
    const { rows } = await app.db.executeSql(
      `SELECT vector_scan, vector_scan_count FROM ${await schemaOf("try-1")}.generations`,
    );
    expect(rows).toEqual([{ vector_scan: null, vector_scan_count: null }]);
    await consistent(app);
  });

  test("go their own way: neither sees what the other does, nor forgets what the other deletes", async () => {
    await app.put("notes/n1.md", "Only the branch knows the osprey.", "try-1");
    await app.call("DELETE", "/v1/agents/try-1/files/notes/n2.md");
    await app.put("notes/new.md", "Only the origin knows the bittern.", "origin");
    const found = async (query: string, id: string) =>
      (await app.search(query, { minScore: 0, maxResults: 50, corpus: "memory" }, id)).results.map((hit) => hit.path);
    expect(await found("osprey branch", "origin")).not.toContain("osprey");
    expect((await found("osprey branch", "try-1"))[0]).toBe("notes/n1.md");
    expect((await found("bittern", "origin"))[0]).toBe("notes/new.md");
    expect(await found("bittern", "try-1")).not.toContain("notes/new.md");
    expect(await found("Heron 2 pond", "origin")).toContain("notes/n2.md");
    expect(await found("Heron 2 pond", "try-1")).not.toContain("notes/n2.md");
    // New ids continue after the copied ones.
    const { body } = await app.call<{ facts: { id: string }[] }>("POST", "/v1/agents/try-1/facts", {
      facts: [{ text: "Tea is served at four." }],
    });
    expect(Number(body.facts[0]?.id)).toBe(3);
  });

  test("have keys of their own", async () => {
    const key = await app.key(["agent:read"], { agentId: "origin" });
    expect((await app.call("GET", "/v1/agents/try-1/files", undefined, key)).status).toBe(404);
  });

  test("are refused under a name that is taken, of an agent that is not there, and beyond a quota", async () => {
    const branch = (origin: string, as: string) => app.call("POST", `/v1/agents/${origin}/branches`, { as });
    expect(await branch("origin", "try-1")).toMatchObject({ status: 409, body: { error: { code: "agent_exists" } } });
    expect(await branch("nobody", "try-2")).toMatchObject({ status: 404 });
    expect(await branch("origin", "No Id")).toMatchObject({ status: 400 });
    await app.call("PATCH", "/v1/tenant", { limits: { files: 130 } });
    expect(await branch("origin", "try-2")).toMatchObject({ status: 413, body: { error: { code: "quota_exceeded" } } });
    expect(await app.call("GET", "/v1/agents/try-2")).toMatchObject({ status: 404 });
    await app.call("PATCH", "/v1/tenant", { limits: { files: null } });
  });

  test("outlive their origin, and a branch of a branch works", async () => {
    await branchOf(app, "try-1", "try-3");
    expect((await app.call("DELETE", "/v1/agents/try-1")).status).toBe(200);
    expect((await app.call("GET", "/v1/agents/try-3/branch")).body).toMatchObject({ origin: null, state: "ready" });
    expect((await app.search("osprey", {}, "try-3")).results[0]?.path).toBe("notes/n1.md");
    await consistent(app);
  });
});
