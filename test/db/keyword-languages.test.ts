import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSegmentCache } from "../../src/db/agent/segments/segments.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { createKeywordAgent, type KeywordAgent } from "../support/keyword-agent.ts";
import { readLanguageSet } from "../support/language-sets.ts";

const NOTES = {
  german:
    "Der Vertrag mit dem Händler über die Winterreifen ist unterschrieben, die Prüfung der Rechnung steht noch aus.",
  english: "The house at the lake has two boats, and we were running late for the meeting with the neighbour.",
  french: "Le cheval de la voisine a mangé toutes les pommes du jardin pendant que nous étions à la boulangerie.",
  spanish: "El perro de los vecinos ladró toda la noche y los niños no pudieron dormir hasta muy tarde.",
  russian: "Договор аренды квартиры подписан вчера, хозяин передал нам ключи и показал счётчики.",
  arabic: "اشترينا كتابين جديدين من المكتبة القريبة من المدرسة يوم الخميس الماضي.",
  polish: "Umowa z dostawcą kończy się pod koniec marca, musimy ją wcześniej wypowiedzieć na piśmie.",
} as const;

/**
 * Further notes, so that the index has more than 500 chunks and a search counts no words itself.
 */
const OTHERS = [
  "Am Freitag kommt der Schornsteinfeger, bitte den Keller aufräumen und die Leiter bereitstellen.",
  "The printer on the second floor is out of toner again, somebody should order a new cartridge soon.",
  "Il faut rappeler le plombier avant la fin de la semaine pour le robinet de la cuisine.",
];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

test("this database stems all the languages that texts are told to be in", async () => {
  const agent = await createKeywordAgent(database.db, "languages_there", "auto");
  const names = [
    "armenian",
    "basque",
    "catalan",
    "danish",
    "dutch",
    "finnish",
    "greek",
    "hindi",
    "hungarian",
    "indonesian",
  ];
  const more = [
    "italian",
    "lithuanian",
    "norwegian",
    "portuguese",
    "romanian",
    "serbian",
    "swedish",
    "tamil",
    "turkish",
  ];
  const rows = await agent.query<{ words: string }>(
    "SELECT to_tsvector(l::regconfig, 'word')::text AS words FROM unnest($1::text[]) AS l",
    [[...Object.keys(NOTES).filter((one) => one !== "polish"), ...names, ...more, "simple"]],
  );
  expect(rows).toHaveLength(26);
});

describe.each([
  ["a small index", 0],
  ["a large one", 700],
])("an index of several languages, %s", (_, others) => {
  let agent: KeywordAgent;
  let ids: Map<string, string>;
  const cache = createSegmentCache(1e6);
  const first = async (query: string) => (await agent.find(query, { cache }))[0]?.chunkId;
  beforeAll(async () => {
    agent = await createKeywordAgent(database.db, `languages_${others}`, "auto");
    const added = await agent.add(Object.values(NOTES));
    ids = new Map(Object.keys(NOTES).map((name, at) => [name, added[at] ?? ""]));
    await agent.add(Array.from({ length: others }, (_, n) => `${OTHERS[n % OTHERS.length]} ${n}`));
    if (others === 0) return;
    await agent.count();
    expect(await agent.pack()).toBe(1);
  });

  test.each([
    ["german", "Verträge"],
    ["german", "welche Rechnungen müssen geprüft werden"],
    ["german", "Haendler"],
    ["german", "Reifen"],
    ["english", "running boats"],
    ["english", "which house is at a lake?"],
    ["french", "chevaux"],
    ["french", "qui a mangé la pomme ?"],
    ["spanish", "perros que ladran"],
    ["russian", "договоры"],
    ["russian", "где ключ от квартир"],
    ["arabic", "كتاب"],
    ["arabic", "مدرسة"],
    ["polish", "umowa"],
  ])("the %s note is found first by %s", async (language, query) => {
    expect(await first(query)).toBe(ids.get(language));
  });

  test("a word is found in every language, by its stem in each", async () => {
    const [german, english] = await agent.add([
      "Herr Bergmann hat gestern angerufen und wollte wissen, wann die Lieferung in der Werkstatt ankommt.",
      "Mister Bergmann called yesterday and wanted to know when the delivery gets to the workshop.",
    ]);
    const found = (await agent.find("Bergmann", { cache })).map((hit) => hit.chunkId);
    expect(new Set(found)).toEqual(new Set([german, english]));
    // German takes the end of the name for an inflection; English does not.
    const [meier, meiers] = await agent.add([
      "Frau Wagner hat heute angerufen und wollte wissen, wann die Lieferung in der Werkstatt ankommt.",
      "Mister Wagner called this morning and wanted to know when the delivery gets to the workshop.",
    ]);
    const wagner = (await agent.find("Wagner", { cache })).map((hit) => hit.chunkId);
    expect(new Set(wagner)).toEqual(new Set([meier, meiers]));
  });

  test("a question's own stop words find nothing in other languages, where they are words", async () => {
    // "die", "war" and "hat" are articles and auxiliaries in German, and nouns and verbs in
    // English.
    const [english] = await agent.add(["The war hat of the general will die with him, said the old museum guide."]);
    const hits = await agent.find("Wann war die Prüfung, und wer hat die Rechnung?", { limit: 20, cache });
    expect(hits[0]?.chunkId).toBe(ids.get("german"));
    expect(hits.map((hit) => hit.chunkId)).not.toContain(english);
    expect(await first("a war hat in the museum")).toBe(english);
  });
});

test("what a process of before has stored is counted for the language that it stems everything as", async () => {
  const agent = await createKeywordAgent(database.db, "languages_before", "auto");
  const [, old] = await agent.add([NOTES.german, NOTES.spanish]);
  await agent.query("UPDATE $schema.chunks_1 SET language = NULL WHERE id = $1", [old]);
  // Before any language is noted, an index is asked in its own language.
  await agent.query("DELETE FROM $schema.languages");
  expect((await agent.find("tarde")).map((hit) => hit.chunkId)).toEqual([old]);
  await agent.query("INSERT INTO $schema.languages VALUES (1, 'german'), (1, 'spanish')");
  await agent.count();
  const rows = await agent.query("SELECT language, chunks FROM $schema.languages ORDER BY language");
  expect(rows).toEqual([
    { language: "english", chunks: 1 },
    { language: "german", chunks: 1 },
    { language: "spanish", chunks: 0 },
  ]);
});

/** Terms that are not counted yet are scored by the search's own counts, with the same result. */
test("posting lists, keyword vectors and a scan score a mixed index alike, whatever is asked", async () => {
  const agent = await createKeywordAgent(database.db, "languages_alike", "auto");
  const german = readLanguageSet("de").passages.map(({ text }) => text);
  const others = [...Object.values(NOTES), ...OTHERS];
  const texts = Array.from(
    { length: 600 },
    (_, n) => (n % 3 ? german[n % german.length] : others[n % others.length]) ?? "",
  );
  await agent.add(texts);
  const words = [...new Set(texts.join(" ").match(/[\p{L}\p{M}]+/gu))];
  const scanned = new Map<string, { chunkId: string; score: number }[]>();
  const queries = fc.sample(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 }), {
    numRuns: 30,
    seed: 17,
  });
  for (const query of queries) scanned.set(query.join(" "), await agent.find(query.join(" "), { limit: 40 }));
  await agent.count();
  expect(await agent.pack()).toBe(1);
  for (const [query, hits] of scanned)
    for (const how of [{ cache: createSegmentCache(1e6) }, { filter: { paths: ["*"] } }]) {
      const found = await agent.find(query, { limit: 40, ...how });
      expect(
        found.map((hit) => hit.chunkId),
        query,
      ).toEqual(hits.map((hit) => hit.chunkId));
      for (const [rank, hit] of found.entries()) expect(hit.score).toBeCloseTo(hits[rank]?.score ?? -1, 6);
    }
});
