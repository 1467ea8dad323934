import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AppendedMessages } from "../../src/service/sessions/commit-messages.ts";
import type { SessionPage } from "../../src/service/sessions/read-sessions.ts";
import { type AnyLine, type ArchiveApp, readLines, startArchiveApp } from "../support/archive-app.ts";
import { branchOf } from "../support/branches.ts";
import { answerOf, connectClient } from "../support/mcp-client.ts";
import type { ErrorBody } from "../support/test-app.ts";

const ALICE = { user: "alice" };
const BOB = { user: "bob" };
const SECRET = "The biopsy of Quillon showed a carcinoma";
const OWN = "The biopsy course of bob starts in Kiel";
const OPEN = "The biopsy leaflet lies at the reception";

describe("conversations of different scopes", () => {
  let app: ArchiveApp;
  const path = (rest: string, agent = "main") => `/v1/agents/${agent}/${rest}`;
  const append = <T = AppendedMessages>(session: string, texts: readonly string[], more: object = {}, agent = "main") =>
    app.call<T>("POST", path(`sessions/${session}/messages`, agent), {
      messages: texts.map((text) => ({
        role: "user",
        name: session.replace(/^\w+:(.)/, (_, first: string) => first.toUpperCase()),
        text,
      })),
      ...more,
    });
  const get = async (at: string, scope?: object, agent = "main") =>
    (await app.call<{ text: string }>("POST", path("tools/memory_get", agent), { path: at, scope })).body.text;
  const told = async (agent = "main", scope?: object, more: object = {}) =>
    JSON.stringify(await app.search("biopsy carcinoma", { minScore: 0, maxResults: 50, scope, ...more }, agent));

  beforeAll(async () => {
    app = await startArchiveApp();
    await append("dm:alice", [SECRET], { scope: ALICE });
    await append("dm:bob", [OWN], { scope: BOB });
    await append("team:all", [OPEN]);
    await app.embedded();
    await app.rested();
  });
  afterAll(() => app.drop());

  test("what chance gives is measured in what the scope sees, not in the words of other users", async () => {
    const said = (user: number) => [`My phone number is 555-01${user}`, `I live in Town${user}`, `I love dish${user}`];
    const users = Array.from({ length: 14 }, (_, at) => 10 + at);
    for (const user of users) {
      const scope = { scope: { user: `u${user}` } };
      await append(`chat:${user}`, said(user), scope, "many");
      if (user === 10) await append(`chat:${user}`, said(user), scope, "alone");
    }
    for (const agent of ["many", "alone"]) await app.embedded(agent);
    for (const text of ["dentist", "phone", "town", "dish", "number"])
      for (const at of [1, 2, 3, 4, 5, 6]) await app.put(`${text}-${at}.md`, `About my ${text}, part ${at}.`, "shelf");
    await append("chat:own", ["My phone number is 555-0110"], { scope: { user: "u10" } }, "shelf");
    await append("chat:other", ["My phone number is 555-0111"], { scope: { user: "u11" } }, "shelf");
    await app.embedded("shelf");
    const own = await app.search("What is my phone number?", { scope: { user: "u10" }, corpus: "sessions" }, "shelf");
    expect(own.results.map(({ path: at }) => at)).toEqual(["sessions/chat:own"]);
    expect(own.results[0]?.vectorScore).toBeTypeOf("number");
    for (const query of ["What is my phone number?", "Where do I live?", "Who is my dentist?"]) {
      const asked = async (agent: string) => {
        const found = await app.search(query, { scope: { user: "u10" }, maxResults: 3 }, agent);
        const recalled = await app.call<{ certain?: false }>("POST", path("recall", agent), {
          message: query,
          scope: { user: "u10" },
        });
        return {
          hits: found.results.map(({ snippet, score }) => [snippet.split("\n\n")[0], score.toFixed(6)]),
          isCertain: [found.certain ?? true, recalled.body.certain ?? true],
        };
      };
      expect(await asked("many")).toEqual(await asked("alone"));
    }
  });

  test("a search finds those of its scope and of everybody", async () => {
    for (const more of [
      {},
      { explain: true },
      { includeText: true },
      { asOf: new Date().toISOString() },
      { paths: ["sessions/*"] },
    ]) {
      const [ofAlice, ofBob, ofNobody] = [
        await told("main", ALICE, more),
        await told("main", BOB, more),
        await told("main", {}, more),
      ];
      expect([ofAlice.includes(SECRET), ofAlice.includes(OWN), ofAlice.includes(OPEN)]).toEqual([true, false, true]);
      for (const told of [ofBob, ofNobody]) expect(told).not.toMatch(/alice|Quillon/i);
      expect([ofBob.includes(OWN), ofBob.includes(OPEN), ofNobody.includes(OWN)]).toEqual([true, true, false]);
    }
    // As with facts, a search without a scope covers everything.
    const all = await told();
    for (const text of [SECRET, OWN, OPEN]) expect(all).toContain(text);
  });

  test("a recall quotes those of its scope; without one, those of everybody", async () => {
    const quotes = async (scope?: object) =>
      JSON.stringify(
        await app.recall("main", "What did the biopsy of Quillon show, a carcinoma?", { scope, maxQuotes: 20 }),
      );
    expect(await quotes(ALICE)).toContain(SECRET);
    for (const scope of [BOB, {}, undefined, { user: "alice ", session: "dm:alice" }])
      expect(await quotes(scope)).not.toContain("Quillon");
    const tool = async (scope?: object) =>
      JSON.stringify((await app.call("POST", path("tools/memory_recall"), { query: "biopsy of Quillon", scope })).body);
    expect(await tool(ALICE)).toContain(SECRET);
    expect(await tool(BOB)).not.toContain("Quillon");
    expect(await tool()).toContain(SECRET);
  });

  test("memory_get, chunks and the session itself are as missing for others", async () => {
    expect(await get("sessions/dm:alice", ALICE)).toContain(SECRET);
    expect(await get("sessions/dm:alice")).toContain(SECRET);
    expect(await get("sessions/dm:alice", BOB)).toBe("");
    expect(await get("sessions/dm:alice", {})).toBe("");
    expect(await get("sessions/team:all", BOB)).toContain(OPEN);
    const statusOf = async (rest: string) => (await app.call("GET", path(rest))).status;
    expect(await statusOf("sessions/dm:alice?user=bob")).toBe(404);
    expect(await statusOf("sessions/dm:alice?session=s1")).toBe(404);
    expect(await statusOf("sessions/dm:alice?user=alice")).toBe(200);
    expect(await statusOf("sessions/team:all?user=bob")).toBe(200);
    expect(await statusOf("chunks?path=sessions/dm:alice&user=bob")).toBe(404);
    expect(await statusOf("chunks?path=sessions/dm:alice&user=alice")).toBe(200);
  });

  test("a fact does not say in which conversation of another it was said", async () => {
    const source = { kind: "message" as const, session: "dm:alice", message: 1 };
    const [stored] = await app.store("main", { text: "The reception opens at eight", source });
    expect(await get(`facts/${stored?.id}`, ALICE)).toContain("sessions/dm:alice#L1");
    expect(await get(`facts/${stored?.id}`, BOB)).not.toContain("alice");
  });

  test("lists name the scope and take one", async () => {
    const list = async (query = "") =>
      (await app.call<{ sessions: SessionPage["session"][] }>("GET", path(`sessions${query}`))).body.sessions.map(
        ({ session, scope }) => [session, scope],
      );
    expect(await list()).toEqual([
      ["dm:alice", ALICE],
      ["dm:bob", BOB],
      ["team:all", {}],
    ]);
    expect(await list("?user=bob")).toEqual([["dm:bob", BOB]]);
    expect(await list("?user=bob&session=x")).toEqual([]);
    expect((await app.call<SessionPage>("GET", path("sessions/dm:bob"))).body.session.scope).toEqual(BOB);
  });

  test("why-not says no more of another's conversation than of none", async () => {
    const whyNot = async (scope?: object) =>
      (await app.call("POST", path("why-not"), { query: "biopsy carcinoma", path: "sessions/dm:alice", scope })).body;
    const none = await app.call("POST", path("why-not"), {
      query: "biopsy carcinoma",
      path: "sessions/none",
      scope: BOB,
    });
    expect(await whyNot(BOB)).toEqual({ ...none.body, path: "sessions/dm:alice" });
    expect(await whyNot(ALICE)).toMatchObject({ found: true, chunks: [{ stage: "shown" }] });
    expect(await whyNot()).toMatchObject({ found: true });
  });

  test("MCP's tools take the scope", async () => {
    const client = await connectClient(app);
    const call = async (name: string, input: Record<string, unknown>) =>
      JSON.stringify(answerOf(await client.callTool({ name, arguments: input })));
    for (const [scope, isShown] of [
      [ALICE, true],
      [BOB, false],
    ] as const) {
      expect((await call("memory_search", { query: "biopsy Quillon", scope })).includes(SECRET)).toBe(isShown);
      expect((await call("memory_recall", { query: "biopsy Quillon", scope })).includes(SECRET)).toBe(isShown);
      expect((await call("memory_get", { path: "sessions/dm:alice", scope })).includes(SECRET)).toBe(isShown);
    }
    await client.close();
  });

  test("names of who speaks in another's conversation change nothing", async () => {
    const score = async (scope: object) => {
      const { results } = await app.search("What did Alice say about the biopsy leaflet at the reception?", {
        minScore: 0,
        scope,
        corpus: "sessions",
      });
      return results.find(({ path }) => path === "sessions/team:all")?.vectorScore;
    };
    const before = await score(BOB);
    expect(await score({ user: "carol" })).toBe(before);
    expect(await score(ALICE)).not.toBe(before);
  });

  test("an append keeps the scope, and another one is refused", async () => {
    const refused = await append<ErrorBody>("dm:alice", ["I am Bob"], { scope: BOB });
    expect(refused).toMatchObject({ status: 409, body: { code: "scope_conflict" } });
    expect(refused.body.error.message).not.toContain("alice");
    const narrower = { scope: { user: "alice", session: "dm:alice" } };
    expect((await append("dm:alice", ["I am Bob"], narrower)).status).toBe(409);
    for (const more of [{}, { scope: ALICE }, { scope: {} }])
      expect((await append("dm:alice", ["The scan is next week"], more)).status).toBe(200);
    const { body } = await app.call<SessionPage>("GET", path("sessions/dm:alice"));
    expect([body.session.scope, body.messages.length]).toEqual([ALICE, 4]);
    expect(await told("main", BOB)).not.toContain("scan");
  });

  test("a conversation without a scope takes that of the first append that names one, and remembered answers know it", async () => {
    await append("dm:carla", ["The pergola is painted in turquoise"]);
    const pergola = async () => (await app.search("pergola turquoise", { minScore: 0, scope: BOB })).results;
    const found = async () => (await pergola()).some(({ path }) => path === "sessions/dm:carla");
    expect([await found(), await found()]).toEqual([true, true]);
    expect((await append("dm:carla", [], { end: true, scope: { user: "carla" } })).status).toBe(200);
    expect(await found()).toBe(false);
    expect((await append("dm:carla", ["x"], { scope: BOB })).status).toBe(409);
    await app.call("DELETE", path("sessions/dm:carla"));
    expect((await append("dm:carla", ["Bob speaks"], { scope: BOB })).status).toBe(200);
  });

  test("a branch has them too", async () => {
    await branchOf(app, "main", "branch");
    expect(await told("branch", ALICE)).toContain(SECRET);
    expect(await told("branch", BOB)).not.toContain("Quillon");
  });

  test("a share has those of everybody alone", async () => {
    await app.call("POST", "/v1/agents", { id: "reader" });
    await app.call("PUT", path("shares/reader"), { sessions: true });
    await app.call("PUT", path("reads/main", "reader"), {});
    for (const scope of [undefined, ALICE, {}]) {
      const all = await told("reader", scope);
      expect(all).toContain(OPEN);
      expect(all).not.toMatch(/Quillon|alice|dm:bob/i);
      expect(await get("@main/sessions/dm:alice", scope, "reader")).toBe("");
    }
    expect(await get("@main/sessions/team:all", undefined, "reader")).toContain(OPEN);
  });

  test("an archive keeps the scope, and one of an older release is given that of its facts", async () => {
    const source = { kind: "message", session: "dm:alice", message: 1 } as const;
    await app.store("main", { text: "I live in Bremen", subject: "Alice", scope: ALICE, source });
    const archive = await app.export("main");
    const lines = readLines(archive);
    expect(lines[0]).toMatchObject({ version: 7 });
    const scopes = (all: readonly AnyLine[]) =>
      all.filter(({ type }) => type === "session").map(({ key, scope }) => [key, scope]);
    expect(scopes(lines)).toContainEqual(["dm:alice", { user: "alice", agent: "", session: "" }]);
    expect(scopes(lines)).toContainEqual(["team:all", undefined]);
    expect((await app.import(archive, "?as=moved")).status).toBe(201);
    await app.rested();
    expect(await told("moved", ALICE)).toContain(SECRET);
    expect(await told("moved", BOB)).not.toContain("Quillon");
    const old = lines.map((line) => {
      const { scope: _, ...session } = line;
      if (line.type === "session") return session;
      return line.type === "header" ? { ...line, version: 5 } : line;
    });
    const packed = gzipSync(old.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect((await app.import(packed, "?as=old")).status).toBe(201);
    await app.rested();
    expect(await told("old", ALICE)).toContain(SECRET);
    expect(await told("old", BOB)).not.toContain("Quillon");
    expect(await told("old", BOB)).toContain(OPEN);
  });
});

describe("a conversation among many of others", () => {
  let app: ArchiveApp;
  const users = Array.from({ length: 30 }, (_, n) => `user${n}`);
  beforeAll(async () => {
    app = await startArchiveApp();
    for (const user of users)
      await app.call("POST", `/v1/agents/main/sessions/dm:${user}/messages`, {
        messages: Array.from({ length: 20 }, (_, n) => ({
          role: "user",
          text: `The orchid orchid orchid orchid of ${user} has ${n} orchid buds`,
        })),
        scope: { user },
        capture: false,
      });
    await app.call("POST", "/v1/agents/main/sessions/dm:bob/messages", {
      messages: [
        {
          role: "user",
          text: "Somewhere in this long remark about the weather and the garden there stands one orchid",
        },
      ],
      scope: BOB,
      capture: false,
    });
    await app.embedded();
    await app.rested();
  });
  afterAll(() => app.drop());

  test("is found, although theirs are more like the question, and neither lists nor ranks tell of theirs", async () => {
    for (const more of [{}, { asOf: new Date().toISOString() }, { paths: ["sessions/*"] }]) {
      const found = await app.search("orchid", { minScore: 0, maxResults: 5, scope: BOB, explain: true, ...more });
      expect(found.results.map(({ path }) => path)).toEqual(["sessions/dm:bob"]);
      expect(found.results[0]?.explain).toMatchObject({ keyword: { rank: 1 }, vector: { rank: 1 }, rankedAt: 1 });
      expect(JSON.stringify(found.debug)).not.toContain("user");
    }
    const { results } = await app.search("orchid", { minScore: 0, maxResults: 5, scope: { user: "user7" } });
    expect(results.length).toBeGreaterThan(0);
    expect(new Set(results.map(({ path }) => path))).toEqual(new Set(["sessions/dm:user7"]));
    const nothing = await app.search("orchid", { minScore: 0, scope: { user: "nobody" } });
    expect(nothing.results).toEqual([]);
  });
});
