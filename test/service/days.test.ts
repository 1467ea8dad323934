import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDays, dayIn, weekdayOf } from "../../src/base/civil-day.ts";
import type { RecallOutput } from "../../src/service/search/recall-memory.ts";
import type { FactSearchOutput } from "../../src/service/search/search-facts.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const TODAY = dayIn("UTC", new Date());
const NAMES = [
  "zinc",
  "birch",
  "copper",
  "linen",
  "basalt",
  "wicker",
  "pewter",
  "cedar",
  "onyx",
  "velvet",
  "cobalt",
  "amber",
];

/** Writes a day as people write it. */
function written(
  day: string,
  locale = "en-GB",
  options: Intl.DateTimeFormatOptions = { day: "numeric", month: "long" },
) {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(new Date(`${day}T12:00:00Z`));
}

describe("days and periods", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({ env: { TZ: "UTC" } });
  });
  afterAll(() => app.drop());

  const paths = async (query: string, options: Record<string, unknown>, agent: string) =>
    (await app.search(query, options, agent)).results.map((hit) => hit.path);
  const ready = async (agent: string) => {
    await app.synced(agent);
    await app.embedded(agent);
  };
  const utc = { timezone: "UTC" };

  test("says that no text is of the days that are asked for, and else nothing", async () => {
    await app.talker("diary", utc);
    for (let day = 4; day <= 15; day++)
      await app.put(
        `memory/2026-05-${String(day).padStart(2, "0")}.md`,
        `# Diary\n\nLast week I said that the ${NAMES[day - 4]} lamp needs a new cable.`,
        "diary",
      );
    await ready("diary");
    const note = async (query: string, options = {}) => (await app.search(query, options, "diary")).note ?? "";
    const none = "No text is of the days that the question names";
    expect(await note("what did I say about the lamp in March 2026?")).toContain(
      `${none} (2026-03-01 to 2026-03-31); these hits are of other days.`,
    );
    expect(await note("Was habe ich am 3. Juni 2026 über die lamp gesagt?")).toContain(`${none} (2026-06-03); `);
    expect(await note("what did I say about the lamp on 3 June?")).toContain(`${none}; these hits`);
    expect(await note("What happened in the week 2026-W10?")).toContain(`${none} (2026-03-02 to 2026-03-08)`);
    for (const query of ["the lamp on 9 May 2026", "which lamp needs a cable?", "lamp in March 2026 or May 2026"])
      expect(await note(query)).not.toContain(none);
    await app.append("diary", "s", [{ role: "user", text: "The lamp works.", at: "2026-03-12T10:00:00Z" }]);
    await ready("diary");
    expect(await note("what did I say about the lamp in March 2026?")).not.toContain(none);
    expect(await note("what about the lamp in March 2026?", { corpus: "memory" })).toContain(none);
  });

  test("a day in a name is a day, not a moment", async () => {
    await app.talker("repairs", utc);
    for (let day = 4; day <= 15; day++)
      await app.put(
        `memory/2026-05-${String(day).padStart(2, "0")}.md`,
        `# Workshop\n\nRepaired the ${NAMES[day - 4]} lamp and swept the floor.`,
        "repairs",
      );
    await ready("repairs");
    for (const [question, day] of [
      ["what did I repair on 9 May?", "09"],
      ["what did I repair on 4 May 2026?", "04"],
      ["Was habe ich am 15. Mai repariert?", "15"],
      ["repaired on 2026-05-12", "12"],
    ])
      expect(await paths(question ?? "", {}, "repairs")).toHaveProperty("0", `memory/2026-05-${day}.md`);
  });

  test("dated names in every form and at any depth, and front matter, give a document's day", async () => {
    await app.talker("forms", utc);
    const dated = {
      "memory/daily/2026-03-14.md": "The first note.",
      "journals/2026_03_14.md": "The second note.",
      "Daily/2026-03-14 Sat.md": "The third note.",
      "meetings/2026-03-14-board.md": "The fourth note.",
      "20260314.md": "The fifth note.",
      "2026/03/14.md": "The sixth note.",
      "log/14.03.2026 visit.md": "The seventh note.",
      "pages/Mar 14th, 2026.md": "The eighth note.",
      "zettel/202603140915 idea.md": "The ninth note.",
      "notizen/14. März 2026.md": "The tenth note.",
      "a.md": "---\ndate: 2026-03-14\n---\nThe eleventh note.",
      "b.md": "---\ntitle: B\ncreated: 2026-03-14T09:00:00+01:00\n---\nThe twelfth note.",
      "c.md": '---\ncreated: "2026-03-14 23:30"\n---\nThe thirteenth note.',
      "d.md": "---\ndate: March 14, 2026\n---\nThe fourteenth note.",
      "memory/e.md": "+++\ndate = 2026-03-14T09:00:00Z\n+++\nThe fifteenth note.",
    };
    const others = {
      "memory/2026-03-13.md": "---\ndate: 2026-03-14\n---\nThe name counts before the front matter of this note.",
      "2026-03-15/notes.md": "A note of the next day.",
      "report-2026-13-45.md": "No date in the name of this note.",
      "v2026.3.14b2/x1.2.3.md": "---\nnot closed: 2026-03-14\nA note.",
    };
    for (const [path, text] of Object.entries({ ...dated, ...others }))
      await app.put(encodeURIComponent(path).replaceAll("%2F", "/"), text, "forms");
    await ready("forms");
    const day = { after: "2026-03-14", before: "2026-03-15", maxResults: 30, minScore: 0 };
    const { results } = await app.search("note", day, "forms");
    expect(results.map((hit) => hit.path).sort()).toEqual(Object.keys(dated).sort());
    expect(new Set(results.map((hit) => hit.date))).toEqual(new Set(["2026-03-14"]));
    const undated = await app.search("No date in the name", { minScore: 0 }, "forms");
    expect(undated.results[0]?.date).toMatch(/^\d{4}-\d{2}-\d{2}T/);
  });

  test("dated names decay wherever they are; undated notes of memory/ do not", async () => {
    const temporalDecay = { enabled: true, halfLifeDays: 30 };
    await app.talker("aging", { ...utc, query: { hybrid: { temporalDecay } } });
    const files = ["journals/2020_03_14.md", "Daily/2020-03-14 Sat.md", "20200314.md", "memory/tastes.md", "MEMORY.md"];
    for (const path of files)
      await app.put(encodeURIComponent(path).replaceAll("%2F", "/"), `The heron of ${path}.`, "aging");
    await ready("aging");
    const { results } = await app.search("heron", { explain: true, minScore: 0 }, "aging");
    const decays = Object.fromEntries(results.map((hit) => [hit.path, (hit.explain?.decay ?? 0) > 0.99]));
    expect(decays).toEqual({
      "journals/2020_03_14.md": false,
      "Daily/2020-03-14 Sat.md": false,
      "20200314.md": false,
      "memory/tastes.md": true,
      "MEMORY.md": true,
    });
  });

  test("forty notes and thirty chats: each day that is asked for is found", async () => {
    await app.talker("forty", utc);
    const days = Array.from({ length: 40 }, (_, ago) => addDays(TODAY, -60 - ago));
    const batch = days.map((day, at) => ({
      path: `memory/${day}.md`,
      content: `# Log\n\nMorning walk, then work on the ${NAMES[at % 12]} report. Lunch with Ana. Evening at home.`,
    }));
    await app.call("POST", "/v1/agents/forty/files", { put: batch });
    const chats = Array.from({ length: 30 }, (_, ago) => addDays(TODAY, -10 - ago));
    for (const [at, day] of chats.entries())
      await app.append("forty", `web:${at}`, [
        { text: `We talked about the ${NAMES[at % 12]} budget and the garden.`, at: `${day}T10:00:00Z` },
        { role: "assistant", text: "Noted, I will look into it.", at: `${day}T10:01:00Z` },
      ]);
    await ready("forty");
    for (const day of days)
      expect(await paths(`What did I work on on ${written(day)}?`, {}, "forty")).toContain(`memory/${day}.md`);
    for (const [at, day] of chats.entries())
      expect(await paths(`What did we say on ${written(day)}?`, {}, "forty")).toContain(`sessions/web:${at}`);
  });

  test("relative time is seen from the caller's day, in several languages", async () => {
    await app.talker("relative", utc);
    const yesterday = addDays(TODAY, -1);
    const lastWeek = Array.from({ length: 7 }, (_, day) => addDays(TODAY, day - 7 - weekdayOf(TODAY)));
    const noted = new Set([TODAY, yesterday, addDays(TODAY, -2), addDays(TODAY, -3), ...lastWeek, addDays(TODAY, -40)]);
    for (const day of noted)
      await app.put(`memory/${day}.md`, `Worked on the orchard of ${day.replaceAll("-", "")}x.`, "relative");
    for (let at = 0; at < 12; at++)
      await app.put(`topics/${NAMES[at]}.md`, `All about ${NAMES[at]} and its use.`, "relative");
    await ready("relative");
    const all = { maxResults: 20 };
    const listed = [...lastWeek].map((day) => `memory/${day}.md`);
    for (const question of [
      "What happened last week?",
      "Was war letzte Woche?",
      "先週何をしましたか",
      "¿Qué pasó la semana pasada?",
    ])
      expect(await paths(question, all, "relative"), question).toEqual(listed);
    for (const question of [
      "what did I do yesterday?",
      "Was habe ich gestern gemacht?",
      "昨日何をした？",
      "Qu'est-ce que j'ai fait hier ?",
      "Co robiłem wczoraj?",
    ])
      expect(await paths(question, all, "relative"), question).toEqual([`memory/${yesterday}.md`]);
    for (const question of ["What did I work on three days ago?", "Woran habe ich vor drei Tagen gearbeitet?"])
      expect((await paths(question, all, "relative"))[0], question).toBe(`memory/${addDays(TODAY, -3)}.md`);
    const kiritimati = { timezone: "Pacific/Kiritimati" };
    const there = dayIn("Pacific/Kiritimati", new Date());
    expect(await paths("What did I do yesterday?", kiritimati, "relative")).toEqual([
      `memory/${addDays(there, -1)}.md`,
    ]);
  });

  test("a list of a period says when there are more texts than it shows", async () => {
    await app.talker("listed", utc);
    const lastWeek = Array.from({ length: 7 }, (_, day) => addDays(TODAY, day - 7 - weekdayOf(TODAY)));
    const [monday = "", ...rest] = lastWeek;
    const sunday = rest.at(-1) ?? "";
    for (const [at, day] of lastWeek.entries()) await app.put(`memory/${day}.md`, `Planted ${NAMES[at]}.`, "listed");
    await ready("listed");
    const ask = (query: string, options = {}) => app.search(query, options, "listed");
    const more = "These are not all texts of the days that are asked for";
    const remedy = "To see the others, set a higher maxResults (at most 100), or ask about fewer days.";
    const { results, note } = await ask("What happened last week?");
    expect(results.map(({ path }) => path)).toEqual(lastWeek.slice(0, 6).map((day) => `memory/${day}.md`));
    expect(note).toBe(`${more}; none is of ${sunday}. ${remedy}`);
    const days = { after: monday, before: addDays(sunday, 1) };
    expect((await ask("what happened", { ...days, maxResults: 2 })).note).toContain(
      `none is of ${rest.slice(1).join(", ")}`,
    );
    for (const [query, options] of [
      ["What happened last week?", { maxResults: 7 }],
      ["What happened last week?", { maxResults: 20 }],
      ["what happened", { ...days, maxResults: 7 }],
      [`What happened on ${written(monday)}?`, {}],
    ] as const)
      expect((await ask(query, options)).note, query).toBeUndefined();
    await app.put(`memory/${monday}-b.md`, "Planted tulips.", "listed");
    await ready("listed");
    expect((await ask("What happened last week?", { maxResults: 7 })).note).toBe(`${more}. ${remedy}`);
    const recall = await app.call<RecallOutput>("POST", "/v1/agents/listed/recall", {
      message: "What happened last week?",
      maxQuotes: 2,
    });
    expect(recall.body.block).toContain(`\n${more}; none is of ${rest.slice(1).join(", ")}.\n- (`);
    const facts = lastWeek.map((day, at) => ({ text: `Ana bought ${NAMES[at]}.`, validFrom: `${day}T08:00:00Z` }));
    await app.call("POST", "/v1/agents/listed/facts", { facts });
    await ready("listed");
    const inFacts = async (maxResults: number) =>
      (
        await app.call<FactSearchOutput>("POST", "/v1/agents/listed/facts/search", {
          query: "What happened last week?",
          maxResults,
        })
      ).body.note;
    expect([await inFacts(6), await inFacts(7)]).toEqual([`${more}; none is of ${sunday}. ${remedy}`, undefined]);
  });

  test("the texts of a period are certain in a recall, and in order of time though a conversation began earlier", async () => {
    await app.talker("ordered", utc);
    const monday = addDays(TODAY, -7 - weekdayOf(TODAY));
    const days = [-7, 0, 1, 4, 7].map((offset) => addDays(monday, offset));
    for (const [at, day] of days.entries()) await app.put(`memory/${day}.md`, `Planted ${NAMES[at]}.`, "ordered");
    const said = [-7, -4, 3, 8].map((offset, at) => ({
      text: `The ${NAMES[at + 6]} arrived.`,
      at: `${addDays(monday, offset)}T09:00:00Z`,
    }));
    await app.append(
      "ordered",
      "chat",
      said.filter(({ at }) => at <= new Date().toISOString()),
    );
    await ready("ordered");
    const wanted = [days[1], days[2]].map((day) => `memory/${day}.md`).concat("sessions/chat", `memory/${days[3]}.md`);
    for (const query of [
      "What happened last week?",
      "What changed last week?",
      "Was hat sich letzte Woche geändert?",
      "Qu'est-ce qui a changé la semaine dernière ?",
    ]) {
      expect(await paths(query, {}, "ordered"), query).toEqual(wanted);
      const { body } = await app.call<RecallOutput>("POST", "/v1/agents/ordered/recall", { message: query });
      expect(body.quotes.map(({ path }) => path)).toEqual(wanted);
      expect(body.block).not.toContain("Nothing certain");
    }
  });

  test("a question about past days leaves facts of later days behind, in a search and a recall", async () => {
    await app.talker("former", { ...utc, sources: ["sessions", "facts"] });
    const [then, later] = [addDays(TODAY, -60), addDays(TODAY, -20)];
    await app.append("former", "old", [{ text: "I work at Acme as a baker.", at: `${then}T09:00:00Z` }]);
    const facts = [{ text: "I work at Globex", key: "user.employer", validFrom: `${later}T09:00:00Z` }];
    await app.call("POST", "/v1/agents/former/facts", { facts });
    await ready("former");
    const query = `Where did I work on ${written(then)}?`;
    expect((await paths(query, {}, "former"))[0]).toBe("sessions/old");
    const { body } = await app.call<RecallOutput>("POST", "/v1/agents/former/recall", { message: query });
    expect([body.facts, body.certain]).toEqual([[], undefined]);
    expect(body.block).toContain("I work at Acme");
    // On a day between the two nobody spoke. What was known before may have held then.
    const between = `Where did I work on ${written(addDays(TODAY, -40))}?`;
    expect((await paths(between, {}, "former"))[0]).toBe("sessions/old");
    const recalled = await app.call<RecallOutput>("POST", "/v1/agents/former/recall", { message: between });
    expect([recalled.body.facts, recalled.body.certain]).toEqual([[], false]);
    expect(await paths("What do I do at Globex?", {}, "former")).toContain("facts/2");
  });

  test("a recall about the past names what a fact replaced", async () => {
    for (const text of ["I work at Acme", "I work at Globex"])
      await app.call("POST", "/v1/agents/changed/facts", { facts: [{ text, key: "user.employer" }] });
    await ready("changed");
    const recalled = async (message: string) =>
      (await app.call<RecallOutput>("POST", "/v1/agents/changed/recall", { message })).body.block;
    expect(await recalled("Where did I work before Globex?")).toContain("I work at Globex (before: I work at Acme)");
    expect(await recalled("Where do I work?")).not.toContain("before:");
    // A rule may take a sentence for a change that is none.
    for (const [at, text] of ["I live in Oslo.", "I moved to Bergen."].entries())
      await app.append("changed", `home-${at}`, [{ text, at: `2026-0${at + 1}-02T09:00:00Z` }]);
    await ready("changed");
    expect(await recalled("Where do I live?")).toContain("I moved to Bergen (before: I live in Oslo)");
  });

  test("a recall with nothing of the days that are asked for says so", async () => {
    for (let n = 0; n < 12; n++) await app.put(`notes/${NAMES[n]}.md`, `The ${NAMES[n]} is in the shed.`, "empty");
    await ready("empty");
    const { body } = await app.call<RecallOutput>("POST", "/v1/agents/empty/recall", {
      message: "What happened on 5 March 2024?",
    });
    expect(body).toMatchObject({ facts: [], quotes: [], block: "", certain: false });
    expect(body.note).toBe("No text is of the days that the question names (2024-03-05).");
  });

  test("a recall says that no text is of the days that its message asks for", async () => {
    await app.talker("silent", utc);
    for (let day = 4; day <= 15; day++)
      await app.put(
        `memory/2026-05-${String(day).padStart(2, "0")}.md`,
        `# Diary\n\nWhat happened: the ${NAMES[day - 4]} lamp needs a new cable.`,
        "silent",
      );
    await ready("silent");
    const recalled = async (message: string) =>
      (await app.call<RecallOutput>("POST", "/v1/agents/silent/recall", { message })).body;
    const asked = async (query: string) =>
      (await app.call<RecallOutput>("POST", "/v1/agents/silent/tools/memory_recall", { query })).body;
    const none = "No text is of the days that the question names";
    const lamp = `which ${NAMES[2]} lamp needs a new cable`;
    for (const [question, days] of [
      ["What happened to the lamp with the cable on 24 April 2026?", " (2026-04-24)"],
      [`Do you know ${lamp} in March 2026?`, " (2026-03-01 to 2026-03-31)"],
      [`Do you know ${lamp} on 3 June?`, ""],
    ]) {
      const sentence = `${none}${days}; these hits are of other days.`;
      const answer = await asked(question ?? "");
      expect(answer.quotes.length, question).toBeGreaterThan(0);
      expect(answer.certain, question).toBe(false);
      expect(answer.note, question).toContain(sentence);
      const { quotes, block, certain, note } = await recalled(question ?? "");
      if (quotes.length === 0) expect([block, certain, note]).toEqual(["", undefined, undefined]);
      else {
        expect([certain, note], question).toEqual([false, sentence]);
        expect(block, question).toContain(`\n${sentence}\nNothing certain was found`);
      }
    }
    expect((await recalled(`Do you know ${lamp} on 3 June?`)).quotes.length).toBeGreaterThan(0);
    for (const message of [`Do you know ${lamp}?`, `On 3 June we saw ${lamp}.`, "What happened on 9 May 2026?"]) {
      const { quotes, block, certain, note } = await recalled(message);
      expect(quotes.length, message).toBeGreaterThan(0);
      expect(note, message).toBeUndefined();
      expect(certain, message).toBe(block.includes("Nothing certain was found") ? false : undefined);
      expect(block, message).not.toContain(none);
    }
    expect((await asked("What happened on 9 May 2026?")).note).toBeUndefined();
    expect(await recalled("Hello, how are you on 3 June?")).not.toHaveProperty("note");
    // No text can be of a coming day, and what the message asks for may be known nevertheless.
    const plan = await recalled(`Can you order ${lamp} for next Friday?`);
    expect(plan.quotes.length).toBeGreaterThan(0);
    expect(plan.note).toBeUndefined();
  });

  test.each([{ asOf: "2026-02-01" }, { asOf: "2026-02-01T10:00" }, { after: "yesterday" }])(
    "an agent without a write is an empty memory also for %j",
    async (time) => {
      const { results } = await app.search("lamp", time, "unwritten");
      expect(results).toEqual([]);
      expect((await app.call("GET", "/v1/agents/unwritten")).status).toBe(404);
    },
  );

  test("a day where a time is asked for is refused with an example of a time", async () => {
    await app.talker("timed", utc);
    const refused = async (path: string, body: unknown) =>
      JSON.stringify((await app.call("POST", `/v1/agents/timed/${path}`, body)).body);
    const example = "such as 2026-05-18T12:00:00Z";
    const day = "2026-05-18";
    expect(await refused("search", { query: "lamp", asOf: day })).toContain(example);
    expect(await refused("facts/search", { query: "lamp", asOf: day })).toContain(example);
    expect(await refused("facts", { facts: [{ text: "Ana likes olives.", validFrom: day }] })).toContain(example);
    expect(await refused("search", { query: "lamp", asOf: 5 })).not.toContain(example);
  });

  test("a filter decides, the floor must not", async () => {
    await app.talker("floor", utc);
    for (let at = 0; at < 20; at++)
      await app.put(
        `memory/2026-01-${String(at + 1).padStart(2, "0")}.md`,
        `The ${NAMES[at % 12]} boat number ${at}.`,
        "floor",
      );
    await app.put("notes/a.md", "Rain on the roof.", "floor");
    await app.append("floor", "web:1", [{ text: "Snow in the yard.", at: "2026-02-03T10:00:00Z" }], {
      scope: { user: "ana" },
    });
    await ready("floor");
    const day = { after: "2026-01-05", before: "2026-01-07" };
    expect(await paths("what happened", day, "floor")).toEqual(["memory/2026-01-05.md", "memory/2026-01-06.md"]);
    expect(await paths("quarterly zeppelin figures", day, "floor")).toHaveLength(2);
    expect(await paths("quarterly zeppelin figures", { paths: ["notes/*"] }, "floor")).toEqual(["notes/a.md"]);
    expect(await paths("quarterly zeppelin figures", { scope: { user: "ana" }, corpus: "sessions" }, "floor")).toEqual([
      "sessions/web:1",
    ]);
    expect(await paths("quarterly zeppelin figures", { ...day, minScore: 0.9 }, "floor")).toEqual([]);
  });

  test("days begin where the request says, else the agent's setting", async () => {
    await app.talker("zones", { timezone: "America/Los_Angeles" });
    await app.append("zones", "web:1", [{ text: "The kettle whistled.", at: "2026-05-09T20:00:00-07:00" }]);
    await ready("zones");
    const on = async (day: string, more = {}) =>
      (await paths("kettle", { after: day, before: addDays(day, 1), ...more }, "zones")).length;
    expect([await on("2026-05-09"), await on("2026-05-10")]).toEqual([1, 0]);
    expect([await on("2026-05-09", utc), await on("2026-05-10", utc)]).toEqual([0, 1]);
    const wrong = await app.call("POST", "/v1/agents/zones/tools/memory_search", {
      query: "kettle",
      timezone: "Mars/Olympus",
    });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, "invalid_request"]);
  });

  test("a conversation of several days is found on each of them", async () => {
    await app.talker("long", utc);
    const messages = Array.from({ length: 9 }, (_, at) => ({
      text: `Today the ${NAMES[at]} hull was painted.`,
      at: `2026-04-0${at + 1}T09:00:00Z`,
    }));
    await app.append("long", "web:1", messages);
    await ready("long");
    for (let at = 1; at <= 9; at++) {
      const day = `2026-04-0${at}`;
      const { results } = await app.search("what was painted?", { after: day, before: addDays(day, 1) }, "long");
      expect(results[0]?.snippet, day).toContain(NAMES[at - 1]);
    }
  });

  test("recall and fact search read days too, and say when", async () => {
    await app.talker("told", { ...utc, sources: ["memory", "sessions", "facts"] });
    const day = addDays(TODAY, -1);
    for (let at = 0; at < 12; at++)
      await app.put(`topics/${NAMES[at]}.md`, `All about ${NAMES[at]} and its use.`, "told");
    await app.put(`memory/${day}.md`, "Painted the fence green.", "told");
    const facts = [
      { text: "Ana likes olives.", validFrom: `${day}T08:00:00Z` },
      { text: "Per likes figs.", validFrom: "2026-01-02T08:00:00Z" },
    ];
    await app.call("POST", "/v1/agents/told/facts", { facts });
    await ready("told");
    const recalled = async (message: string) =>
      (await app.call<RecallOutput>("POST", "/v1/agents/told/recall", { message })).body;
    const { quotes, facts: known, block } = await recalled("What happened yesterday?");
    expect(quotes.map(({ path, date }) => [path, date])).toEqual([[`memory/${day}.md`, day]]);
    expect(known.map(({ text, date }) => [text, date])).toEqual([["Ana likes olives.", `${day}T08:00:00.000Z`]]);
    expect(block).toContain(written(day, "en-GB", { day: "numeric", month: "short", year: "numeric" }));
    const found = await app.call<FactSearchOutput>("POST", "/v1/agents/told/facts/search", {
      query: "What was said yesterday?",
    });
    expect(found.body.facts.map(({ text }) => text)).toEqual(["Ana likes olives."]);
    expect((await recalled("I painted the town yesterday.")).quotes.map(({ path }) => path)).not.toContain(
      "topics/zinc.md",
    );
  });
});
