import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addDays, dayIn, weekdayOf } from "../../src/base/civil-day.ts";
import type { RecallOutput } from "../../src/service/search/recall-memory.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const TODAY = dayIn("UTC", new Date());
const utc = { timezone: "UTC" };

/** Writes a day as people write it. */
function written(
  day: string,
  locale = "en-GB",
  options: Intl.DateTimeFormatOptions = { day: "numeric", month: "long" },
): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(new Date(`${day}T12:00:00Z`));
}

const weekday = (day: string, locale?: string) => written(day, locale, { weekday: "long" });

describe("texts that write a day", () => {
  let app: SessionApp;
  beforeAll(async () => {
    app = await startSessionApp({ env: { TZ: "UTC" } });
  });
  afterAll(() => app.drop());

  const paths = async (query: string, agent: string) =>
    (await app.search(query, {}, agent)).results.map((hit) => hit.path);
  const ready = async (agent: string) => {
    await app.synced(agent);
    await app.embedded(agent);
  };
  const say = (agent: string, key: string, name: string, text: string, day: string) =>
    app.append(agent, key, [{ name, text, at: `${day}T10:00:00Z` }]);

  test("a question is no listing of a day if a text says that day beside another word of it", async () => {
    await app.talker("house", utc);
    const day = addDays(TODAY, -3);
    const [thatDay, dayOfAnother] = [weekday(day), weekday(addDays(TODAY, -2))];
    await say("house", "plumber", "Piet", `The plumber comes on ${thatDay} at nine.`, addDays(day, -2));
    await say("house", "hallway", "Olga", "I painted the hallway.", day);
    await say("house", "mats", "Mats", `I'm out on ${dayOfAnother}.`, addDays(TODAY, -9));
    await say("house", "gate", "Piet", "The garden gate is fixed.", addDays(TODAY, -2));
    await say("house", "klempner", "Uwe", `Der Klempner kommt am ${weekday(day, "de")}.`, addDays(day, -2));
    for (const [at, text] of ["New bulbs are here.", "The cake was dry.", "A kettle whistled.", "It rained."].entries())
      await say("house", `other${at}`, "Olga", text, addDays(TODAY, -20 - at));
    await ready("house");
    expect((await paths(`Who comes on ${thatDay}?`, "house"))[0]).toBe("sessions/plumber");
    expect((await paths(`Wer kommt am ${weekday(day, "de")}?`, "house"))[0]).toBe("sessions/klempner");
    expect(await paths(`Who is out on ${dayOfAnother}?`, "house")).toContain("sessions/mats");
    expect(await paths(`What happened on ${thatDay}?`, "house")).toContain("sessions/hallway");
  });

  test("each message of a long conversation is read by its own day", async () => {
    await app.talker("diary", utc);
    const sunday = addDays(TODAY, -14 - weekdayOf(TODAY) - 1);
    const said = (text: string, after: number) => ({ name: "Ana", text, at: `${addDays(sunday, after)}T10:00:00Z` });
    await app.append("diary", "chat", [said("My grandmother fell on Sunday.", 2), said("The cake was dry.", 10)]);
    for (const [at, text] of ["New bulbs.", "It rained.", "A kettle whistled.", "The roof leaks."].entries())
      await say("diary", `other${at}`, "Ana", text, addDays(sunday, -20 - at));
    await ready("diary");
    const note = async (day: string) =>
      (await app.search(`What happened on ${written(day)}?`, {}, "diary")).note ?? "the day has a text";
    expect(await note(sunday)).toBe("the day has a text");
    expect(await note(addDays(sunday, 7))).toMatch(/No text is of the days/);
  });

  test("a question about plans finds the texts that write its days, in several languages", async () => {
    await app.talker("plans", utc);
    const [tomorrow, day] = [addDays(TODAY, 1), addDays(TODAY, 3)];
    const nextWeek = addDays(TODAY, 7 - weekdayOf(TODAY) + 2);
    const notes = {
      "boiler.md": `The boiler inspection is on ${written(tomorrow)} at 9:00.`,
      "vet.md": `Vet appointment for Pusur on ${written(day, "en-US")} at 16:00.`,
      "zahnarzt.md": `Zahnarzt am ${written(day, "de")} um 8 Uhr.`,
      "coiffeur.md": `Le coiffeur, c'est le ${written(day, "fr")} à midi.`,
      "peluquero.md": `El peluquero es el ${written(day, "es")} a las diez.`,
      "iso.md": `Swimming course: ${day}.`,
      "bank.md": `Meeting with the bank on ${weekday(nextWeek)} ${written(nextWeek)} at 10:00.`,
      [`memory/${addDays(day, -7)}.md`]: "Car wash.",
      [`memory/${addDays(TODAY, -1)}.md`]: "Choir concert went well.",
      "wifi.md": "The wifi password is on the router.",
      "books.md": "A book about whales.",
    };
    for (const [path, text] of Object.entries(notes)) await app.put(path, text, "plans");
    await ready("plans");
    const isPlan = (path: string) => !path.startsWith("memory/");
    const ofDay = ["vet.md", "zahnarzt.md", "coiffeur.md", "peluquero.md", "iso.md"];
    for (const question of [
      `What will happen on ${weekday(day)}?`,
      `What is happening on ${weekday(day)}?`,
      `Was passiert am ${weekday(day, "de")}, was ist geplant?`,
    ])
      expect(await paths(question, "plans"), question).toEqual(expect.arrayContaining(["vet.md", "iso.md"]));
    expect((await paths(`Was wird am ${weekday(day, "de")} sein?`, "plans")).every(isPlan)).toBe(true);
    expect(await paths(`Was wird am ${weekday(day, "de")} sein?`, "plans")).toContain("zahnarzt.md");
    expect(await paths(`Qu'est-ce qui va arriver ${weekday(day, "fr")} ?`, "plans")).toContain("coiffeur.md");
    expect(await paths(`¿Qué citas tengo el ${weekday(day, "es")}?`, "plans")).toContain("peluquero.md");
    expect(ofDay).toContain((await paths(`Do I have an appointment on ${weekday(day)}?`, "plans"))[0]);
    expect((await paths(`What did I do on ${weekday(day)}?`, "plans"))[0]).toBe(`memory/${addDays(day, -7)}.md`);
    const { results, note } = await app.search("What is on tomorrow?", {}, "plans");
    expect([results[0]?.path, note]).toEqual(["boiler.md", undefined]);
    const recalled = await app.call<RecallOutput>("POST", "/v1/agents/plans/recall", {
      message: "What is on tomorrow?",
    });
    expect(recalled.body.quotes[0]?.path).toBe("boiler.md");
    expect(await paths("What are my meetings next week?", "plans")).toContain("bank.md");
  });

  test("an answer beside the message that writes the days is shown with it", async () => {
    await app.talker("fair", utc);
    const month = Number(TODAY.slice(5, 7));
    const next = `${Number(TODAY.slice(0, 4)) + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
    const at = (day: number, hour: number) => `${addDays(TODAY, -40 + day)}T${hour}:00:00Z`;
    const about = (day: string) => written(`${next}-${day}`);
    await app.append("fair", "group", [
      { name: "Mona", text: `The fair opens on ${about("03")}.`, at: at(0, 10) },
      { name: "Rolf", text: "I am away on parental leave then.", at: at(0, 11) },
      { name: "Mona", text: `Fine, the booth is packed on ${about("08")}.`, at: at(2, 10) },
    ]);
    for (const [place, text] of ["New bulbs are here.", "The cake was dry.", "A kettle whistled."].entries())
      await say("fair", `other${place}`, "Olga", text, addDays(TODAY, -50 - place));
    await ready("fair");
    const name = written(`${next}-03`, "en-GB", { month: "long" });
    const { results } = await app.search(`Who is on parental leave in ${name}?`, {}, "fair");
    expect(results[0]?.snippet).toContain("Rolf: I am away on parental leave then.");
    expect(results[0]?.snippet).toContain(about("03"));
  });

  test("a text that another user has written takes no note away", async () => {
    await app.talker("two", utc);
    const day = addDays(TODAY, 5);
    const tell = (user: string, key: string, content: string) =>
      app.call("POST", `/v1/agents/two/sessions/${key}/messages`, {
        scope: { user },
        messages: [{ role: "user", content, at: `${addDays(TODAY, -2)}T10:00:00Z` }],
      });
    await tell("ben", "plumber", `The plumber comes on ${written(day)}.`);
    for (const [at, text] of ["The kettle broke.", "It rained.", "The gate is fixed.", "Soup was salty."].entries())
      await tell("ana", `a${at}`, text);
    await ready("two");
    const noteFor = async (user: string) =>
      (await app.search(`Who comes on ${written(day)}?`, { scope: { user } }, "two")).note ?? "";
    expect(await noteFor("ana")).toContain("No text is of the days");
    expect(await noteFor("ben")).not.toContain("No text is of the days");
  });

  test("a coming month has no note if a hit writes of it", async () => {
    const month = new Date(`${addDays(TODAY, 40)}T12:00:00Z`).toLocaleString("en", { month: "long", timeZone: "UTC" });
    await app.talker("months", utc);
    const tell = (key: string, content: string) =>
      app.call("POST", `/v1/agents/months/sessions/${key}/messages`, {
        messages: [{ role: "user", content, at: `${addDays(TODAY, -2)}T10:00:00Z` }],
      });
    for (const [at, text] of ["The kettle broke.", "It rained.", "The gate is fixed.", "Soup was salty."].entries())
      await tell(`a${at}`, text);
    const noted = async () => (await app.search(`What is coming up in ${month}?`, {}, "months")).note ?? "";
    await ready("months");
    expect(await noted()).toContain("No text is of the days");
    await tell("flight", `I fly home on the 12th of ${month}.`);
    await ready("months");
    expect(await noted()).not.toContain("No text is of the days");
  });

  test("what a speaker said in a period is told by the texts of this speaker", async () => {
    await app.talker("flat", utc);
    const monday = addDays(TODAY, -7 - weekdayOf(TODAY));
    const said = [
      ["Piet", "The cake was too dry."],
      ["Olga", "My train was an hour late."],
      ["Piet", "Olga: the last week was long."],
      ["Olga", "I booked the sauna."],
      ["Mats", "I'm out on Friday."],
    ] as const;
    for (const [at, [name, text]] of said.entries()) await say("flat", `m${at}`, name, text, addDays(monday, at));
    for (let at = 0; at < 6; at++) await say("flat", `o${at}`, "Olga", `Kettle ${at} broke.`, addDays(monday, -9 - at));
    await ready("flat");
    for (const question of [
      "What did Olga say last week?",
      "Was hat Olga letzte Woche gesagt?",
      "¿Qué dijo Olga la semana pasada?",
    ])
      expect(await paths(question, "flat"), question).toEqual(["sessions/m1", "sessions/m3"]);
    expect(await paths("What did Mats say last week?", "flat")).toEqual(["sessions/m4"]);
    expect((await paths("What was said last week?", "flat")).length).toBe(5);
  });
});
