import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SearchOutput, UnavailableOutput } from "../../src/service/search/search-schemas.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

interface Agent {
  id: string;
  name: string;
  status: string;
  settings: Record<string, unknown>;
  limits: Record<string, number>;
  usage: { files: number };
}

interface Settings {
  settings: { query: { maxResults: number; minScore: number } };
  origins: Record<string, string>;
  own: object;
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { RECOLLECT_EXTRA_PATH_ROOTS: "/srv/notes" } });
});
afterAll(() => app.drop());

const patch = <T = Agent>(id: string, body: unknown, key?: string) =>
  app.call<T>("PATCH", `/v1/agents/${id}`, body, key);
const read = async (id: string, key?: string) =>
  (await app.call<Agent>("GET", `/v1/agents/${id}`, undefined, key)).body;
const settingsOf = async (id: string, key?: string) =>
  (await app.call<Settings>("GET", `/v1/agents/${id}/settings`, undefined, key)).body;
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as ErrorBody).error?.code];

describe("agents", () => {
  test("are made, read, changed and erased", async () => {
    const made = await app.call<Agent>("POST", "/v1/agents", {
      id: "first",
      name: " First ",
      settings: { query: { maxResults: 3 } },
      limits: { files: 5 },
    });
    expect(made).toMatchObject({ status: 201, body: { id: "first", name: "First", status: "active" } });
    expect(await read("first")).toEqual(made.body);
    expect((await patch("first", { name: "Renamed" })).body).toEqual({ ...made.body, name: "Renamed" });
    expect(codeOf(await app.call("POST", "/v1/agents", { id: "first" }))).toEqual([409, "agent_exists"]);
    expect((await app.call("DELETE", "/v1/agents/first")).status).toBe(200);
    expect(codeOf(await app.call("GET", "/v1/agents/first"))).toEqual([404, "agent_not_found"]);
    expect(codeOf(await patch("first", { name: "Ghost" }))).toEqual([404, "agent_not_found"]);
    expect(codeOf(await app.call("DELETE", "/v1/agents/first"))).toEqual([404, "agent_not_found"]);
  });

  test.each([
    ["no id", {}, "invalid_request"],
    ["an id in capitals", { id: "Loud" }, "invalid_agent_id"],
    ["an id that is too long", { id: "a".repeat(64) }, "invalid_agent_id"],
    ["an unknown field", { id: "x", tenantId: "x" }, "invalid_request"],
    ["an unknown setting", { id: "x", settings: { query: { topK: 3 } } }, "invalid_settings"],
    ["an unknown limit", { id: "x", limits: { agents: 3 } }, "invalid_settings"],
  ])("%s makes none", async (_what, body, code) => {
    expect(codeOf(await app.call("POST", "/v1/agents", body))).toEqual([400, code]);
    expect((await app.call("GET", "/v1/agents/x")).status).toBe(404);
  });

  test("are listed by id, page by page", async () => {
    const key = await app.key(["tenant"], { tenantId: await app.tenant("paged") });
    const ids = ["a", "a-1", "a_1", "a1", "b", "z9"];
    for (const id of ids.toReversed()) await app.call("POST", "/v1/agents", { id }, key);
    const seen: string[] = [];
    let path = "/v1/agents?limit=2";
    for (let page = 0; page < 3; page++) {
      const { body } = await app.call<{ agents: Agent[]; nextCursor?: string }>("GET", path, undefined, key);
      seen.push(...body.agents.map((agent) => agent.id));
      expect(body.agents).toHaveLength(2);
      expect(body.nextCursor === undefined).toBe(page === 2);
      path = `/v1/agents?limit=2&cursor=${body.nextCursor}`;
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const whole = await app.call<{ agents: Agent[] }>("GET", "/v1/agents", undefined, key);
    expect(whole.body.agents.map((agent) => agent.id)).toEqual(seen);
    for (const query of ["cursor=%2B", "cursor=AA", "limit=0", "limit=1001", "limit=x", "page=2"])
      expect([query, ...codeOf(await app.call("GET", `/v1/agents?${query}`, undefined, key))]).toEqual([
        ...[query, 400, "invalid_request"],
      ]);
  });

  test("PATCH merges: null resets one key, lists are replaced, what is not named stays", async () => {
    const settings = { query: { maxResults: 3, minScore: 0.1 }, sources: ["memory", "sessions"], citations: "off" };
    await app.call("POST", "/v1/agents", { id: "merged", settings, limits: { files: 5, bytes: 100 } });
    const change = {
      settings: { query: { maxResults: null }, sources: ["memory"] },
      limits: { files: null, chunks: 7 },
    };
    const { status, body } = await patch("merged", change);
    expect(status).toBe(200);
    expect(body).toMatchObject({ settings: { query: { minScore: 0.1 }, sources: ["memory"], citations: "off" } });
    expect(body.limits).toEqual({ bytes: 100, chunks: 7 });
    expect((await settingsOf("merged")).settings.query).toMatchObject({ maxResults: 6, minScore: 0.1 });
    await patch("merged", { settings: { query: null } });
    expect((await read("merged")).settings).toEqual({ sources: ["memory"], citations: "off" });
    expect(codeOf(await patch("merged", {}))).toEqual([400, "invalid_request"]);
    expect(codeOf(await patch("merged", { settings: null }))).toEqual([400, "invalid_request"]);
  });

  test("changes made at the same time are all kept", async () => {
    await app.call("POST", "/v1/agents", { id: "contested" });
    const changes = [
      ...[{ query: { maxResults: 9 } }, { query: { minScore: 0.2 } }, { citations: "off" }],
      ...[{ cache: { enabled: false } }, { query: { hybrid: { rrfK: 10 } } }, { sync: { watch: false } }],
    ];
    await Promise.all(changes.map((settings) => patch("contested", { settings })));
    expect((await read("contested")).settings).toEqual({
      query: { maxResults: 9, minScore: 0.2, hybrid: { rrfK: 10 } },
      citations: "off",
      cache: { enabled: false },
      sync: { watch: false },
    });
  });
});

describe("settings", () => {
  test("come from the tenant, over it from the agent; the answer says which", async () => {
    const key = await app.key(["tenant"], { tenantId: await app.tenant("layered") });
    await app.call("POST", "/v1/agents", { id: "a" }, key);
    const tenant = { settings: { query: { maxResults: 9, minScore: 0.2 } } };
    expect((await app.call("PATCH", "/v1/tenant", tenant, key)).status).toBe(200);
    await patch("a", { settings: { query: { maxResults: 4 } } }, key);
    const { settings, origins, own } = await settingsOf("a", key);
    expect(settings.query).toMatchObject({ maxResults: 4, minScore: 0.2 });
    expect(origins).toMatchObject({
      "query.maxResults": "agent",
      "query.minScore": "tenant",
      "query.language": "default",
      model: "default",
    });
    expect(own).toEqual({ query: { maxResults: 4 } });
    await patch("a", { settings: { query: { maxResults: null } } }, key);
    expect((await settingsOf("a", key)).origins["query.maxResults"]).toBe("tenant");
    await app.call("PATCH", "/v1/tenant", { settings: { query: null } }, key);
    expect((await settingsOf("a", key)).settings.query).toMatchObject({ maxResults: 6, minScore: "auto" });
    // An agent that has not been made yet has settings too.
    expect((await settingsOf("main", key)).origins["query.maxResults"]).toBe("default");
    expect(codeOf(await app.call("GET", "/v1/agents/nobody/settings", undefined, key))).toEqual([
      ...[404, "agent_not_found"],
    ]);
  });

  test("what is wrong is named by its path, never by its value, and nothing is changed", async () => {
    await app.call("POST", "/v1/agents", { id: "strict", settings: { citations: "on" } });
    const settings = { query: { maxResults: "hunter2", topK: 1 }, chunking: { tokens: 1 }, citations: "hunter2" };
    for (const [path, body] of [
      ["/v1/agents/strict", { settings }],
      ["/v1/tenant", { settings }],
    ] as const) {
      const answer = await app.call<ErrorBody>("PATCH", path, body);
      expect(codeOf(answer)).toEqual([400, "invalid_settings"]);
      for (const named of ["query.maxResults", "query.topK", "chunking.tokens", "citations"])
        expect(answer.body.error.message).toContain(`settings.${named}`);
      expect(answer.body.error.message).not.toContain("hunter2");
    }
    const limits = await patch<ErrorBody>("strict", { limits: { files: -1, agents: 1 } });
    expect(limits.body.error.message).toMatch(/limits\.files.*limits\.agents/);
    // The value is valid by itself, but not together with the other settings.
    expect(codeOf(await patch("strict", { settings: { chunking: { tokens: 60 } } }))).toEqual([
      400,
      "invalid_settings",
    ]);
    expect((await read("strict")).settings).toEqual({ citations: "on" });
  });

  describe("that make the server reach out", () => {
    const OPERATOR_ONLY = [
      { remote: { baseUrl: "http://169.254.169.254" } },
      { local: { modelPath: "/etc/passwd" } },
      { extraPaths: ["/srv/notes"] },
      { remote: { batch: { enabled: true } } },
    ];

    test.each(OPERATOR_ONLY)(
      "%j: the operator sets them, a tenant neither sets, changes nor removes them",
      async (own) => {
        const tenantId = await app.tenant(`reach ${JSON.stringify(own)}`);
        const [admin, key] = [await app.key(["admin"], { tenantId }), await app.key(["tenant"], { tenantId })];
        for (const path of ["/v1/agents/a", "/v1/tenant"]) {
          if (path === "/v1/agents/a") await app.call("POST", "/v1/agents", { id: "a" }, key);
          const change = (settings: unknown, by: string) => app.call("PATCH", path, { settings }, by);
          const own403 = async (settings: unknown) =>
            expect([path, settings, ...codeOf(await change(settings, key))]).toEqual([
              path,
              settings,
              403,
              "forbidden",
            ]);
          await own403(own);
          expect((await change(own, admin)).status).toBe(200);
          const [branch = ""] = Object.keys(own);
          await own403({ [branch]: null });
          await own403(branch === "extraPaths" ? { extraPaths: [] } : { [branch]: { ...nulls(own) } });
          // The tenant's key may send the same value again, and may change its other settings.
          expect((await change({ ...own, citations: "off" }, key)).status).toBe(200);
          expect((await change({ [branch]: null }, admin)).status).toBe(200);
        }
        expect(codeOf(await app.call("POST", "/v1/agents", { id: "b", settings: own }, key))).toEqual([
          403,
          "forbidden",
        ]);
        expect((await app.call("GET", "/v1/agents/b", undefined, key)).status).toBe(404);
      },
    );

    test.each([{ apiKey: "hunter2" }, { headers: { "x-key": "hunter2" } }])(
      "remote %j is a secret, which nobody may store",
      async (remote) => {
        for (const [method, path, body] of [
          ["PATCH", "/v1/agents/main", { settings: { remote } }],
          ["PATCH", "/v1/tenant", { settings: { remote } }],
          ["POST", "/v1/agents", { id: "vault", settings: { remote } }],
        ] as const) {
          const answer = await app.call<ErrorBody>(method, path, body);
          expect([method, path, ...codeOf(answer)]).toEqual([method, path, 400, "invalid_settings"]);
          expect(answer.body.error.message).not.toContain("hunter2");
        }
      },
    );

    test("a new tenant does not bring a secret along either", async () => {
      const settings = { remote: { apiKey: "hunter2" } };
      expect(codeOf(await app.call("POST", "/v1/tenants", { name: "vault", settings }))).toEqual([
        ...[400, "invalid_settings"],
      ]);
    });
  });

  test("query.maxResults, query.minScore and citations take effect at once", async () => {
    for (let i = 0; i < 5; i++) await app.put(`${i}.md`, `The harbour opens at dawn, number ${i}`, "tuned");
    await app.embedded("tuned");
    const search = async (options = {}) => await app.search("harbour dawn", options, "tuned");
    const first = await search();
    expect(first.results).toHaveLength(5);
    expect(first.citations).toBe("auto");
    await patch("tuned", { settings: { query: { maxResults: 2 }, citations: "off" } });
    const second = await search();
    expect(second.citations).toBe("off");
    expect(second.results).toHaveLength(2);
    expect(second.results.some((hit) => hit.citation !== undefined || hit.snippet.includes("Source:"))).toBe(false);
    expect((await search({ maxResults: 4 })).results).toHaveLength(4);
    await patch("tuned", { settings: { query: { maxResults: null }, citations: "on" } });
    const third = await search();
    expect(third.results.map((hit) => hit.citation)).toEqual(third.results.map((hit) => `${hit.path}#L1`));
    expect(third.results[0]?.snippet).toMatch(/\n\nSource: \d\.md#L1$/);
    await app.put("far.md", "Something else entirely about llamas", "tuned");
    await app.embedded("tuned");
    const near = async (minScore: number) => {
      await patch("tuned", { settings: { query: { minScore } } });
      return (await app.search("harbour dawn llamas", {}, "tuned")).results;
    };
    const [all, high] = [await near(0), await near(0.99)];
    expect(all).toHaveLength(6);
    // No hit scores that high; hits that contain the words are found nevertheless.
    expect(high.every((hit) => hit.score < 0.99 && hit.textScore !== undefined)).toBe(true);
    const best = all[0]?.score ?? 0;
    const least = all.at(-1)?.score ?? 0;
    const between = await near((best + least) / 2);
    expect(between.length).toBeGreaterThan(0);
    expect(between.length).toBeLessThan(all.length);
  });

  test("enabled: false answers a search as unavailable, with what to do; files are still kept", async () => {
    await app.put("a.md", "A note", "off");
    await patch("off", { settings: { enabled: false } });
    const { status, body } = await app.call<UnavailableOutput>("POST", "/v1/agents/off/tools/memory_search", {
      query: "note",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ results: [], disabled: true, unavailable: true });
    for (const text of [body.error, body.warning, body.action]) expect(text).toMatch(/\w/);
    expect((await app.put("b.md", "Another", "off")).status).toBe(200);
    await patch("off", { settings: { enabled: null } });
    expect(((await app.search("note", {}, "off")) as SearchOutput).results.length).toBeGreaterThan(0);
  });
});

/** Returns the same object with null for every value, which removes it key by key. */
function nulls(value: object): object {
  const [inner = {}] = Object.values(value) as object[];
  return Object.fromEntries(Object.keys(inner).map((key) => [key, null]));
}
