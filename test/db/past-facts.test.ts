import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../support/fact-app.ts";

/** More than the most candidates that an arm may return. */
const VERSIONS = 300;
const A_WRITE = 50;
const OTHERS = 100;

describe("facts that are over", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp();
  });
  afterAll(() => app.drop());

  const rows = async <R>(agent: string, sql: string) => {
    const { rows: agents } = await app.db.executeSql<{ schema: string }>(
      "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
      [agent],
    );
    return (await app.db.executeSql<R>(sql.replaceAll("$schema", agents[0]?.schema ?? ""))).rows;
  };

  test("of however many versions only the one that holds is a hit, in every kind of search", async () => {
    await app.store("versions", "The summer party is in the garden of Mina");
    const put = Array.from({ length: OTHERS }, (_, i) => ({
      path: `notes/${i}.md`,
      content: `Machine m${i} stands in hall h${i % 7} and was looked at on day ${i}`,
    }));
    expect((await app.call("POST", "/v1/agents/versions/files", { put })).status).toBe(200);
    for (let from = 0; from < VERSIONS; from += A_WRITE) {
      const facts = Array.from({ length: A_WRITE }, (_, i) => ({
        text: `The favourite number of Mina is ${1000 + from + i}`,
        key: "mina.number",
      }));
      await app.store("versions", ...facts);
    }
    await app.embedded("versions");
    const sources = await rows(
      "versions",
      "SELECT source, count(*)::int AS n FROM $schema.chunks_1 WHERE fact_id IS NOT NULL GROUP BY 1 ORDER BY 1",
    );
    expect(sources).toEqual([
      { source: 3, n: 2 },
      { source: 4, n: VERSIONS - 1 },
    ]);
    expect(
      await rows(
        "versions",
        "SELECT source, count(*)::int AS n FROM $schema.vectors_1 WHERE source > 2 GROUP BY 1 ORDER BY 1",
      ),
    ).toEqual(sources);
    const question = "What is the favourite number of Mina?";
    for (const options of [{}, { maxResults: 1 }, { maxResults: 50, minScore: 0 }, { corpus: "facts" }]) {
      const { results } = await app.search(question, options, "versions");
      expect(results[0]?.snippet).toContain(String(1000 + VERSIONS - 1));
      expect(results.filter((hit) => hit.snippet.includes("number"))).toHaveLength(1);
    }
    // A fact is also found if this many versions compete with it.
    const party = await app.search("Mina's summer party", { maxResults: 2, minScore: 0 }, "versions");
    expect(party.results[0]?.snippet).toContain("garden");
    const recalled = await app.recall("versions", question);
    expect(recalled.facts.filter((fact) => fact.text.includes("number")).map((fact) => fact.text)).toEqual([
      `The favourite number of Mina is ${1000 + VERSIONS - 1}`,
    ]);
  });

  test("one that ended is found by who asks for the time when it held", async () => {
    const [first] = await app.store("earlier", {
      text: "The office is in Basel",
      key: "office",
      validFrom: new Date("2020-01-01"),
    });
    await app.store("earlier", { text: "The office is in Vienna", key: "office" });
    expect(await app.found("earlier", "Where is the office?")).toEqual(["The office is in Vienna"]);
    expect(await app.found("earlier", "Where is the office?", { asOf: "2021-01-01T00:00:00Z" })).toEqual([
      "The office is in Basel",
    ]);
    expect((await app.fact("earlier", first?.id ?? "")).body.supersededBy).toBeDefined();
  });

  test("one that a later one will end holds until then", async () => {
    await app.store("later", { text: "The office is in Basel", key: "office" });
    await app.store("later", { text: "The office is in Vienna", key: "office", validFrom: new Date("2190-01-01") });
    const { results } = await app.search("Where is the office?", { minScore: 0 }, "later");
    expect(results.map((hit) => hit.snippet)).toEqual([expect.stringContaining("Basel")]);
  });

  test("somebody's own facts are found among any number that others have", async () => {
    const others = Array.from({ length: 110 }, (_, i) => ({
      text: `Birthday cake, marzipan: birthday cake, marzipan`,
      scope: { user: `user-${i}` },
    }));
    const noise = Array.from({ length: 380 }, (_, i) => `Machine m${i} stands in hall h${i} since year y${i}`);
    const own = { text: "Birthday cake: marzipan", scope: { user: "mina" } };
    const all = [...others, ...noise, own];
    for (let from = 0; from < all.length; from += A_WRITE)
      await app.store("scoped", ...all.slice(from, from + A_WRITE));
    await app.embedded("scoped");
    const question = "Which birthday cake, marzipan?";
    const mina = { user: "mina" };
    expect((await app.found("scoped", question, { scope: mina }))[0]).toBe(own.text);
    const strangers = await app.found("scoped", question, { scope: { user: "nobody" } });
    expect(strangers.filter((text) => text.includes("cake"))).toEqual([]);
    const recalled = await app.recall("scoped", question, { scope: mina });
    // The others' facts have the same text as one, so the nearest of the machines may stand out of chance too.
    expect(recalled.facts[0]?.text).toBe(own.text);
    expect(recalled.facts.filter(({ text }) => text.includes("cake"))).toHaveLength(1);
    const other = await app.recall("scoped", question, { scope: { user: "nobody" } });
    expect(other.facts.filter((fact) => fact.text.includes("cake"))).toEqual([]);
  });
});
