import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MissedDocument as WhyNot } from "../../src/client/client.ts";
import { searchMemory } from "../../src/service/search/search-memory.ts";
import type { SearchHit } from "../../src/service/search/search-schemas.ts";
import { systemCaller } from "../../src/settings/access.ts";
import { countStatements } from "../support/count-statements.ts";
import { makeCountedIndex } from "../support/counted-index.ts";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

const HOUR_MS = 3_600_000;

describe("facts as hits of memory_search", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
  });
  afterAll(() => app.drop());

  const set = (agent: string, settings: object) => app.call("PATCH", `/v1/agents/${agent}`, { settings });
  const append = (agent: string, content: string) =>
    app.call("POST", `/v1/agents/${agent}/sessions/chat:1/messages`, { messages: [{ role: "user", content }] });
  const hits = async (agent: string, query: string, more: object = {}): Promise<SearchHit[]> =>
    (await app.search(query, { minScore: 0, ...more }, agent)).results;
  const whyNot = async (agent: string, path: string, query: string, more: object = {}) =>
    (await app.call<WhyNot>("POST", `/v1/agents/${agent}/why-not`, { query, path, ...more })).body;
  /** Runs work with the service's clock two hours ahead. */
  const inTwoHours = async <T>(work: () => Promise<T>): Promise<T> => {
    const deps = app.runtime.deps as { clock: () => Date };
    const { clock } = deps;
    deps.clock = () => new Date(clock().getTime() + 2 * HOUR_MS);
    return work().finally(() => {
      deps.clock = clock;
    });
  };
  /** Fills an agent with unrelated files, so that scores can be compared with chance. */
  const fill = async (agent: string) => {
    const put = Array.from({ length: 30 }, (_, i) => ({
      path: `n${i}.md`,
      content: `Ledger page ${i} lists crate ${i * 7} and barrel ${i * 13} of warehouse ${i % 4}.`,
    }));
    await app.call("POST", `/v1/agents/${agent}/files`, { put });
  };

  test("files, sessions and facts in one list, each with its source and place", async () => {
    await app.put("lamp.md", "The lighthouse lamp burns whale oil.", "mixed");
    await append("mixed", "The lighthouse lamp was cleaned.");
    const [fact] = await app.store("mixed", "The lighthouse lamp is green");
    await app.embedded("mixed");
    const found = await hits("mixed", "lighthouse lamp");
    expect(found.map(({ source, path }) => [source, path]).sort()).toEqual([
      ["facts", `facts/${fact?.id}`],
      ["memory", "lamp.md"],
      ["sessions", "sessions/chat:1"],
    ]);
    for (const corpus of ["facts", "memory", "sessions"] as const)
      expect((await hits("mixed", "lighthouse lamp", { corpus })).map(({ source }) => source)).toEqual([corpus]);
  });

  test("facts of different users are not compared, and a search of all says whose they are", async () => {
    await app.store("rents", { text: "Rent is 980", key: "home.rent", scope: { user: "lena" } });
    await app.store("rents", { text: "Rent is 500", key: "home.rent", scope: { user: "bob" } });
    await app.embedded("rents");
    const found = await hits("rents", "What is the rent?");
    expect(found.map(({ fact, olderThan }) => [fact?.user, olderThan]).sort()).toEqual([
      ["bob", undefined],
      ["lena", undefined],
    ]);
    const [own] = await hits("rents", "What is the rent?", { scope: { user: "lena" } });
    expect(own?.fact?.user).toBeUndefined();
  });

  test("facts of others take no places from one's own, however much else is asked for", async () => {
    const others = Array.from({ length: 600 }, (_, i) => ({ text: `Harbour ${i}`, scope: { user: "ana" } }));
    for (let at = 0; at < others.length; at += 50)
      await app.call("POST", "/v1/agents/main/facts", { facts: others.slice(at, at + 50) });
    const own = "In Lisbon there is, a long way behind the old mills, something that people call a harbour";
    await app.call("POST", "/v1/agents/main/facts", { facts: [{ text: own, scope: { user: "ben" } }] });
    await makeCountedIndex(app, []);
    await app.embedded("main");
    for (const more of [{}, { after: "2020-01-01" }, { paths: ["facts/*"] }])
      expect((await hits("main", "harbour", { scope: { user: "ben" }, ...more })).map(({ path }) => path)).toEqual([
        "facts/601",
      ]);
  });

  test("a corpus that the setting 'sources' leaves out is not searched, and the answer says so", async () => {
    await set("mixed", { sources: ["memory"] });
    for (const corpus of ["facts", "sessions"] as const) {
      const { results, warning } = await app.search("lighthouse lamp", { corpus }, "mixed");
      expect(results).toEqual([]);
      expect(warning).toBe(`The agent's setting 'sources' leaves out ${corpus}, which was not searched.`);
    }
    expect((await hits("mixed", "lighthouse lamp")).map(({ source }) => source)).toEqual(["memory"]);
    expect((await app.search("lighthouse lamp", {}, "mixed")).warning).toBeUndefined();
    await set("mixed", { sources: null });
    expect(await hits("mixed", "lighthouse lamp")).toHaveLength(3);
  });

  test("a fact says since when it holds, when it was said again, and what it replaced; what it replaced is no hit", async () => {
    const since = (day: string) => ({ key: "city", validFrom: new Date(`${day}T00:00:00Z`) });
    const [oslo] = await app.store("dated", { text: "Mina lives in Oslo by the fjord", ...since("2026-01-01") });
    const [rome] = await app.store("dated", { text: "Mina lives in Rome", ...since("2026-06-01"), category: "entity" });
    await app.embedded("dated");
    const [hit, ...others] = await hits("dated", "Mina lives in Oslo by the fjord", { maxResults: 100 });
    expect(others).toEqual([]);
    expect(hit).toMatchObject({
      path: `facts/${rome?.id}`,
      startLine: 1,
      endLine: 1,
      source: "facts",
      citation: `facts/${rome?.id}#L1`,
      snippet: expect.stringMatching(/^Mina lives in Rome/),
      fact: {
        id: rome?.id,
        category: "entity",
        since: "2026-06-01T00:00:00.000Z",
        replaced: "Mina lives in Oslo by the fjord",
      },
    });
    // The fact began to hold before it was stored, and was said only once.
    expect(hit?.fact).not.toHaveProperty("confirmed");
    await app.store("dated", { text: "Mina lives in Rome", key: "city", category: "entity" });
    const [again] = await hits("dated", "Mina lives in Rome");
    expect(again?.fact?.confirmed).toMatch(/^20\d\d-/);
    expect(await whyNot("dated", `facts/${oslo?.id}`, "Mina Oslo")).toMatchObject({
      found: true,
      indexed: true,
      chunks: [{ stage: "excluded", reason: expect.stringContaining("another fact has replaced it") }],
    });
    // The keyword arm alone must not find it either.
    await set("dated", { query: { hybrid: { vectorWeight: 0, textWeight: 1 } } });
    expect((await hits("dated", "Oslo fjord")).map(({ path }) => path)).not.toContain(`facts/${oslo?.id}`);
  });

  test("a fact is found by the very next search, before its embedding is made, and not after it is forgotten", async () => {
    await fill("next");
    await app.embedded("next");
    const [fact] = await app.store("next", "The quokka signed the contract");
    const paths = async () => (await app.search("quokka contract", {}, "next")).results.map((hit) => hit.path);
    const path = `facts/${fact?.id}`;
    expect((await paths())[0]).toBe(path);
    await app.call("DELETE", `/v1/agents/next/${path}`);
    expect(await paths()).not.toContain(path);
  });

  test("facts of others are left out when a search says for whom it is", async () => {
    await app.store(
      "shared",
      { text: "The password of the boat is herring", scope: { user: "mina" } },
      { text: "The password of the boat is mackerel", scope: { user: "bo" } },
    );
    const { rows } = await app.db.executeSql<{ id: string }>("SELECT tenant_id AS id FROM recollect.agents LIMIT 1");
    const caller = systemCaller(rows[0]?.id ?? "");
    const names = async (more: object) => {
      const asked = { query: "password of the boat", minScore: 0, ...more };
      const { results } = await searchMemory(app.runtime.deps, caller, "shared", asked);
      return results.map(({ snippet }) => /herring|mackerel/.exec(snippet)?.[0]);
    };
    expect((await names({})).sort()).toEqual(["herring", "mackerel"]);
    expect(await names({ scope: { user: "bo" } })).toEqual(["mackerel"]);
    expect(await names({ scope: { user: "nobody" } })).toEqual([]);
  });

  test("an answer that the time alone changes is not remembered", async () => {
    const reads = (query: string, more: object = {}) =>
      countStatements(app, /chunks_\d/, () => app.search(query, { minScore: 0, ...more }, "timed"));
    await app.put("a.md", "The ferry leaves at nine.", "timed");
    await app.store("timed", "The ferry is blue");
    // The job that measures the index empties the cache of answers.
    await app.rested();
    await app.search("ferry", { minScore: 0 }, "timed");
    expect(await reads("ferry")).toBe(0);
    const expiresAt = new Date(Date.now() + HOUR_MS);
    await app.store("timed", { text: "The ferry is late today", expiresAt });
    await app.rested();
    const texts = async () => (await hits("timed", "ferry")).map(({ snippet }) => snippet.split("\n")[0]);
    expect(await texts()).toContain("The ferry is late today");
    expect(await reads("ferry")).toBeGreaterThan(0);
    const after = await inTwoHours(texts);
    expect(after.sort()).toEqual(["The ferry is blue", "The ferry leaves at nine."]);
    // An answer without facts does not depend on the time.
    await app.search("ferry", { minScore: 0, corpus: "memory" }, "timed");
    expect(await reads("ferry", { corpus: "memory" })).toBe(0);
  });

  test("a fact that begins later is found from then on, without a write in between", async () => {
    await app.put("a.md", "The museum shows herons.", "later");
    const validFrom = new Date(Date.now() + HOUR_MS);
    const [fact] = await app.store("later", { text: "The museum is closed", validFrom });
    await app.embedded("later");
    const paths = async () => (await hits("later", "museum")).map(({ path }) => path);
    expect(await paths()).toEqual(["a.md"]);
    expect((await whyNot("later", `facts/${fact?.id}`, "museum")).chunks).toMatchObject([
      { stage: "excluded", reason: expect.stringContaining("does not hold") },
    ]);
    expect((await inTwoHours(paths)).sort()).toEqual(["a.md", `facts/${fact?.id}`]);
  });

  test("a hit's score does not depend on how many are asked for, nor on what else is a hit", async () => {
    await fill("absolute");
    await append("absolute", "Crate 21 was moved to warehouse 3.");
    await app.store("absolute", "Crate 21 holds glass", "Barrel 26 leaks");
    await app.rested();
    const scores = async (more: object) =>
      new Map((await hits("absolute", "crate 21 of warehouse", more)).map(({ path, score }) => [path, score]));
    const all = await scores({ maxResults: 100 });
    expect(all.size).toBeGreaterThan(20);
    for (const more of [
      { maxResults: 1 },
      { maxResults: 3 },
      { maxResults: 10 },
      { maxResults: 30, corpus: "facts" },
    ]) {
      const some = await scores(more);
      expect(some.size).toBeGreaterThan(0);
      for (const [path, score] of some) expect(score).toBeCloseTo(all.get(path) ?? -1, 6);
    }
    const lone = await scores({ paths: ["n3.md"] });
    expect([...lone.keys()]).toEqual(["n3.md"]);
    expect(lone.get("n3.md")).toBeCloseTo(all.get("n3.md") ?? -1, 6);
    // A given floor drops the hits below it and leaves all others unchanged.
    const minScore = [...all.values()].sort((a, b) => b - a)[4] ?? 0;
    const floored = await scores({ maxResults: 100, minScore: minScore - 1e-6 });
    expect([...floored.keys()]).toEqual([...all.keys()].slice(0, floored.size));
    expect(floored.size).toBeGreaterThanOrEqual(5);
    expect(floored.size).toBeLessThan(all.size);
  });

  test("why-not of a fact: shown, beyond the limit, not searched, expired, not there", async () => {
    const [glass, heavy] = await app.store("why", "Crate 21 holds glass", "Crate 21 is heavy");
    await app.embedded("why");
    const stage = async (id: string | undefined, more: object = {}) =>
      (await whyNot("why", `facts/${id}`, "crate 21 glass", more)).chunks.map((chunk) => chunk.stage);
    expect(await whyNot("why", `facts/${glass?.id}`, "crate 21 glass")).toMatchObject({
      path: `facts/${glass?.id}`,
      found: true,
      indexed: true,
      chunks: [{ stage: "shown", startLine: 1, endLine: 1, reason: "It is hit 1.", keyword: { rank: 1 } }],
    });
    expect(await stage(heavy?.id, { maxResults: 1, minScore: 0 })).toEqual(["limit"]);
    expect(await stage(glass?.id, { corpus: "memory" })).toEqual(["excluded"]);
    expect(await whyNot("why", "facts/424242", "crate")).toMatchObject({ found: false, indexed: false, chunks: [] });
    const expired = { validFrom: new Date(Date.now() - 2 * HOUR_MS), expiresAt: new Date(Date.now() - HOUR_MS) };
    const [over] = await app.store("why", { text: "Crate 21 stands in the yard", ...expired });
    await app.embedded("why");
    expect(await stage(over?.id)).toEqual(["excluded"]);
  });
});
