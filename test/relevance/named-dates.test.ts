import { describe, expect, test } from "vitest";
import { isOfPeriod } from "../../src/relevance/words/periods.ts";
import { periodsOfQuestion } from "../../src/relevance/words/question-periods.ts";

/** A Thursday. */
const NOW = new Date("2026-11-26T10:00:00Z");
const at = { now: NOW, zone: "UTC" };

/** Returns the first range of each period, shortened: one day as itself; `*` means every year. */
async function read(question: string, more: Partial<typeof at> = {}): Promise<string> {
  const { periods } = await periodsOfQuestion(question, { ...at, ...more });
  return periods
    .map(({ ranges: [{ from, to }], isYearly }) => {
      const last = new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10);
      return (from === last ? from : `${from}..${last}`) + (isYearly ? "*" : "");
    })
    .join(" ");
}

describe("dates that a question names", () => {
  test.each([
    ["What did Ann say on 8 May 2023?", "2023-05-08"],
    ["what happened on May 8th, 2023", "2023-05-08"],
    ["What happened on the 8th of May?", "2026-05-08*"],
    ["Where were we in May?", "2026-05-01..2026-05-31*"],
    ["Where were we in march 2022?", "2022-03-01..2022-03-31"],
    ["How often in 2023?", "2023-01-01..2023-12-31"],
    ["Was war am 8. März 2023?", "2023-03-08"],
    ["Was haben wir im Januar gemacht?", "2026-01-01..2026-01-31*"],
    ["Was war am 8.5.2023?", "2023-05-08"],
    ["What happened on 24.11.?", "2026-11-24*"],
    ["Who is on 24/7 support?", ""],
    ["What did I do in the week of 16 November 2026?", "2026-11-16..2026-11-22"],
    ["What did I do in the week of November 18th, 2026?", "2026-11-16..2026-11-22"],
    ["What is in the week beginning 17 November 2026?", "2026-11-17..2026-11-23"],
    ["Was war in der Woche vom 18. November 2026?", "2026-11-16..2026-11-22"],
    ["What happened in the week of 14 December?", "2025-12-08..2025-12-14*"],
    ["how was my October?", "2026-10-01..2026-10-31*"],
    ["How was October?", "2026-10-01..2026-10-31*"],
    ["summarize my october", "2026-10-01..2026-10-31*"],
    ["How was April?", ""],
    ["what did I do on the 24th?", "2026-11-24"],
    ["what happened on the 28th?", "2026-10-28"],
    ["what is planned for the 28th?", ""],
    ["who comes on the 30th?", "2026-10-30"],
    ["what will happen on the 28th?", "2026-11-28"],
    ["Who lives on the 24th floor?", ""],
    ["What happened on the 3rd and 4th of May?", "2026-05-04*"],
    ["Did we all march for the climate?", ""],
    ["How is our June doing?", ""],
    ["Where is my April?", ""],
    ["what was I doing on the weekend of November 7?", "2026-11-07..2026-11-08*"],
    ["what did I do the weekend of 4 November 2026?", "2026-11-07..2026-11-08"],
    ["first week of november?", "2026-11-01..2026-11-07*"],
    ["What did I do in the last week of October?", "2026-10-25..2026-10-31*"],
    ["in early November", "2026-11-01..2026-11-10*"],
    ["Which dose did he take before the storm in mid October?", "2026-10-01..2026-10-31*"],
    ["in mid november", "2026-11-11..2026-11-20*"],
    ["What did I do on 11/24?", "2026-11-24*"],
    ["What did I do on 24/11?", "2026-11-24*"],
    ["¿Qué pasó el 24/11?", "2026-11-24*"],
    ["Qu'avons-nous fait le 14 fevrier ?", "2026-02-14*"],
    ["Qu'avons-nous fait en août 2024 ?", "2024-08-01..2024-08-31"],
    ["¿Qué pasó el 8 de mayo de 2023?", "2023-05-08"],
    ["Che cosa è successo il 3 luglio?", "2026-07-03*"],
    ["O que aconteceu em março?", "2026-03-01..2026-03-31*"],
    ["notes of 2023-05-08", "2023-05-08"],
    ["2023年5月8日の会議", "2023-05-08"],
    ["5月に何をしましたか", "2026-05-01..2026-05-31*"],
    ["What was planned for Aug 9, 2026?", "2026-08-09"],
    ["9 Aug", "2026-08-09*"],
    ["Sept. 9", "2026-09-09*"],
    ["2026/08/09", "2026-08-09"],
    ["on 25/12/2025", "2025-12-25"],
    ["wat deed ik op 9 mei?", "2026-05-09*"],
    ["9 mrt", "2026-03-09*"],
    ["Co robiłem 9 maja?", "2026-05-09*"],
    ["9 wrz 2026", "2026-09-09"],
    ["Что я делал 9 мая?", "2026-05-09*"],
    ["Что было в мае?", "2026-05-01..2026-05-31*"],
    ["9. toukokuuta", "2026-05-09*"],
    ["What did we do on 30 November?", "2025-11-30*"],
    ["between 3 May and 9 May", "2026-05-03..2026-05-09*"],
    ["from May 3 to May 5", "2026-05-03..2026-05-05*"],
    ["What happened between 10 and 19 November?", "2026-11-10..2026-11-19*"],
    ["between November 10 and 19", "2026-11-10..2026-11-19*"],
    ["between November 10 and 19, 2025", "2025-11-10..2025-11-19"],
    ["between the 10th and the 19th of November", "2026-11-10..2026-11-19*"],
    ["from the 10th to the 19th of November", "2026-11-10..2026-11-19*"],
    ["from 10 to 19 November 2025", "2025-11-10..2025-11-19"],
    ["10-19 November", "2026-11-10..2026-11-19*"],
    ["Was war zwischen dem 10. und 19. November?", "2026-11-10..2026-11-19*"],
    ["Was war vom 10. bis zum 19. November?", "2026-11-10..2026-11-19*"],
    ["Que s'est-il passé entre le 10 et le 19 novembre ?", "2026-11-10..2026-11-19*"],
    ["¿Qué pasó entre el 10 y el 19 de noviembre?", "2026-11-10..2026-11-19*"],
    ["¿Qué pasó del 10 al 19 de noviembre?", "2026-11-10..2026-11-19*"],
    ["Cosa è successo tra il 10 e il 19 novembre?", "2026-11-10..2026-11-19*"],
    ["Cosa è successo dal 10 al 19 novembre?", "2026-11-10..2026-11-19*"],
    ["Wat gebeurde er tussen 10 en 19 november?", "2026-11-10..2026-11-19*"],
    ["O que aconteceu entre 10 e 19 de novembro?", "2026-11-10..2026-11-19*"],
    ["between 20 November and 5 December", "2026-11-20..2026-12-05*"],
    ["between 20 November and 5 January 2026", "2025-11-20..2026-01-05"],
    ["between May 10 and 19 June", "2026-05-10..2026-06-19*"],
    ["between 10 people and 19 November", "2026-11-19*"],
    ["What did we do on 10 and 19 November?", "2026-11-19*"],
    ["the budget for 08/2026", "2026-08-01..2026-08-31"],
    ["the first week of May", "2026-05-01..2026-05-07*"],
    ["Co robiłem w maju?", "2026-05-01..2026-05-31*"],
    ["Co jsme dělali v květnu?", "2026-05-01..2026-05-31*"],
    ["Mitä teimme elokuussa?", "2026-08-01..2026-08-31*"],
    ["Mit csináltunk augusztusban?", "2026-08-01..2026-08-31*"],
    ["O czym mówiliśmy w marketingu?", ""],
    ["5/9/2026", ""],
  ])("%s", async (question, days) => {
    expect(await read(question)).toBe(days);
  });

  test.each([
    ["what did I do yesterday?", "2026-11-25"],
    ["the day before yesterday", "2026-11-24"],
    ["what did we say last night?", "2026-11-25"],
    ["What did we decide last Tuesday?", "2026-11-24"],
    ["on Monday", "2026-11-23"],
    ["three days ago", "2026-11-23"],
    ["What happened last week?", "2026-11-16..2026-11-22"],
    ["the week before last", "2026-11-09..2026-11-15"],
    ["two weeks ago", "2026-11-09..2026-11-15"],
    ["on Tuesday last week", "2026-11-17"],
    ["last month", "2026-10-01..2026-10-31"],
    ["this year", "2026-01-01..2026-12-31"],
    ["in the last 3 days", "2026-11-23..2026-11-26"],
    ["since Monday", "2026-11-23..2026-11-26"],
    ["what did we ship in 2026-W21?", "2026-05-18..2026-05-24"],
    ["2026W213", "2026-05-20"],
    ["2020-W53", "2020-12-28..2021-01-03"],
    ["2026-W54", ""],
    ["Was war in KW 21?", "2026-05-18..2026-05-24"],
    ["KW 52", "2025-12-22..2025-12-28"],
    ["KW48/2026", "2026-11-23..2026-11-29"],
    ["the report of calendar week 2", "2026-01-05..2026-01-11"],
    ["Qu'avons-nous fait la semaine 21 de 2025 ?", "2025-05-19..2025-05-25"],
    ["week 3 of the course", ""],
    ["what changed in Q3?", "2026-07-01..2026-09-30"],
    ["the revenue of Q4 2025", "2025-10-01..2025-12-31"],
    ["2026-Q1", "2026-01-01..2026-03-31"],
    ["the Q3 roadmap", ""],
    ["ticket QQ-2026-Q1-7", ""],
    ["last weekend", "2026-11-21..2026-11-22"],
    ["next Tuesday", "2026-12-01"],
    // It is a Thursday.
    ["What happened last Thursday?", "2026-11-19"],
    ["Was geschah letzten Donnerstag?", "2026-11-19"],
    ["Qu'avons-nous fait jeudi dernier ?", "2026-11-19"],
    ["¿Qué hicimos el jueves pasado?", "2026-11-19"],
    ["gestern", "2026-11-25"],
    ["vorgestern", "2026-11-24"],
    ["letzte Woche", "2026-11-16..2026-11-22"],
    ["vor drei Tagen", "2026-11-23"],
    ["Où étions-nous hier ?", "2026-11-25"],
    ["avant-hier", "2026-11-24"],
    ["la semaine dernière", "2026-11-16..2026-11-22"],
    ["il y a trois jours", "2026-11-23"],
    ["ayer", "2026-11-25"],
    ["anteayer", "2026-11-24"],
    ["la semana pasada", "2026-11-16..2026-11-22"],
    ["hace tres días", "2026-11-23"],
    ["l'altro ieri", "2026-11-24"],
    ["la settimana scorsa", "2026-11-16..2026-11-22"],
    ["anteontem", "2026-11-24"],
    ["na semana passada", "2026-11-16..2026-11-22"],
    ["eergisteren", "2026-11-24"],
    ["vorige week", "2026-11-16..2026-11-22"],
    ["i går", "2026-11-25"],
    ["förra veckan", "2026-11-16..2026-11-22"],
    ["Co robiłem wczoraj?", "2026-11-25"],
    ["w zeszłym tygodniu", "2026-11-16..2026-11-22"],
    ["昨日", "2026-11-25"],
    ["一昨日", "2026-11-24"],
    ["先週", "2026-11-16..2026-11-22"],
    ["先週の火曜日", "2026-11-17"],
    ["三日前", "2026-11-23"],
    ["昨天", "2026-11-25"],
    ["上周", "2026-11-16..2026-11-22"],
    ["어제 뭐 했어?", "2026-11-25"],
    ["вчера", "2026-11-25"],
    ["на прошлой неделе", "2026-11-16..2026-11-22"],
    ["أمس", "2026-11-25"],
  ])("seen from today: %s", async (question, days) => {
    expect(await read(question)).toBe(days);
  });

  test.each([
    "May I ask what you may do?",
    "Who may come?",
    "the march to the sea",
    "the sun is shining, and she sat down",
    "version 2023.1 of the tool",
    "version 1.2.3",
    "version 1.9 may break",
    "invoice 2023-13-45",
    "ticket 20260314",
    "PROJ-2026-11",
    "call 555-2026-11",
    "meet at 5/8/2023",
    "meet at 5pm",
    "a room for 2000 people",
    "What is my address now?",
    "I have 10 days left",
    "Was ist hier los?",
    "Who is June?",
    "",
  ])("none: %s", async (question) => {
    expect(await read(question)).toBe("");
  });

  test("the day depends on where the question is asked", async () => {
    const late = new Date("2026-11-26T23:30:00Z");
    expect(await read("yesterday", { now: late })).toBe("2026-11-25");
    expect(await read("yesterday", { now: late, zone: "Asia/Tokyo" })).toBe("2026-11-26");
    expect(await read("gestern", { now: late, zone: "America/Los_Angeles" })).toBe("2026-11-25");
  });

  test("few of a long text, in little time", async () => {
    const { periods } = await periodsOfQuestion("on 1 May 2020 or 3 days ago ".repeat(10_000), at);
    expect(periods).toHaveLength(4);
    for (const part of ["9 ", "may ", "1.", "2026-", "last ", "日", "\u0301", "vor 3 "])
      expect((await periodsOfQuestion(part.repeat(10_000), at)).periods.length).toBeLessThanOrEqual(4);
  });

  test.each([
    ["What happened last week?", true],
    ["Was habe ich gestern gemacht?", true],
    ["先週何をしましたか", true],
    ["昨天我做了什么？", true],
    ["What's new since yesterday, please?", true],
    ["What didn't we talk about on Monday?", true],
    ["Qu'est-ce qui s'est passé hier ?", true],
    ["¿Qué pasó la semana pasada?", true],
    ["Cosa è successo ieri?", true],
    ["Was haben wir letzte Woche gesagt?", true],
    ["¿Qué hizo y dijo ayer?", true],
    ["Cosa ha detto ieri?", true],
    ["Wat zei hij gisteren?", true],
    ["Vad sa hon igår?", true],
    ["What did I buy in November?", false],
    ["What did I get yesterday?", false],
    ["Who did I see last Tuesday?", false],
    ["What did we order, fix or open last week?", false],
    ["Cosa devo comprare domani?", false],
    ["What did I repair last week?", false],
    ["Was habe ich gestern repariert?", false],
    ["先週の会議で何を決めましたか", false],
  ])("asks for nothing but a period: %s", async (question, isGeneric) => {
    expect((await periodsOfQuestion(question, at)).isGeneric).toBe(isGeneric);
  });

  test("a date without a year is of any year", async () => {
    const [period] = (await periodsOfQuestion("on 8 May", at)).periods;
    const isOf = (day: string) =>
      period !== undefined && isOfPeriod({ from: day, to: day.replace("-08", "-09") }, period);
    expect(["2026-05-08", "2020-05-08", "1999-05-08", "2026-05-09"].map(isOf)).toEqual([true, true, true, false]);
  });
});
