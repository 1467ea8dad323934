import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { findKnownAgent } from "../../src/service/agent/find-agent.ts";
import { retainFacts } from "../../src/service/facts/forget-facts.ts";
import { systemCaller } from "../../src/settings/access.ts";
import { checkAgents } from "../support/check-agent.ts";
import { type FactApp, startFactApp } from "../support/fact-app.ts";
import { until } from "../support/until.ts";
import { wordVector } from "../support/word-embedder.ts";

const vectorOf = (_model: string, text: string, dimensions: number) => wordVector(text, dimensions);

describe("facts in the index", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
  });
  afterAll(async () => {
    const problems = await checkAgents(app.db, vectorOf);
    // The job that counts words runs seconds later, and this embedder does not report its requests.
    expect(problems.filter((problem) => !/statistics|counted as embedded/.test(problem))).toEqual([]);
    await app.drop();
  });

  const tenantId = async () =>
    (await app.db.executeSql<{ id: string }>("SELECT tenant_id AS id FROM recollect.agents LIMIT 1")).rows[0]?.id ?? "";
  const retain = async (id: string) => {
    const agent = await findKnownAgent(app.runtime.deps, systemCaller(await tenantId()), "agent:write", id);
    if (agent) await retainFacts(app.runtime.deps, agent, new AbortController().signal);
  };
  const set = (agent: string, settings: object) => app.call("PATCH", `/v1/agents/${agent}`, { settings });

  test("while the provider is out facts are stored and found by word; the job makes up for it", async () => {
    app.embedder.failure = new AppError("embedder_unavailable", "It is out.");
    const [stored] = await app.store("outage", "The gateway is in Bergen");
    expect(stored?.status).toBe("stored");
    const during = await app.searchFacts("outage", "where is the gateway");
    expect([during.mode, during.facts[0]?.text]).toEqual(["keyword", "The gateway is in Bergen"]);
    expect(during.warning).toContain("keyword search only");
    expect((await app.recall("outage", "where is the gateway")).facts).toMatchObject([
      { text: "The gateway is in Bergen" },
    ]);
    app.embedder.failure = undefined;
    // The job is retried later by itself; another write starts one at once.
    await app.put("a.md", "A note", "outage");
    await app.embedded("outage");
    const after = await app.searchFacts("outage", "the gateway in Bergen");
    expect([after.mode, after.facts[0]?.vectorScore]).toEqual(["hybrid", expect.any(Number)]);
  });

  test("a search of the files finds no facts, nor the other way round; one of the whole memory finds both", async () => {
    await app.put("a.md", "The lighthouse is painted red", "apart");
    await app.store("apart", "The lighthouse is painted green");
    await app.embedded("apart");
    const { results } = await app.search("lighthouse painted", { corpus: "memory" }, "apart");
    expect(results.map((hit) => hit.path)).toEqual(["a.md"]);
    expect(await app.found("apart", "lighthouse painted")).toEqual(["The lighthouse is painted green"]);
    const whole = await app.search("lighthouse painted", {}, "apart");
    expect(whole.results.map((hit) => hit.source).sort()).toEqual(["facts", "memory"]);
  });

  test("a new index has all facts, those that are over and those that were told meanwhile", async () => {
    const key = "city";
    await app.store("anew", { text: "Mina lives in Oslo", key, validFrom: new Date("2026-01-01") });
    await app.store("anew", { text: "Mina lives in Rome", key, validFrom: new Date("2026-06-01") });
    await app.put("a.md", "A note", "anew");
    await app.embedded("anew");
    let release = () => {};
    app.embedder.gate = new Promise((resolve) => {
      release = resolve;
    });
    // The cache is off, so that the new index waits for its embeddings.
    await set("anew", { chunking: { tokens: 200 }, cache: { enabled: false } });
    await app.search("note", {}, "anew");
    const reindex = async () =>
      (await app.call<{ reindex: { state: string } }>("GET", "/v1/agents/anew/status")).body.reindex.state;
    await until(async () => (await reindex()) === "building");
    const told = app.store("anew", "Told while the index was being built");
    release();
    app.embedder.gate = undefined;
    await told;
    await until(async () => (await reindex()) === "none");
    expect(await app.found("anew", "Mina lives", { asOf: "2026-02-01T00:00:00Z" })).toEqual(["Mina lives in Oslo"]);
    expect((await app.found("anew", "Mina lives told index built")).sort()).toEqual([
      "Mina lives in Rome",
      "Told while the index was being built",
    ]);
    expect(await app.usage("anew")).toMatchObject({ facts: 3, chunks: 4 });
  });

  test("many at once with one key: one holds, and none is lost", async () => {
    await app.store("crowd", "Somebody is first");
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, n) => app.store("crowd", { text: `The winner is number ${n}`, key: "winner" })),
    );
    expect(all.flat().every((one) => one.status === "stored")).toBe(true);
    expect(await app.list("crowd", "?key=winner")).toHaveLength(1);
    expect(await app.list("crowd", "?key=winner&all=true")).toHaveLength(12);
    const same = await Promise.all(Array.from({ length: 8 }, () => app.store("crowd", "Said by everybody at once")));
    expect(same.flat().filter((one) => one.status === "stored")).toHaveLength(1);
  });

  test("retention: by expiry, by age after being superseded, by decay; each counted in the audit log", async () => {
    const old = (days: number) => new Date(Date.now() - days * 86_400_000);
    await app.store(
      "keep",
      { text: "Expired long ago", validFrom: old(10), expiresAt: old(1) },
      { text: "Mina lives in Oslo", key: "city", validFrom: old(90) },
      { text: "Mina lives in Rome", key: "city", validFrom: old(60) },
      { text: "Will expire", expiresAt: old(-1) },
      { text: "Of a passing moment", decayClass: "transient" },
      { text: "Here to stay", decayClass: "permanent" },
    );
    expect(await app.found("keep", "expired long ago")).not.toContain("Expired long ago");
    await retain("keep");
    const texts = async () => (await app.list("keep", "?all=true")).map((fact) => fact.text).sort();
    expect(await texts()).toHaveLength(5);
    const { rows } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = 'keep'",
    );
    await app.db.executeSql(`UPDATE ${rows[0]?.schema}.facts SET confirmed_at = $1`, [old(2)]);
    // New settings start a sync, which applies the rules of retention too.
    await set("keep", { facts: { retention: { supersededDays: 30, afterHalfLives: 4 } } });
    await retain("keep");
    await retain("keep");
    expect(await texts()).toEqual(["Here to stay", "Mina lives in Rome", "Will expire"]);
    const { body } = await app.call<{ entries: { action: string; target: string; actor: string; details: object }[] }>(
      "GET",
      "/v1/audit",
    );
    const acts = body.entries.filter((entry) => entry.target === "keep" && entry.action === "facts.retention");
    expect(acts.map(({ actor, details }) => ({ actor, details }))).toEqual([
      {
        actor: "system",
        details: { facts: 2, superseded: 1, decayed: 1, expiredDays: 0, supersededDays: 30, afterHalfLives: 4 },
      },
      { actor: "system", details: { facts: 1, expired: 1, expiredDays: 0 } },
    ]);
    expect(JSON.stringify(acts)).not.toContain("Oslo");
    expect(await app.usage("keep")).toMatchObject({ facts: 3, chunks: 3 });
  });

  test("what is over stays over when the fact that took its place was let go of", async () => {
    const old = (days: number) => new Date(Date.now() - days * 86_400_000);
    const [oslo] = await app.store("over", { text: "Mina is in Oslo", key: "place", validFrom: old(9) });
    await app.store("over", { text: "Mina is in Rome", key: "place", validFrom: old(5), expiresAt: old(1) });
    await retain("over");
    const before = (await app.fact("over", oslo?.id ?? "")).body;
    expect(before.validTo).toBeDefined();
    expect(before.supersededBy).toBeUndefined();
    const facts = [{ text: "Mina is back", supersedes: [oslo?.id] }];
    const { status } = await app.call("POST", "/v1/agents/over/facts", { facts });
    expect(status).toBe(409);
    expect((await app.fact("over", oslo?.id ?? "")).body).toEqual(before);
  });

  test("an agent that is erased leaves a receipt that counts its facts", async () => {
    await app.store("gone", "One", "Two");
    const { body } = await app.call<{ counts: Record<string, number> }>("DELETE", "/v1/agents/gone");
    expect(body.counts).toMatchObject({ facts: 2, chunks: 2, bytes: 6 });
  });

  test("a limit of facts refuses the request whole", async () => {
    await app.call("POST", "/v1/agents", { id: "few", limits: { facts: 2 } });
    await app.store("few", "One");
    const facts = [{ text: "Two" }, { text: "Three" }];
    const refused = await app.call("POST", "/v1/agents/few/facts", { facts });
    expect([refused.status, refused.body.error.code]).toEqual([413, "quota_exceeded"]);
    expect(await app.list("few")).toHaveLength(1);
  });
});
