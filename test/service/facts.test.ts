import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../support/fact-app.ts";
import type { ErrorBody } from "../support/test-app.ts";

const day = (date: string) => new Date(`${date}T00:00:00Z`);

describe("facts", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
  });
  afterAll(() => app.drop());

  test("a fact is stored, read, listed and found at once, by word and by meaning", async () => {
    const [stored] = await app.store("plain", {
      text: "  Mina prefers tea in the morning ",
      category: "preference",
      importance: 0.8,
      scope: { user: "mina" },
      tags: ["drinks", "morning", "drinks"],
      source: { kind: "message", session: "slack:C042", message: 7 },
      decayClass: "active",
    });
    expect(stored).toMatchObject({ status: "stored", superseded: [] });
    const { body } = await app.fact("plain", stored?.id ?? "");
    expect(body).toMatchObject({
      id: stored?.id,
      text: "Mina prefers tea in the morning",
      category: "preference",
      importance: 0.8,
      scope: { user: "mina" },
      tags: ["drinks", "morning"],
      source: { kind: "message", session: "slack:C042", message: 7, by: "local" },
      decayClass: "active",
    });
    expect(body).not.toHaveProperty("validTo");
    expect(await app.list("plain")).toEqual([body]);
    const { facts, mode } = await app.searchFacts("plain", "morning tea");
    expect(mode).toBe("hybrid");
    expect(facts[0]).toMatchObject({ ...body, vectorScore: expect.any(Number), textScore: 1 });
    expect(await app.usage("plain")).toEqual({ files: 0, facts: 1, chunks: 1, bytes: 31, historyBytes: 0 });
  });

  test("what is known is not stored again: same text, or nearly equal with the same figures", async () => {
    const [first] = await app.store(
      "twice",
      "The staging server is called Lantern, and it listens on port 8080 by default",
    );
    const again = async (text: string, more = {}) => (await app.store("twice", { text, ...more }))[0];
    const before = (await app.fact("twice", first?.id ?? "")).body;
    const duplicate = { id: first?.id, status: "duplicate", superseded: [] };
    expect(await again("the staging server is called  lantern, and it listens on PORT 8080 by default.")).toEqual(
      duplicate,
    );
    // The word embedder ignores the order of words.
    expect(await again("By default the staging server is called Lantern, and it listens on port 8080")).toEqual(
      duplicate,
    );
    expect((await again("By default the staging server is called Lantern, and it listens on port 8081"))?.status).toBe(
      "stored",
    );
    expect(
      (
        await again("The staging server is called Lantern, and it listens on port 8080 by default", {
          scope: { user: "bo" },
        })
      )?.status,
    ).toBe("stored");
    expect(await app.list("twice")).toHaveLength(3);
    const after = (await app.fact("twice", first?.id ?? "")).body;
    expect(Date.parse(after.confirmedAt)).toBeGreaterThan(Date.parse(before.confirmedAt));
    // Repeating the fact without an end removes its end.
    await app.store("twice", { text: "The gate code is 4711", expiresAt: day("2999-01-01") });
    const [code] = await app.store("twice", "The gate code is 4711");
    expect((await app.fact("twice", code?.id ?? "")).body).not.toHaveProperty("expiresAt");
    const both = await app.store("twice", "Said twice in one request", "said twice in one request!");
    expect(both.map((one) => one.status)).toEqual(["stored", "duplicate"]);
    expect(both[1]?.id).toBe(both[0]?.id);
  });

  test("contradictions: of one key the newer holds, the older is believed at its time, and both can be read", async () => {
    const key = "user.city";
    const [oslo] = await app.store("moved", { text: "Mina lives in Oslo", key, validFrom: day("2026-01-01") });
    const [rome] = await app.store("moved", { text: "Mina lives in Rome", key, validFrom: day("2026-06-01") });
    expect(rome).toMatchObject({ status: "stored", superseded: [oslo?.id] });
    // The first fact is learned later than the others, the second has another scope.
    const [bergen] = await app.store("moved", { text: "Mina lives in Bergen", key, validFrom: day("2026-03-01") });
    await app.store("moved", { text: "Bo lives in Lima", key, scope: { user: "bo" } });
    const where = (asOf?: string) =>
      app.found("moved", "where does Mina live", { scope: {}, ...(asOf ? { asOf } : {}) });
    expect(await where()).toEqual(["Mina lives in Rome"]);
    expect(await where("2026-02-01T00:00:00Z")).toEqual(["Mina lives in Oslo"]);
    expect(await where("2026-04-01T00:00:00Z")).toEqual(["Mina lives in Bergen"]);
    expect(await where("2025-12-31T00:00:00Z")).toEqual([]);
    const { body } = await app.fact("moved", oslo?.id ?? "");
    expect(body).toMatchObject({ validTo: "2026-03-01T00:00:00.000Z", supersededBy: bergen?.id, endedBy: "key" });
    const texts = ["Mina lives in Oslo", "Mina lives in Bergen", "Mina lives in Rome"];
    for (const one of [oslo, rome, bergen])
      expect((await app.history("moved", one?.id ?? "")).map((fact) => fact.text)).toEqual(texts);
    expect(await app.list("moved", "?all=true")).toHaveLength(4);
    expect(await app.list("moved", "?asOf=2026-02-01T00:00:00Z")).toMatchObject([{ text: "Mina lives in Oslo" }]);
    // A fact that held only in the past is no duplicate of one that holds now.
    expect((await app.store("moved", { text: "Mina lives in Oslo", key }))[0]).toMatchObject({
      status: "stored",
      superseded: [rome?.id],
    });
  });

  test("a fact that is past when it is stored is history: found as of its time, and ends nothing", async () => {
    const past = { validFrom: day("2020-01-01"), validTo: day("2024-08-15") };
    await app.store("past", { text: "Mina lives in Bergen", validFrom: day("2024-08-15") });
    const [stored] = await app.store("past", { text: "Mina lives in Tromsø", ...past });
    expect(stored).toMatchObject({ status: "stored", superseded: [] });
    const [again] = await app.store("past", { text: "Mina lives in Tromsø", ...past });
    expect(again).toMatchObject({ id: stored?.id, status: "duplicate" });
    expect((await app.list("past")).map((fact) => fact.text)).toEqual(["Mina lives in Bergen"]);
    expect((await app.list("past", "?asOf=2022-01-01T00:00:00Z")).map((fact) => fact.text)).toEqual([
      "Mina lives in Tromsø",
    ]);
    const texts = (more = {}) => app.found("past", "where does Mina live", { scope: {}, ...more });
    expect(await texts()).toEqual(["Mina lives in Bergen"]);
    expect(await texts({ asOf: "2022-01-01T00:00:00Z" })).toEqual(["Mina lives in Tromsø"]);
    expect((await app.fact("past", stored?.id ?? "")).body).toMatchObject({
      validFrom: "2020-01-01T00:00:00.000Z",
      validTo: "2024-08-15T00:00:00.000Z",
    });

    const refused = async (more: object) =>
      (
        await app.call<ErrorBody>("POST", "/v1/agents/past/facts", {
          facts: [{ text: "Mina lives in Oslo", ...past, ...more }],
        })
      ).body.error.message;
    expect(await refused({ validTo: "2019-01-01T00:00:00Z" })).toContain("also needs a validFrom");
    expect(await refused({ validTo: "2999-01-01T00:00:00Z" })).toContain("give it as expiresAt");
    expect(await refused({ key: "user.home" })).toContain("leave out key and supersedes");
  });

  test("a fact without a key gives way to one that says the same with it", async () => {
    const [bare] = await app.store("keyed", "Mina's editor is vim");
    const key = "preference:editor";
    const [vim] = await app.store("keyed", { text: "Mina's editor is vim", key });
    expect(vim).toMatchObject({ status: "stored", superseded: [bare?.id] });
    expect((await app.store("keyed", { text: "Mina's editor is vim", key }))[0]?.status).toBe("duplicate");
    expect((await app.store("keyed", "Mina's editor is vim"))[0]).toMatchObject({ status: "duplicate", id: vim?.id });
    await app.store("keyed", { text: "Mina's editor is emacs", key });
    expect((await app.list("keyed")).map((fact) => fact.text)).toEqual(["Mina's editor is emacs"]);
  });

  test("a fact takes the place of others that are named, once; another text makes a new version", async () => {
    const [a, b] = await app.store("named", "The release is on Monday", "Bo does the release");
    const [c] = await app.store("named", { text: "Mina releases on Tuesday", supersedes: [a?.id ?? "", b?.id ?? ""] });
    expect(c?.superseded.sort()).toEqual([a?.id, b?.id].sort());
    const post = (fact: object) => app.call<ErrorBody>("POST", "/v1/agents/named/facts", { facts: [fact] });
    const refused = await post({ text: "x", supersedes: [a?.id] });
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: "fact_superseded", details: { supersededBy: c?.id } },
    ]);
    expect((await post({ text: "x", supersedes: ["999999"] })).body.error.code).toBe("fact_not_found");
    const patch = (id: string | undefined, change: object) =>
      app.call<{ id: string; status: string }>("PATCH", `/v1/agents/named/facts/${id}`, change);
    expect(
      (await patch(c?.id, { importance: 1, tags: ["release"], expiresAt: "2999-01-01T00:00:00Z" })).body.status,
    ).toBe("updated");
    expect((await app.fact("named", c?.id ?? "")).body).toMatchObject({ importance: 1, tags: ["release"] });
    const { body: d } = await patch(c?.id, { text: "mina releases on Tuesday", importance: 0.9 });
    expect(d).toMatchObject({ status: "stored", superseded: [c?.id] });
    const history = await app.history("named", d.id);
    expect(history.map((fact) => fact.text).sort()).toEqual([
      "Bo does the release",
      "Mina releases on Tuesday",
      "The release is on Monday",
      "mina releases on Tuesday",
    ]);
    expect(history.at(-1)).toMatchObject({
      id: d.id,
      importance: 0.9,
      tags: ["release"],
      expiresAt: "2999-01-01T00:00:00.000Z",
    });
    expect(history.at(-2)).toMatchObject({ id: c?.id, endedBy: "update" });
    expect((await patch(c?.id, { importance: 0 })).status).toBe(409);
    expect((await patch("999999", { importance: 0 })).status).toBe(404);
    expect((await patch(d.id, {})).status).toBe(400);
  });

  test("what is forgotten is gone with its past, its chunks, cached vectors and counts, and the audit log says how many", async () => {
    const key = "pin";
    const [old] = await app.store("secret", { text: "The code word is heron", key }, "Something else entirely");
    const [current] = await app.store("secret", { text: "The code word is ibis", key });
    const cached = async () =>
      (await app.db.executeSql("SELECT 1 FROM recollect.embedding_cache WHERE agent_id = 'secret'")).rows.length;
    expect(await cached()).toBe(3);
    const gone = await app.call<{ forgotten: string[] }>("DELETE", `/v1/agents/secret/facts/${current?.id}`);
    expect(gone.body.forgotten.sort()).toEqual([old?.id, current?.id].sort());
    expect((await app.fact("secret", old?.id ?? "")).status).toBe(404);
    expect((await app.call("DELETE", `/v1/agents/secret/facts/${current?.id}`)).status).toBe(404);
    expect(await app.found("secret", "code word heron ibis")).toEqual(["Something else entirely"]);
    expect(await app.usage("secret")).toEqual({ files: 0, facts: 1, chunks: 1, bytes: 23, historyBytes: 0 });
    expect(await cached()).toBe(1);
    const { body } = await app.call<{ entries: { action: string; target: string; details: object }[] }>(
      "GET",
      "/v1/audit",
    );
    const acts = body.entries.filter((entry) => entry.target === "secret" && entry.action === "facts.forget");
    expect(acts.map((act) => act.details)).toEqual([{ facts: 2, rule: "by id" }]);
  });

  test("filters: scope, category, tags, importance, key", async () => {
    await app.store(
      "filters",
      { text: "note of everybody", category: "decision", importance: 0.9 },
      { text: "note of Mina", scope: { user: "mina" }, tags: ["a", "b"] },
      { text: "note of Bo", scope: { user: "bo" }, tags: ["a"], key: "k" },
      { text: "note of Mina in a session", scope: { user: "mina", session: "web:1" } },
    );
    const found = async (more: object) => (await app.found("filters", "note", { maxResults: 20, ...more })).sort();
    expect(await found({})).toHaveLength(4);
    expect(await found({ scope: {} })).toEqual(["note of everybody"]);
    expect(await found({ scope: { user: "mina" } })).toEqual(["note of Mina", "note of everybody"]);
    expect(await found({ scope: { user: "mina", session: "web:1" } })).toHaveLength(3);
    expect(await found({ tags: ["a"] })).toEqual(["note of Bo", "note of Mina"]);
    expect(await found({ tags: ["a", "b"] })).toEqual(["note of Mina"]);
    expect(await found({ categories: ["decision"] })).toEqual(["note of everybody"]);
    expect(await found({ minImportance: 0.6 })).toEqual(["note of everybody"]);
    const texts = async (query: string) => (await app.list("filters", query)).map((fact) => fact.text);
    expect(await texts("?user=mina&limit=10")).toEqual(["note of Mina in a session", "note of Mina"]);
    expect(await texts("?key=k")).toEqual(["note of Bo"]);
    const first = await app.call<{ facts: object[]; nextCursor: string }>("GET", "/v1/agents/filters/facts?limit=3");
    expect(await texts(`?limit=3&cursor=${first.body.nextCursor}`)).toEqual(["note of everybody"]);
    expect((await app.call("GET", "/v1/agents/filters/facts?cursor=bm9wZQ")).status).toBe(400);
  });
});
