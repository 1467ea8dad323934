import { describe, expect, test } from "vitest";
import { addDays } from "../../src/base/civil-day.ts";
import { periodsOfQuestion } from "../../src/relevance/words/question-periods.ts";
import { writtenDaysOf } from "../../src/relevance/words/written-days.ts";

/** A Sunday. */
const at = { now: new Date("2026-11-29T10:00:00Z"), zone: "UTC" };
const [LAST, NEXT] = ["2026-11-26", "2026-12-03"];

async function daysOf(question: string): Promise<string[]> {
  const { periods } = await periodsOfQuestion(question, at);
  return periods.flatMap(({ ranges }) => ranges.map(({ from }) => from));
}

describe("the tense of a question moves a weekday", () => {
  test.each([
    "What will happen on Thursday?",
    "Do I have an appointment on Thursday?",
    "What is planned for Thursday?",
    "What's happening on Thursday?",
    "Am I going to the dentist this Thursday?",
    "Habe ich am Donnerstag einen Termin?",
    "Was steht am Donnerstag an?",
    "Was wird am Donnerstag sein?",
    "Qu'est-ce qui est prévu jeudi ?",
    "¿Tengo una cita el jueves?",
    "Che appuntamenti ho giovedì?",
    "O que está marcado para quinta-feira?",
    "Wat is er gepland op donderdag?",
    "Vad ska vi göra på torsdag?",
    "Hva skal vi gjøre på torsdag?",
    "Co będzie w czwartek?",
    "木曜日の予定は？",
  ])("plans: %s", async (question) => {
    expect(await daysOf(question)).toEqual([NEXT]);
  });

  test.each([
    "What did I do on Thursday?",
    "What happened on Thursday?",
    "Who painted the hallway on Thursday?",
    "Was habe ich am Donnerstag gemacht?",
    "Wer hat mich am Donnerstag besucht und was war los?",
    "Qu'avons-nous fait jeudi ?",
    "¿Qué hice el jueves?",
    "Cosa ho fatto giovedì?",
    "Wat deed ik donderdag?",
    "Vad gjorde jag på torsdag?",
    "Co robiłem w czwartek?",
    "木曜日に何をした？",
  ])("past: %s", async (question) => {
    expect(await daysOf(question)).toEqual([LAST]);
  });

  test.each(["Who comes on Thursday?", "Thursday", "Who is out on Thursday?", "What did I plan for next to Thursday?"])(
    "both: %s",
    async (question) => {
      expect(await daysOf(question)).toEqual(expect.arrayContaining([LAST]));
    },
  );

  test.each([
    "What is Ahmed doing on Thursday?",
    "Is the office closed on Thursday?",
    "Who is invited on Thursday?",
    "What have I got on Thursday?",
    "Was passiert am Donnerstag?",
    "Was geschieht am Donnerstag?",
    "Qui arrive jeudi ?",
    "Que fait Anna jeudi ?",
    "Chi va dal dentista giovedì?",
    "¿Quién ha de venir el jueves?",
    "Var är Anna på torsdag?",
    "Wat gebeurt er donderdag?",
    "Kiedy zaczyna się szkoła w czwartek?",
  ])("present: %s", async (question) => {
    expect(await daysOf(question)).toContain(NEXT);
  });

  test("this weekend is one", async () => {
    expect(await daysOf("Who works this weekend?")).toEqual(["2026-11-28"]);
    const { periods } = await periodsOfQuestion("Who works this weekend?", {
      ...at,
      now: new Date("2026-11-25T10:00:00Z"),
    });
    expect(periods.flatMap(({ ranges }) => ranges)).toEqual([{ from: "2026-11-28", to: "2026-11-30" }]);
  });

  test("a weekend and a question on the weekday itself", async () => {
    expect(await daysOf("What will we do on Sunday?")).toEqual(["2026-11-29", "2026-12-06"]);
    expect(await daysOf("What did we do on Sunday?")).toEqual(["2026-11-29", "2026-11-22"]);
    expect(await daysOf("What did we do at the weekend?")).toEqual(["2026-11-28"]);
    expect(await daysOf("What are our plans for the weekend?")).toEqual(["2026-11-28", "2026-12-05"]);
    expect(await daysOf("What will happen next weekend?")).toEqual(["2026-12-05"]);
    expect(await daysOf("What happened last weekend?")).toEqual(["2026-11-21"]);
  });
});

describe("days that a text writes", () => {
  const day = (from: string) => ({ from, to: addDays(from, 1) });
  const named = async (question: string, text: string, of: string, isCertain = true) => {
    const { periods, names, languages } = await periodsOfQuestion(question, at);
    const written = await writtenDaysOf(periods, names, ["en", "de", "fr", ...languages]);
    return written?.namedIn(text, day(of), isCertain)?.from;
  };

  test.each([
    ["Meeting with the bank on Thursday 3 December at 10:00.", NEXT],
    ["Dec 3rd, 2026: dentist", NEXT],
    ["Zahnarzt am 3. Dezember", NEXT],
    ["Zahnarzt am 3.12. um acht", NEXT],
    ["le jeudi 3 décembre", NEXT],
    ["due 2026-12-03", NEXT],
    ["The plumber comes on Thursday.", NEXT],
    ["Der Klempner kommt Donnerstag.", NEXT],
    ["3 December 2025", undefined],
    ["Thursday 10 December", undefined],
    ["30 December at 3", undefined],
    ["The plumber comes on Friday.", undefined],
    ["no day at all", undefined],
  ])("%s", async (text, expected) => {
    expect(await named("What will happen on Thursday?", text, "2026-11-27")).toBe(expected);
  });

  test("a weekday is seen from the day of its text, and a date without a year is the nearest", async () => {
    const text = "The plumber comes on Thursday.";
    expect(await named("What happened last week?", text, "2026-11-16")).toBe("2026-11-19");
    expect(await named("What will be next week?", text, "2026-11-16")).toBeUndefined();
    expect(await named("Who comes on Thursday?", text, "2026-11-24")).toBe(LAST);
    expect(await named("Who comes on Thursday?", text, "2026-11-24", false)).toBeUndefined();
    expect(await named("Who came on Thursday?", text, "2026-11-27")).toBe(LAST);
    expect(await named("Who came on Thursday?", text, "2026-10-27")).toBeUndefined();
    expect(await named("What will happen on Thursday?", "Party on 3 December!", "2024-11-20")).toBeUndefined();
    expect(await named("What will happen on Thursday?", "Party on 3 December!", "2024-11-20", false)).toBe(NEXT);
  });

  test.each([
    ["I crashed the car on Thursday, the garage has it.", "2026-11-28", LAST],
    ["I crashed the car on Thursday.", "2026-11-21", "2026-11-19"],
    ["My grandmother fell on Thursday.", "2026-11-21", "2026-11-19"],
    ["Pixel died on Thursday.", "2026-11-21", "2026-11-19"],
    ["Wir waren am Donnerstag im Kino.", "2026-11-21", "2026-11-19"],
    ["The launch was moved to Thursday.", "2026-11-21", LAST],
    ["We meet on Thursday.", "2026-11-21", LAST],
    ["Yesterday I hiked in the hills.", "2026-11-20", "2026-11-19"],
    ["The plumber comes tomorrow.", "2026-11-25", LAST],
    ["We leave the day after tomorrow.", "2026-11-24", LAST],
    ["Gestern war ich schwimmen.", "2026-11-27", LAST],
    ["Yesterday I hiked in the hills.", "2026-11-21", undefined],
  ])("%s, said on %s, is of %s", async (text, of, expected) => {
    const asked = expected ?? LAST;
    expect(await named(`What happened on ${asked}?`, text, of)).toBe(expected);
    expect(await named(`What happened on ${addDays(asked, 7)}?`, text, of)).toBeUndefined();
  });

  test("a date without a year may be the next one", async () => {
    expect(await named("What is on 3 December?", "Party on 3 December 2026", "2026-11-20")).toBe(NEXT);
    expect(await named("What was on 3 December?", "Party on 3 December 2025", "2025-11-20")).toBe("2025-12-03");
  });

  test("long periods are not looked for", async () => {
    const { periods, names } = await periodsOfQuestion("What happened last year?", at);
    expect(await writtenDaysOf(periods, names, ["en"])).toBeUndefined();
    expect(await writtenDaysOf([], [], ["en"])).toBeUndefined();
  });
});
