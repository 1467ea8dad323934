import { describe, expect, test } from "vitest";
import { holdsAnswer } from "./holds-answer.ts";
import { QUESTION_KINDS, readWeeks, type Week } from "./read-weeks.ts";

const weeks = readWeeks();

test("there are four weeks", () => {
  expect(weeks.length).toBeGreaterThanOrEqual(4);
});

/** Checks the data, because otherwise a figure would measure the data. */
describe.each(weeks)("$name", (week) => {
  test("has a week of turns and enough to ask", () => {
    expect(week.about).not.toBe("");
    expect(week.sittings.flatMap((sitting) => sitting.turns).length).toBeGreaterThanOrEqual(15);
    expect(week.questions.length).toBeGreaterThanOrEqual(40);
    expect(week.unanswered).toHaveLength(10);
    expect(week.unrelated).toHaveLength(15);
    const asked = [...week.questions.map(({ ask }) => ask), ...week.unanswered, ...week.unrelated];
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("asks in every way", () => {
    expect(new Set(week.questions.map(({ kind }) => kind))).toEqual(new Set(QUESTION_KINDS));
  });

  test("holds every answer, in a few places", () => {
    const texts = textsOf(week);
    const places = week.questions.map(({ ask, answer }) => ({
      ask,
      places: texts.filter((text) => holdsAnswer(text, answer)).length,
    }));
    // The answer occurs in a message, in the assistant's reply, and perhaps in a note. An answer
    // that occurred everywhere would be in any hit.
    expect(places.filter((one) => one.places < 1 || one.places > 5)).toEqual([]);
  });

  test("days are in order, notes have paths of their own", () => {
    const days = week.sittings.map((sitting) => Date.parse(sitting.at));
    expect(days.every(Number.isFinite)).toBe(true);
    expect(days).toEqual(days.toSorted((a, b) => a - b));
    expect(new Set(week.notes.map(({ path }) => path)).size).toBe(week.notes.length);
  });
});

function textsOf(week: Week): string[] {
  const said = week.sittings.flatMap(({ turns }) => turns.flatMap(({ user, assistant }) => [user, assistant]));
  return [...said, ...week.notes.map(({ text }) => text), ...week.facts.map(({ text }) => text)];
}
