import { describe, expect, test } from "vitest";
import { isOnDate, namedDates } from "../../src/relevance/words/query-names.ts";

describe("dates that a question names", () => {
  test.each([
    ["What did Ann say on 8 May 2023?", { year: 2023, month: 5, day: 8 }],
    ["what happened on May 8th, 2023", { year: 2023, month: 5, day: 8 }],
    ["What happened on the 8th of May?", { month: 5, day: 8 }],
    ["Where were we in May?", { month: 5 }],
    ["Where were we in march 2022?", { year: 2022, month: 3 }],
    ["How often in 2023?", { year: 2023 }],
    ["Was war am 8. März 2023?", { year: 2023, month: 3, day: 8 }],
    ["Was haben wir im Januar gemacht?", { month: 1 }],
    ["Was war am 8.5.2023?", { year: 2023, month: 5, day: 8 }],
    ["Qu'avons-nous fait le 14 fevrier ?", { month: 2, day: 14 }],
    ["Qu'avons-nous fait en août 2024 ?", { year: 2024, month: 8 }],
    ["¿Qué pasó el 8 de mayo de 2023?", { year: 2023, month: 5, day: 8 }],
    ["Che cosa è successo il 3 luglio?", { month: 7, day: 3 }],
    ["O que aconteceu em março?", { month: 3 }],
    ["notes of 2023-05-08", { year: 2023, month: 5, day: 8 }],
    ["2023年5月8日の会議", { year: 2023, month: 5, day: 8 }],
    ["5月に何をしましたか", { month: 5 }],
  ])("%s", (question, date) => {
    expect(namedDates(question)).toEqual([date]);
  });

  test.each([
    "May I ask what you may do?",
    "the march to the sea",
    "version 2023.1 of the tool",
    "invoice 2023-13-45",
    "meet at 5/8/2023",
    "a room for 2000 people",
    "",
  ])("none: %s", (question) => {
    expect(namedDates(question)).toEqual([]);
  });

  test("few of a long text", () => {
    expect(namedDates("on 1 May 2020 ".repeat(10_000))).toHaveLength(4);
  });

  test("a moment is on a date if it is that day somewhere on earth", () => {
    const day = [{ year: 2023, month: 5, day: 8 }];
    expect(isOnDate(new Date("2023-05-08T13:56:00Z"), day)).toBe(true);
    expect(isOnDate(new Date("2023-05-07T13:00:00Z"), day)).toBe(true);
    expect(isOnDate(new Date("2023-05-07T11:00:00Z"), day)).toBe(false);
    expect(isOnDate(new Date("2023-05-09T13:00:00Z"), day)).toBe(false);
    expect(isOnDate(new Date("2021-03-20T00:00:00Z"), [{ month: 3 }])).toBe(true);
    expect(isOnDate(new Date("2021-03-20T00:00:00Z"), [{ year: 2022 }, { year: 2021 }])).toBe(true);
    expect(isOnDate(new Date("2021-03-20T00:00:00Z"), [])).toBe(false);
  });
});
