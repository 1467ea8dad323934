import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";

const TYRES = "Die Winterreifen liegen im Keller.";
const INSURANCE = "Die Wohngebäudeversicherung ist bezahlt.";
const OTHERS = [
  "Der Rat tagt am Abend.",
  "Apparate und Kameraden.",
  "Ein Termin im Herbst.",
  "Milch, Brot und 20 Eier.",
];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

/**
 * Below 2,000 chunks the search counts terms itself. Above, it reads from the statistics how common
 * a term is, once they exist.
 */
describe.each([
  ["a small index", 0, false],
  ["a large index before it is counted", 2100, false],
  ["a large index that is counted", 2100, true],
])("in %s", (name, others, counted) => {
  let agent: KeywordAgent;
  let tyres: string | undefined;
  let insurance: string | undefined;
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, name.replaceAll(/\W/g, "_"), "german");
    [tyres, insurance] = await agent.add([TYRES, INSURANCE, ...OTHERS]);
    await agent.add(Array.from({ length: others }, (_, n) => OTHERS[n % OTHERS.length] ?? ""));
    if (counted) await agent.count();
  });

  test.each(["Winterreifen", "Reifen", "den Reifen", "Winter", "WINTER"])(
    "%s finds the Winterreifen",
    async (query) => {
      expect((await agent.find(query)).map((hit) => hit.chunkId)).toEqual([tyres]);
    },
  );

  test.each(["Versicherungen", "wohnen"])("%s finds the Wohngebäudeversicherung", async (query) => {
    expect((await agent.find(query)).map((hit) => hit.chunkId)).toEqual([insurance]);
  });

  test("a part that was in no word when words were counted says as much as any new word", async () => {
    const [shovels, plain] = await agent.add([
      "Die Schneeschaufeln liegen im Keller.",
      "Der Zierfisch schwimmt im Keller.",
    ]);
    const [part] = await agent.find("Schaufeln", { filter: { paths: ["*"] } });
    const [whole] = await agent.find("Zierfisch", { filter: { paths: ["*"] } });
    expect([part?.chunkId, whole?.chunkId]).toEqual([shovels, plain]);
    expect(part?.score).toBeGreaterThan((whole?.score ?? 0) / 2);
    await agent.remove([shovels ?? "", plain ?? ""]);
  });

  test("a short word is not looked for in others", async () => {
    const found = await agent.find("Rat", { limit: others + 10 });
    expect(found).toHaveLength(1 + Math.ceil(others / OTHERS.length));
  });

  test("the word itself counts for more than a word that has it as a part, and counts once", async () => {
    const [plain] = await agent.add(["Die Reifen liegen im Keller."]);
    if (counted) await agent.count();
    const found = await agent.find("Reifen");
    expect(found.map((hit) => hit.chunkId)).toEqual([plain, tyres]);
    expect(found[0]?.score).toBeLessThan((found[1]?.score ?? 0) * 2);
    await agent.remove([plain ?? ""]);
  });
});

test("a document is not longer for the parts of its words, and other languages know no parts", async () => {
  for (const [language, found] of [
    ["german", 1],
    ["english", 0],
  ] as const) {
    const agent = await createKeywordAgent(database.db, `parts_${language}`, language);
    await agent.add([TYRES]);
    expect(await agent.find("Reifen")).toHaveLength(found);
    const [row] = await agent.query<{ length: number; words: number }>(
      "SELECT length, (SELECT count(*)::int FROM unnest(keywords) AS w WHERE w.positions IS NOT NULL) AS words FROM $schema.chunks_1",
    );
    expect(row?.length).toBe(row?.words);
  }
});

test.each([
  ["die Prüfung der Maße", "Pruefung"],
  ["die Pruefung der Masse", "Prüfung"],
  ["die Prüfung der Maße", "Masse"],
  ["die Pruefung der Masse", "Maße"],
])("%s is found by %s", async (text, query) => {
  const agent = await createKeywordAgent(
    database.db,
    `spelt_${Buffer.from(text + query)
      .toString("hex")
      .slice(-30)}`,
    "german",
  );
  const [id] = await agent.add([text]);
  expect((await agent.find(query)).map((hit) => hit.chunkId)).toEqual([id]);
});
