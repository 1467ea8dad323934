import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cliOn, type Ran } from "../support/cli-harness.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

interface Agent {
  id: string;
  name: string;
  status: string;
  settings: Record<string, unknown>;
}

describe("agents", () => {
  let app: TestApp;
  let cli: (...argv: string[]) => Promise<Ran>;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    cli = cliOn(app);
  });
  afterAll(() => app.drop());

  const read = async (id: string) => (await app.call<Agent>("GET", `/v1/agents/${id}`)).body;
  const expectFailure = (ran: Ran, code: string) => {
    expect([ran.code, ran.out]).toEqual([1, ""]);
    expect(ran.err).toMatch(new RegExp(`^[^\\n]+ \\(${code}\\)\\n$`));
  };

  test("create makes an agent, list shows what it holds", async () => {
    expect(await cli("agents", "create", "support", "--name", "Support")).toEqual({
      code: 0,
      out: "Created support.\n",
      err: "",
    });
    await app.put("a.md", "Twelve bytes", "support");
    const { out } = await cli("agents", "list");
    expect(out).toBe("id       name     status  files  chunks  bytes\nsupport  Support  active  1      1       12\n");
    const made = await cli("agents", "create", "other", "--json");
    expect(JSON.parse(made.out)).toMatchObject({ id: "other", name: "", status: "active" });
    const listed = await cli("agents", "list", "--json");
    expect((JSON.parse(listed.out) as { agents: Agent[] }).agents.map((agent) => agent.id)).toEqual([
      ...["other", "support"],
    ]);
  });

  test("list goes on after the first page", async () => {
    const tenant = await app.tenant("large");
    await app.db.executeSql(
      `INSERT INTO recollect.agents (tenant_id, id, schema_name, role_name, schema_version, status, created_at)
       SELECT $1, 'a' || lpad(i::text, 4, '0'), 'agent_x' || i, 'agent_x' || i, 0, 'active', $2
       FROM generate_series(1, 1001) i`,
      [tenant, new Date()],
    );
    const { out } = await cli("agents", "list", "--tenant", tenant);
    expect(out.trimEnd().split("\n")).toHaveLength(1002);
    const listed = await cli("agents", "list", "--json", "--tenant", tenant);
    const { agents, ...rest } = JSON.parse(listed.out) as { agents: Agent[] };
    expect(new Set(agents.map((agent) => agent.id)).size).toBe(1001);
    expect(rest).toEqual({});
    await app.db.executeSql("DELETE FROM recollect.agents WHERE tenant_id = $1", [tenant]);
  });

  test("set changes one setting, null takes it back, settings says where each comes from", async () => {
    const row = async (setting: string) =>
      (await cli("agents", "settings", "support")).out
        .split("\n")
        .map((line) => line.split(/ {2,}/))
        .find(([name]) => name === setting);
    expect(await row("query.maxResults")).toEqual(["query.maxResults", "6", "default"]);
    const set = await cli("agents", "set", "support", "query.maxResults", "9");
    expect(set).toEqual({ code: 0, out: "Set query.maxResults.\n", err: "" });
    const foreign = await cli("agents", "set", "support", "store.driver", "sqlite");
    expect([foreign.code, foreign.out]).toEqual([0, ""]);
    expect(foreign.err).toMatch(/^This setting has no effect: settings\.store\.driver: /);
    expect(await row("query.maxResults")).toEqual(["query.maxResults", "9", "agent"]);
    await cli("agents", "set", "support", "query.hybrid.fusion", "rrf");
    await cli("agents", "set", "support", "sources", '["memory", "sessions"]');
    expect(await row("query.hybrid.fusion")).toEqual(["query.hybrid.fusion", '"rrf"', "agent"]);
    expect(await row("sources")).toEqual(["sources", '["memory","sessions"]', "agent"]);
    expect(await row("model")).toEqual(["model", "–", "default"]);
    await cli("agents", "set", "support", "query.maxResults", "null");
    expect(await row("query.maxResults")).toEqual(["query.maxResults", "6", "default"]);
    const shown = JSON.parse((await cli("agents", "settings", "support", "--json")).out) as { own: object };
    expect(shown.own).toEqual({ query: { hybrid: { fusion: "rrf" } }, sources: ["memory", "sessions"] });
  });

  test("a setting that is none, or out of range, is refused by its path", async () => {
    const before = await read("support");
    for (const [key, value] of [
      ["query.maxResult", "9"],
      ["query.maxResults", "0"],
      ["query.minScore", "-1"],
      ["chunking.overlaps", "1"],
    ] as const) {
      const ran = await cli("agents", "set", "support", key, value);
      expectFailure(ran, "invalid_settings");
      expect(ran.err).toContain(`settings.${key}`);
    }
    expect(await read("support")).toEqual(before);
  });

  test("disable and enable", async () => {
    expect(await cli("agents", "disable", "support")).toEqual({
      code: 0,
      out: "The agent support is disabled.\n",
      err: "",
    });
    expect((await read("support")).status).toBe("disabled");
    expectFailure(await cli("search", "bytes", "--agent", "support"), "agent_disabled");
    expect((await cli("agents", "enable", "support")).out).toBe("The agent support is enabled.\n");
    expect((await cli("search", "bytes", "--agent", "support")).out).toContain("a.md#L1");
  });

  test("erase needs --yes, and prints the receipt", async () => {
    await app.put("b.md", "Another note", "support");
    const refused = await cli("agents", "erase", "support");
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain("--yes");
    expect((await read("support")).status).toBe("active");
    expect((await app.search("note", {}, "support")).results.length).toBeGreaterThan(0);
    const { code, out, err } = await cli("agents", "erase", "support", "--yes");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^agentId +support$/m);
    expect(out).toMatch(/^counts\.files +2$/m);
    expect(out).toMatch(/^paths +2 hashes, shown with --json$/m);
    expect((await app.call("GET", "/v1/agents/support")).status).toBe(404);
    const second = await cli("agents", "erase", "other", "--yes", "--json");
    expect(JSON.parse(second.out)).toMatchObject({ agentId: "other", pathHashes: [] });
  });

  test("an agent that is not there, or is there already", async () => {
    for (const argv of [
      ["settings", "nobody"],
      ["set", "nobody", "enabled", "false"],
      ["disable", "nobody"],
      ["enable", "nobody"],
      ["erase", "nobody", "--yes"],
    ])
      expectFailure(await cli("agents", ...argv), "agent_not_found");
    await cli("agents", "create", "twice");
    expectFailure(await cli("agents", "create", "twice"), "agent_exists");
    expectFailure(await cli("agents", "create", "No Id"), "invalid_agent_id");
    expect((await cli("agents", "create", "..")).code).toBe(2);
    expect((await cli("agents", "set", "twice", "enabled")).code).toBe(2);
  });

  test("what is missing is told with the commands that help, never with requests", async () => {
    const id = "3b241101-e2bb-4255-8caf-4136c566a962";
    const told = async (...argv: string[]) => {
      const { err } = await cli(...argv);
      expect(err).not.toMatch(/\/v1|GET|POST/);
      return err;
    };
    expect(await told("status", "--agent", "nobody")).toBe(
      "There is no such agent, or this key is for another one. The first write creates it, if the key may create agents. See recollect agents list and recollect keys list, or make it with recollect agents create <id>. (agent_not_found)\n",
    );
    expect(await told("keys", "list", "--tenant", id)).toContain("recollect tenants list. (tenant_not_found)");
    expect(await told("keys", "revoke", id)).toContain("add --tenant <name> (operators only). (key_not_found)");
    expect(await told("jobs", "show", id)).toContain("recollect jobs list. (job_not_found)");
    expect(await told("sessions", "show", "s")).toContain("recollect sessions list. (session_not_found)");
    expect(await told("status", "--agent", "nobody", "--json")).toContain("recollect agents create");
  });

  test("a name or a path cannot lead a request elsewhere", async () => {
    expectFailure(await cli("agents", "erase", "twice/../main", "--yes"), "invalid_agent_id");
    expectFailure(await cli("agents", "settings", "twice?x=1#"), "invalid_agent_id");
  });
});
