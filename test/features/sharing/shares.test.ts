import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../../src/base/errors.ts";
import type { Database } from "../../../src/db/database.ts";
import type { SearchHit } from "../../../src/service/search/search-schemas.ts";
import { countStatements } from "../../support/count-statements.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const STATEMENTS = /^\s*(SELECT|WITH)/i;
const places = (hits: readonly SearchHit[]) => hits.map((hit) => `${hit.path}#L${hit.startLine}`);
/** Returns notes that are unrelated to the questions, so that an index has a background. */
const noise = (about: string, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    path: `noise/${about}-${i}.md`,
    content: `${about} ${["reed", "carp", "frog"][i % 3]} at pond ${i} in week ${i % 9}.`,
  }));

describe("memories that are shared", () => {
  let app: TestApp;
  const share = (sharer: string, reader: string, terms: object = {}) =>
    app.call("PUT", `/v1/agents/${sharer}/shares/${reader}`, terms);
  const take = (reader: string, sharer: string) => app.call("PUT", `/v1/agents/${reader}/reads/${sharer}`, {});
  const withdraw = (sharer: string, reader: string) => app.call("DELETE", `/v1/agents/${sharer}/shares/${reader}`);
  const get = async (path: string, agent: string) =>
    (await app.call<{ text: string; path: string }>("POST", `/v1/agents/${agent}/tools/memory_get`, { path })).body;

  beforeAll(async () => {
    app = await startTestApp();
    for (const [agent, about] of [
      ["support", "Heron"],
      ["handbook", "Stork"],
    ] as const)
      await app.call("POST", `/v1/agents/${agent}/files`, { put: noise(about, 40) });
    await app.put("shift.md", "Refunds of my shift: none.", "support");
    await app.put("rules/refunds.md", "# Refunds\n\nA refund over 500 euro is approved by Ottilie.", "handbook");
    await app.put("drafts/refunds.md", "A refund draft that nobody approved.", "handbook");
    await app.call("POST", "/v1/agents/handbook/facts", {
      facts: [
        { text: "Refund requests are answered within two days." },
        { text: "Refund hater Conrad prefers vouchers.", scope: { user: "conrad" } },
      ],
    });
    await app.call("POST", "/v1/agents/handbook/sessions/slack:C042/messages", {
      messages: [{ role: "user", text: "The refund of Quentin was lost in the mail." }],
    });
    await app.embedded("support");
    await app.embedded("handbook");
    await app.rested();
  });
  afterAll(() => app.drop());

  test("are read when both sides have said so, and not before", async () => {
    expect(await take("support", "handbook")).toMatchObject({
      status: 404,
      body: { error: { code: "share_not_found" } },
    });
    expect((await share("handbook", "support")).status).toBe(200);
    expect(places((await app.search("refund approved", {}, "support")).results)).not.toContain(
      "@handbook/rules/refunds.md#L1",
    );
    expect(await get("@handbook/rules/refunds.md", "support")).toMatchObject({ status: "not_found" });
    expect((await take("support", "handbook")).status).toBe(200);
    const { results } = await app.search("refund approved by Ottilie", {}, "support");
    expect(results[0]).toMatchObject({
      path: "@handbook/rules/refunds.md",
      sharedBy: "handbook",
      citation: "@handbook/rules/refunds.md#L1-L3",
    });
    expect(await get("@handbook/rules/refunds.md", "support")).toMatchObject({
      path: "@handbook/rules/refunds.md",
      text: "# Refunds\n\nA refund over 500 euro is approved by Ottilie.",
    });
    const { body } = await app.call<{ entries: object[] }>("GET", "/v1/audit");
    expect(body.entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "agent.share", target: "handbook" }),
        expect.objectContaining({ action: "agent.read", target: "support" }),
      ]),
    );
    // The share does not work in the other direction.
    expect((await app.search("Refunds of my shift", {}, "handbook")).results.some((hit) => hit.sharedBy)).toBe(false);
  });

  test("whose server of a cluster is away are left out with a warning, while it is; the reader's own stays", async () => {
    const { db } = app.runtime.deps;
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'handbook'",
    );
    const away = new AppError("database_unavailable", "The server that has this agent cannot be reached right now.");
    const search = () => app.search("approved refunds of a shift", {}, "support");
    // In the first round the transaction that plans the search fails, in the second each later
    // transaction, which runs the search.
    for (const answered of [0, 1]) {
      let begun = 0;
      const transaction: Database["transaction"] = (fn, options) =>
        options?.agent?.includes(rows[0]?.schema ?? "?") && begun++ >= answered
          ? Promise.reject(away)
          : db.transaction(fn, options);
      Object.assign(app.runtime.deps, { db: { ...db, transaction } });
      const found = await search().finally(() => Object.assign(app.runtime.deps, { db }));
      expect(begun).toBeGreaterThan(answered);
      expect(found.warning).toMatch(/^The shared memory @handbook was not searched\. The server that has this agent/);
      expect(places(found.results)).toContain("shift.md#L1");
      expect(found.results.filter((hit) => hit.sharedBy)).toEqual([]);
    }
    const found = await search();
    expect(found.warning).toBeUndefined();
    expect(found.results.some((hit) => hit.sharedBy === "handbook")).toBe(true);
  });

  test("stand in one ranking with the agent's own", async () => {
    const { results } = await app.search("refunds of my shift", { minScore: 0, maxResults: 20 }, "support");
    expect(results[0]?.path).toBe("shift.md");
    expect(results.map((hit) => hit.score)).toEqual(results.map((hit) => hit.score).toSorted((a, b) => b - a));
    expect(new Set(results.map((hit) => hit.sharedBy))).toEqual(new Set([undefined, "handbook"]));
  });

  test("have their general facts, and neither facts of a user nor conversations", async () => {
    const { results } = await app.search("refund", { minScore: 0, maxResults: 50 }, "support");
    const fact = results.find((hit) => hit.fact);
    expect(fact).toMatchObject({ path: "@handbook/facts/1", fact: { id: "@handbook/1" } });
    const told = JSON.stringify(results);
    expect(told).not.toContain("Conrad");
    expect(told).not.toContain("Quentin");
    const asked = await app.search("Conrad vouchers", { scope: { user: "conrad" }, minScore: 0 }, "support");
    expect(JSON.stringify(asked.results)).not.toContain("Conrad");
    expect((await get("@handbook/facts/1", "support")).text).toContain("answered within two days");
    expect(await get("@handbook/facts/2", "support")).toMatchObject({ status: "not_found" });
    expect(await get("@handbook/sessions/slack:C042", "support")).toMatchObject({ status: "not_found" });
    expect(await app.call("POST", "/v1/agents/support/tools/memory_forget", { ids: ["@handbook/1"] })).toMatchObject({
      status: 200,
      body: { forgotten: [], note: expect.stringContaining("@handbook/1") },
    });
    expect((await get("@handbook/facts/1", "support")).text).toContain("answered within two days");
  });

  test("have conversations when the sharer says so", async () => {
    await share("handbook", "support", { sessions: true });
    const { results } = await app.search("refund of Quentin lost in the mail", { minScore: 0 }, "support");
    expect(results.find((hit) => hit.session)).toMatchObject({
      path: "@handbook/sessions/slack:C042",
      session: { key: "agent:handbook:slack:C042" },
    });
    expect((await get("@handbook/sessions/slack:C042", "support")).text).toContain("Quentin");
    expect(await share("handbook", "support", { sessions: true, folders: ["rules"] })).toMatchObject({ status: 400 });
  });

  test("end at the folders that are shared", async () => {
    await share("handbook", "support", { folders: ["rules/"] });
    const { results } = await app.search("refund draft nobody approved", { minScore: 0, maxResults: 50 }, "support");
    expect(results.filter((hit) => hit.sharedBy).map((hit) => hit.path)).toEqual(["@handbook/rules/refunds.md"]);
    expect(await get("@handbook/drafts/refunds.md", "support")).toMatchObject({ status: "not_found" });
    expect(await get("@handbook/facts/1", "support")).toMatchObject({ status: "not_found" });
    expect((await get("@handbook/rules/refunds.md", "support")).text).toContain("Ottilie");
    await share("handbook", "support");
  });

  test("are meant by paths that begin with their name", async () => {
    const only = async (paths: string[]) =>
      places((await app.search("refund", { paths, minScore: 0, maxResults: 50 }, "support")).results);
    expect(await only(["@handbook/rules/"])).toEqual(["@handbook/rules/refunds.md#L1"]);
    expect((await only(["*refunds.md"])).sort()).toEqual([
      "@handbook/drafts/refunds.md#L1",
      "@handbook/rules/refunds.md#L1",
    ]);
    expect(await only(["rules/"])).toEqual([]);
  });

  test("are written by nobody but their own agent", async () => {
    expect(await app.put("@handbook/rules/new.md", "Mine", "support")).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_path" } },
    });
  });

  test("leave the counters of both agents alone", async () => {
    const usage = async (agent: string) => (await app.call<{ usage: object }>("GET", `/v1/agents/${agent}`)).body.usage;
    const before = [await usage("support"), await usage("handbook")];
    await app.search("refund of a heron", {}, "support");
    expect([await usage("support"), await usage("handbook")]).toEqual(before);
  });

  test("are read by the next request as they are by then, and after withdrawal not at all", async () => {
    const ask = async () => places((await app.search("walrus migration", {}, "support")).results);
    const noted = await ask();
    expect(noted.some((place) => place.includes("walrus"))).toBe(false);
    await app.put("rules/walrus.md", "The walrus migration begins in May.", "handbook");
    expect(await ask()).toContain("@handbook/rules/walrus.md#L1");
    await withdraw("handbook", "support");
    const alone = await ask();
    expect(alone.some((place) => place.startsWith("@"))).toBe(false);
    expect(await get("@handbook/rules/walrus.md", "support")).toMatchObject({ status: "not_found" });
    // A share that was withdrawn must be accepted again.
    await share("handbook", "support");
    expect(await ask()).toEqual(alone);
    await take("support", "handbook");
    expect(await ask()).toContain("@handbook/rules/walrus.md#L1");
    expect((await app.call("DELETE", "/v1/agents/support/reads/handbook")).status).toBe(200);
    expect(await ask()).toEqual(alone);
    await take("support", "handbook");
  });

  test("of a disabled agent are not read", async () => {
    await app.call("PATCH", "/v1/agents/handbook", { disabled: true });
    expect((await app.search("refund approved", {}, "support")).results.some((hit) => hit.sharedBy)).toBe(false);
    await app.call("PATCH", "/v1/agents/handbook", { disabled: false });
    expect((await app.search("refund approved", {}, "support")).results.some((hit) => hit.sharedBy)).toBe(true);
  });

  test("embed a question once for all memories of one model", async () => {
    await app.rested();
    const before = app.embedder.asked.length;
    await app.search("how are stamps ordered", {}, "support");
    expect(app.embedder.asked.length - before).toBe(1);
  });

  test("cost an agent that reads none no statement more", async () => {
    const cost = (agent: string, query: string) =>
      countStatements(app, STATEMENTS, () => app.search(query, { explain: true }, agent));
    await app.rested();
    await cost("handbook", "pond");
    const alone = await cost("handbook", "pond in week 3");
    await share("support", "handbook");
    expect(await cost("handbook", "pond in week 4")).toBe(alone);
    expect(await cost("support", "pond in week 5")).toBeLessThanOrEqual(2 * alone);
  });

  test("are none of an agent that nothing was written to, which asking does not create", async () => {
    for (const side of ["shares", "reads"])
      expect((await app.call("GET", `/v1/agents/main/${side}`)).body).toEqual({ shares: [] });
    const { rows } = await app.db.executeSql("SELECT id FROM recollect.agents WHERE id = 'main'");
    expect(rows).toEqual([]);
  });

  test("are at most eight for one reader", async () => {
    for (let i = 0; i < 8; i++) {
      await app.put("a.md", "A note", `sharer-${i}`);
      await share(`sharer-${i}`, "support");
    }
    for (let i = 0; i < 7; i++) expect((await take("support", `sharer-${i}`)).status).toBe(200);
    expect(await take("support", "sharer-7")).toMatchObject({
      status: 413,
      body: { error: { code: "quota_exceeded" } },
    });
    for (let i = 0; i < 8; i++) await withdraw(`sharer-${i}`, "support");
  });
});
