import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDays, dayIn } from "../../src/base/civil-day.ts";
import type { RecallOutput } from "../../src/service/search/recall-memory.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const UTC = { timezone: "UTC" };

describe("the days of a conversation that runs over several days", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({ env: { TZ: "UTC" } });
  });
  afterAll(() => app.drop());

  const hits = async (agent: string, query: string, options: Record<string, unknown> = {}) =>
    (await app.search(query, { corpus: "sessions", ...options }, agent)).results;
  const recall = async (agent: string, message: string) =>
    (await app.call<RecallOutput>("POST", `/v1/agents/${agent}/recall`, { message, ...UTC })).body;
  const say = async (agent: string, messages: readonly { name: string; text: string; at: string }[], more = UTC) => {
    await app.talker(agent, more);
    await app.append(agent, "slack:dev", messages);
    await app.synced(agent);
    await app.embedded(agent);
  };

  /** Stores two messages a day, from Monday 23 to Friday 27 November 2026. */
  const week = async (agent: string, length = 0) =>
    say(
      agent,
      [23, 24, 25, 26, 27].flatMap((day) => [
        {
          name: "Ana",
          text: `The ${day}th morning task is number ${day}1.${" More of it.".repeat(length)}`,
          at: `2026-11-${day}T09:00:00Z`,
        },
        {
          name: "Ben",
          text: `I did ${day}2 in the afternoon.${" More of it.".repeat(length)}`,
          at: `2026-11-${day}T15:00:00Z`,
        },
      ]),
    );
  const friday = { after: "2026-11-27", before: "2026-11-28", ...UTC };

  test("a filter by date shows the messages of its days only, with their day", async () => {
    for (const length of [0, 10]) {
      const agent = `filtered-${length}`;
      await week(agent, length);
      const [hit, ...others] = await hits(agent, "what was said?", friday);
      expect(others).toEqual([]);
      expect(hit?.snippet).toContain("Ana: The 27th morning task");
      expect(hit?.snippet).toContain("Ben: I did 272");
      expect(hit?.snippet).not.toMatch(/2[3-6]th|2[3-6]2 in|\[2026/);
      expect(hit).toMatchObject({
        date: "2026-11-27T15:00:00.000Z",
        session: { from: "2026-11-27T09:00:00.000Z", to: "2026-11-27T15:00:00.000Z", days: ["2026-11-27"] },
      });
      const whole = await hits(agent, "what was said?", { ...friday, includeText: true });
      expect(whole[0]?.session?.days?.length).toBeGreaterThan(1);
    }
  });

  test("a day that the question names is shown before other days", async () => {
    await week("named");
    const [listed] = await hits("named", "what happened on 27 November 2026?");
    expect(listed?.session?.days).toEqual(["2026-11-27"]);
    const [asked] = await hits("named", "what was the morning task on 24 November 2026?");
    expect(asked?.snippet).toContain("task is number 241");
    expect(asked?.session?.days).toEqual(["2026-11-24"]);
    const { quotes, block } = await recall("named", "What was the morning task on 24 November 2026?");
    expect(quotes[0]).toMatchObject({ date: "2026-11-24T15:00:00.000Z", days: ["2026-11-24"] });
    expect(block).toMatch(/#L\d+-L\d+, 24 Nov 2026\) .*241/);
    expect(block).not.toContain("231");
  });

  test("a message that names the day itself is shown, whenever it was said", async () => {
    await say("naming", [
      { name: "Ana", text: "We should ship the parser on 26 November 2026.", at: "2026-11-23T09:00:00Z" },
      { name: "Ben", text: "Who brings the cake?", at: "2026-11-24T09:00:00Z" },
      { name: "Ben", text: "The parser has a new test.", at: "2026-11-26T09:00:00Z" },
    ]);
    const [hit] = await hits("naming", "who said we should ship the parser on 26 November 2026?");
    expect(hit?.snippet).toContain("We should ship");
    expect(hit?.snippet).not.toContain("cake");
  });

  test("no note on other days stands above a certain hit that names the days itself", async () => {
    const texts = [
      "We should ship the parser on Thursday, 3 June 2021.",
      "Lunch is at noon in the small room.",
      "The printer on the second floor needs paper.",
      "My sister visits me in the autumn.",
      "The gateway listens on another port now.",
      "Please water the plants while I am away.",
      "The invoice of the supplier was paid.",
      "The new chairs have arrived at the office.",
      "Somebody left an umbrella at the door.",
      "The choir sings in the old church.",
    ];
    await say(
      "noted",
      texts.map((text, at) => ({ name: "Ana", text, at: `2021-0${1 + (at % 3)}-1${at}T09:00:00Z` })),
    );
    const note = async (query: string) => (await app.search(query, UTC, "noted")).note ?? "";
    const other = "No text is of the days that the question names";
    expect(await note("who said we should ship the parser on 3 June 2021?")).not.toContain(other);
    expect(await note("who should ship the parser on 4 June 2021?")).toContain(other);
    expect(await note("who watered the plants on 3 June 2021?")).toContain(other);
  });

  test("one message a month: a month shows its own message", async () => {
    await say(
      "months",
      Array.from({ length: 11 }, (_, at) => ({
        name: "Eva",
        text: `We met customer ${100 + at} and wrote the plan for the next steps.${" It was a long day.".repeat(6)}`,
        at: `2026-${String(at + 1).padStart(2, "0")}-06T10:00:00Z`,
      })),
    );
    const [hit] = await hits("months", "what happened in July 2026?");
    expect(hit?.snippet).toContain("customer 106");
    expect(hit).toMatchObject({ date: "2026-07-06T10:00:00.000Z", session: { days: ["2026-07-06"] } });
  });

  test("an excerpt of several days names each day, and its date is that of the shown messages", async () => {
    await say("several", [
      { name: "Ana", text: "I live in Bergen.", at: "2026-10-01T09:00:00Z" },
      { name: "Ben", text: "We hired Paula.", at: "2026-10-06T09:00:00Z" },
      { name: "Ben", text: "She begins in spring.", at: "2026-10-06T09:05:00Z" },
      { name: "Ana", text: `Notes: ${"nothing of interest here. ".repeat(40)}`, at: "2026-11-28T09:00:00Z" },
    ]);
    const [hit] = await hits("several", "Where does Ana live?");
    expect(hit?.snippet).toContain("[2026-10-01]\nAna: I live in Bergen.\n[2026-10-06]\nBen: We hired Paula.\nBen:");
    const [bergen] = await hits("several", "Bergen", { before: "2026-10-02" });
    expect(bergen).toMatchObject({
      snippet: expect.stringMatching(/^Ana: I live in Bergen\./),
      date: "2026-10-01T09:00:00.000Z",
    });
    const { block, quotes } = await recall("several", "Where is it that Ana lives, in Bergen?");
    expect(quotes[0]?.days?.[0]).toBe("2026-10-01");
    expect(block).toContain("[2026-10-01] Ana: I live in Bergen. [2026-10-06] Ben: We hired Paula.");
    expect(block).toMatch(/, 1 Oct 2026 to \d+ \w+ 2026\)/);
  });

  test("a piece of a long message has the day of that message", async () => {
    await say("long", [
      { name: "Ana", text: "Good morning.", at: "2026-03-02T09:00:00Z" },
      {
        name: "Ben",
        text: `The report. ${"The turbine ran without a fault. ".repeat(90)}`,
        at: "2026-03-05T09:00:00Z",
      },
      { name: "Ana", text: "Thanks for the turbine report.", at: "2026-03-09T09:00:00Z" },
    ]);
    const found = await hits("long", "turbine without a fault", { minScore: 0 });
    for (const { snippet, session } of found)
      if (snippet.includes("without a fault") && !snippet.includes("Good") && !snippet.includes("Thanks"))
        expect(session?.days).toEqual(["2026-03-05"]);
    const [day] = await hits("long", "what was said?", { after: "2026-03-05", before: "2026-03-06", ...UTC });
    expect(day?.session?.days).toEqual(["2026-03-05"]);
  });

  test("days are those of the time zone of the search", async () => {
    await say("zoned", [
      { name: "Ana", text: "The lighthouse is open.", at: "2026-05-01T20:00:00Z" },
      { name: "Ana", text: "The lighthouse is closed.", at: "2026-05-01T23:30:00Z" },
    ]);
    const days = async (timezone: string) => (await hits("zoned", "lighthouse", { timezone }))[0]?.session?.days;
    expect(await days("UTC")).toEqual(["2026-05-01"]);
    expect(await days("Europe/Oslo")).toEqual(["2026-05-01", "2026-05-02"]);
  });

  test("a search of the past shows no message that was said later", async () => {
    await week("past");
    const [hit] = await hits("past", "morning task", { asOf: "2026-11-24T12:00:00Z" });
    expect(hit?.snippet).toContain("241");
    expect(hit?.snippet).not.toMatch(/242|25[12]|26[12]|27[12]/);
  });

  describe("days on which nobody said anything", () => {
    const put = (agent: string, path: string, content: string) => app.put(path, content, agent);
    const none = "No text is of the days that the question names";
    const at = (day: string, time = "09:00:00Z") => `${day}T${time}`;
    const found = async (agent: string, query: string, options: Record<string, unknown> = {}) => {
      const { results, note = "" } = await app.search(query, { ...UTC, ...options }, agent);
      return { paths: results.map(({ path, session }) => (session ? "chat" : path)), note };
    };
    const gap = async (agent: string, days: readonly string[], more: Record<string, string> = UTC) => {
      const texts = ["I started on the boiler.", "The boiler has a new valve.", "The boiler is done, I said so."];
      await say(
        agent,
        days.map((day, place) => ({
          name: "Ana",
          text: texts[place % texts.length] ?? "",
          at: day.includes("T") ? day : at(day),
        })),
        more as typeof UTC,
      );
    };

    test("a conversation is not of the days between its messages", async () => {
      await gap("gap", ["2026-11-20", "2026-11-20", "2026-11-30"]);
      await put("gap", "journal/2026-11-27.md", "Painted the fence and cleaned the attic.");
      await app.synced("gap");
      await app.embedded("gap");
      for (const query of [
        "what happened on 27 November 2026?",
        "What did I do on 27 November?",
        "what happened between 23 and 29 November 2026?",
        "what happened in the week 2026-W48?",
      ])
        expect(await found("gap", query)).toEqual({ paths: ["journal/2026-11-27.md"], note: "" });
      for (const query of [
        "what happened in November 2026?",
        "what happened in November?",
        "what happened between 20 and 27 November 2026?",
      ])
        expect(await found("gap", query)).toEqual({ paths: ["chat", "journal/2026-11-27.md"], note: "" });
      for (const day of ["20 November 2026", "20 November", "30 November 2026"])
        expect((await found("gap", `what happened on ${day}?`)).paths).toEqual(["chat"]);
      const [first, ...others] = (await found("gap", "the boiler on 25 November 2026")).paths;
      expect([first, others]).toEqual(["chat", expect.anything()]);
      expect((await found("gap", "what happened on 25 November 2026?")).note).toContain(`${none} (2026-11-25)`);
      expect((await found("gap", "what happened in the week 2026-W46?")).note).toContain(none);
      const filtered = { after: "2026-11-21", before: "2026-11-30" };
      expect((await found("gap", "what happened?", filtered)).paths).toEqual(["journal/2026-11-27.md"]);
      expect((await found("gap", "what happened?", { after: "2026-11-28" })).paths).toEqual(["chat"]);
    });

    test("a list names a day of which it shows no message, though a conversation began before it", async () => {
      await gap("unseen", ["2026-11-16", "2026-11-20"]);
      await put("unseen", "journal/2026-11-18.md", "Painted the fence.");
      await app.synced("unseen");
      await app.embedded("unseen");
      const { paths, note } = await found("unseen", "what happened from 16 to 20 November 2026?", { maxResults: 1 });
      expect(paths).toEqual(["chat"]);
      expect(note).toContain("none is of 2026-11-18");
    });

    test("a day at the edge is one in the time zone of the search", async () => {
      await gap("edge", ["2026-03-10T23:30:00Z", "2026-03-12T23:30:00Z"]);
      await put("edge", "journal/2026-03-12.md", "Painted the fence.");
      await put("edge", "journal/2026-03-11.md", "Cleaned the attic.");
      await app.synced("edge");
      await app.embedded("edge");
      const on = async (day: number, timezone: string) =>
        (await found("edge", `what happened on ${day} March 2026?`, { timezone })).paths.toSorted();
      expect(await on(11, "UTC")).toEqual(["journal/2026-03-11.md"]);
      expect(await on(12, "UTC")).toEqual(["chat", "journal/2026-03-12.md"]);
      expect(await on(11, "Pacific/Auckland")).toEqual(["chat", "journal/2026-03-11.md"]);
      expect(await on(12, "Pacific/Auckland")).toEqual(["journal/2026-03-12.md"]);
    });

    test("yesterday is no day of a conversation of last week and today", async () => {
      const today = dayIn("UTC", new Date());
      const yesterday = addDays(today, -1);
      await gap("late", [addDays(today, -8), addDays(today, -8), at(today, "00:00:01Z")]);
      expect((await found("late", "what happened yesterday?")).note).toContain(`${none} (${yesterday})`);
      await put("late", `journal/${yesterday}.md`, "Painted the fence.");
      await app.synced("late");
      await app.embedded("late");
      expect(await found("late", "what happened yesterday?")).toEqual({ paths: [`journal/${yesterday}.md`], note: "" });
    });

    test("a search of the past knows every day of a conversation", async () => {
      await gap("bygone", ["2026-03-02", "2026-03-20"]);
      const stood = { asOf: "2100-01-01T00:00:00Z" };
      expect((await found("bygone", "what happened on 2 March 2026?", stood)).note).not.toContain(none);
      expect((await found("bygone", "what happened on 10 March 2026?", stood)).note).toContain(none);
      expect((await found("bygone", "what happened?", { ...stood, before: "2026-03-05" })).paths).toEqual(["chat"]);
      const then = await found("bygone", "what happened?", { asOf: "2026-03-10T00:00:00Z" });
      expect(then.paths).toEqual(["chat"]);
    });
  });
});

describe("the time of a message without an offset", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp();
  });
  afterAll(() => app.drop());

  test("is what clocks show in the agent's time zone", async () => {
    await app.talker("tokyo", { timezone: "Asia/Tokyo" });
    const times = ["2026-04-10T03:00:00", "2026-04-10 03:00", "2026-04-10", "2026-04-10T03:00:00Z"];
    const messages = times.map((at) => ({ role: "user", text: `It is ${at}.`, at }));
    await app.call("POST", "/v1/agents/tokyo/sessions/clock/messages", { messages });
    const { body } = await app.call<{ messages: { at: string }[] }>("GET", "/v1/agents/tokyo/sessions/clock");
    expect(body.messages.map(({ at }) => at)).toEqual([
      "2026-04-09T18:00:00.000Z",
      "2026-04-09T18:00:00.000Z",
      "2026-04-09T15:00:00.000Z",
      "2026-04-10T03:00:00.000Z",
    ]);
  });

  test("is read by the offset of its day, also where clocks are changed", async () => {
    await app.talker("berlin", { timezone: "Europe/Berlin" });
    const messages = ["2026-01-10T12:00:00", "2026-07-10T12:00:00"].map((at) => ({
      role: "user",
      text: `Noon ${at}`,
      at,
    }));
    await app.call("POST", "/v1/agents/berlin/sessions/noon/messages", { messages });
    const { body } = await app.call<{ messages: { at: string }[] }>("GET", "/v1/agents/berlin/sessions/noon");
    expect(body.messages.map(({ at }) => at)).toEqual(["2026-01-10T11:00:00.000Z", "2026-07-10T10:00:00.000Z"]);
  });
});
