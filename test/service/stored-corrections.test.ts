import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

/** What users said weeks ago, and what a model stores as a correction, in the third person as its tool asks. */
const CORRECTIONS = [
  ["My favourite team is Leeds United", "Paul's favourite team is Manchester City", "What is my favourite team?"],
  ["I work at Barclays as an analyst", "Paul works at Lloyds as a risk analyst", "Where do I work?"],
  ["My phone is a Pixel 8", "The user's phone is an iPhone 17", "What is my phone?"],
  ["My dentist is Dr. Khan", "Paul's dentist is Dr. Osei", "Who is my dentist?"],
] as const;

describe("a correction that a model stores", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({});
  });
  afterAll(() => app.drop());

  const scope = { user: "paul" };
  const all = { sources: ["memory", "sessions", "facts"] };
  const store = async (agent: string, fact: object) =>
    (await app.call<{ facts: { id: string }[] }>("POST", `/v1/agents/${agent}/tools/memory_store`, { scope, ...fact }))
      .body.facts[0]?.id ?? "";
  const factOf = async (agent: string, text: string) =>
    (
      await app.call<{ facts: { id: string; text: string; key?: string }[] }>("GET", `/v1/agents/${agent}/facts`)
    ).body.facts.find((fact) => fact.text === text);

  test.each(CORRECTIONS)("%s / %s: leads the answer, also of one hit", async (said, corrected, question) => {
    const agent = `told_${CORRECTIONS.findIndex(([one]) => one === said)}`;
    await app.talker(agent, all);
    await app.append(agent, "old", [{ text: `${said}.`, at: "2026-09-01T09:00:00Z" }], { scope });
    const old = await factOf(agent, said);
    const id = await store(agent, { text: corrected, subject: "Paul", replaces: [old?.id] });
    await app.synced(agent);
    await app.embedded(agent);
    for (const maxResults of [1, 6]) {
      const { results } = await app.search(question, { scope, maxResults }, agent);
      expect(results[0]?.path).toBe(`facts/${id}`);
      expect(results.slice(1).map((hit) => hit.olderThan)).toEqual(results.slice(1).map(() => `facts/${id}#L1`));
    }
  });

  test("takes the key of the fact that it replaces, unless the key names the old value", async () => {
    await app.talker("keyed", all);
    const said = ["I live in Leeds", "I drive a red Skoda", "I'm a nurse at Lakeside"];
    for (const [at, text] of said.entries())
      await app.append("keyed", `s${at}`, [{ text: `${text}.`, at: "2026-09-01T09:00:00Z" }], { scope });
    const next = ["Paul lives in York", "Paul drives a blue Kia", "Paul is a nurse at Hillside"];
    for (const [at, text] of next.entries())
      await store("keyed", { text, replaces: [(await factOf("keyed", said[at] ?? ""))?.id] });
    const keys = await Promise.all(next.map(async (text) => (await factOf("keyed", text))?.key));
    expect(keys).toEqual(["user.location", undefined, "user.job"]);
    const explicit = await store("keyed", {
      text: "Paul lives in Rome",
      key: "paul.home",
      replaces: [(await factOf("keyed", "Paul lives in York"))?.id],
    });
    expect(await factOf("keyed", "Paul lives in Rome")).toMatchObject({ id: explicit, key: "paul.home" });
  });

  test("about somebody else replaces nothing of the user's", async () => {
    await app.talker("others", all);
    await app.append("others", "a", [{ text: "My dentist is Dr. Kim.", at: "2026-09-01T09:00:00Z" }], { scope });
    const [old] = (
      await app.call<{ facts: { id: string }[] }>("POST", "/v1/agents/others/facts", {
        facts: [{ text: "My sister Anna has Dr. Voss as dentist", scope }],
      })
    ).body.facts;
    await store("others", { text: "Anna's dentist is Dr. Lee", replaces: [old?.id] });
    await app.synced("others");
    await app.embedded("others");
    const { results } = await app.search("Who is my dentist?", { scope }, "others");
    expect(results[0]?.snippet).toContain("Dr. Kim");
    expect(results[0]).not.toHaveProperty("olderThan");
  });

  test("without a replaced fact, the newer one leads where people have one of a kind", async () => {
    await app.talker("apart", all);
    await app.append("apart", "old", [{ text: "My dentist is Dr. Khan.", at: "2026-09-01T09:00:00Z" }], { scope });
    await app.append("apart", "pets", [{ text: "My dog is called Rex.", at: "2026-09-02T09:00:00Z" }], { scope });
    const dentist = await store("apart", { text: "My dentist is Dr. Osei", subject: "paul" });
    await store("apart", { text: "My dog is called Bello", subject: "paul" });
    await app.synced("apart");
    await app.embedded("apart");
    const dentists = (await app.search("Who is my dentist?", { scope }, "apart")).results;
    expect(dentists.map(({ path, olderThan }) => [path, olderThan]).slice(0, 2)).toEqual([
      [`facts/${dentist}`, undefined],
      [expect.any(String), `facts/${dentist}#L1`],
    ]);
    const dogs = (await app.search("What is my dog called?", { scope }, "apart")).results;
    const ofDogs = dogs.filter(({ snippet }) => snippet.includes("dog"));
    expect(ofDogs.length).toBeGreaterThan(1);
    expect(ofDogs.map((hit) => hit.olderThan)).toEqual(ofDogs.map(() => undefined));
  });

  test.each([
    ["I work at Globex.", "User works at Hooli", "Where do I work?"],
    ["My favourite colour is Green.", "Paul's favourite colour is Blue", "What is my favourite colour?"],
    ["I live in Oslo.", "The user lives in Rome", "Where do I live?"],
  ])(
    "%s / %s: with another verb form and without a replaced fact, the newer one leads",
    async (said, stored, question) => {
      const agent = `form_${stored.replace(/\W+/g, "_").toLowerCase()}`;
      await app.talker(agent, all);
      await app.append(agent, "old", [{ text: said, at: "2026-09-01T09:00:00Z" }], { scope });
      const id = await store(agent, { text: stored });
      await app.synced(agent);
      await app.embedded(agent);
      const { results } = await app.search(question, { scope }, agent);
      expect(results.map(({ olderThan }) => olderThan)).toEqual([
        undefined,
        ...results.slice(1).map(() => `facts/${id}#L1`),
      ]);
      expect(results[0]?.path).toBe(`facts/${id}`);
    },
  );

  test("another statement about the same thing replaces nothing", async () => {
    await app.talker("beside", all);
    await app.append("beside", "old", [{ text: "I work at Globex.", at: "2026-09-01T09:00:00Z" }], { scope });
    await store("beside", { text: "User works with Anna" });
    await store("beside", { text: "User works at night" });
    await app.synced("beside");
    await app.embedded("beside");
    const { results } = await app.search("Where do I work?", { scope }, "beside");
    expect(results.find(({ snippet }) => snippet.includes("Globex"))).not.toHaveProperty("olderThan");
  });

  test("a living is no place to live", async () => {
    await app.talker("living", all);
    const said = ["I'm a nurse at Lakeside.", "I live in Oslo."];
    for (const [at, text] of said.entries())
      await app.append("living", `s${at}`, [{ text, at: "2026-09-01T09:00:00Z" }], { scope });
    await app.synced("living");
    await app.embedded("living");
    const { results } = await app.search("What do I do for a living?", { scope }, "living");
    expect(results[0]?.snippet).toContain("nurse");
  });

  test("an older hit names a text that is shown", async () => {
    await app.talker("shown", all);
    await app.append("shown", "s1", [{ text: "I work at Acme.", at: "2026-09-01T09:00:00Z" }], { scope });
    await app.append("shown", "s2", [{ text: "I work at Globex now.", at: "2026-11-01T09:00:00Z" }], { scope });
    await app.synced("shown");
    await app.embedded("shown");
    const { results } = await app.search("Where do I work?", { scope }, "shown");
    const named = results.flatMap((hit) => hit.olderThan ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const one of named) expect(results.map((hit) => hit.citation)).toContain(one);
  });

  test("a date that countries read differently is named in a note", async () => {
    const { note } = await app.search("What happened on 10/11/2026?", {}, "shown");
    expect(note).toContain("10/11/2026 was not read as a day");
    expect((await app.search("What happened on 13/11/2026?", {}, "shown")).note ?? "").not.toContain("not read");
  });
});
