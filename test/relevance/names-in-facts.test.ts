import { expect, test } from "vitest";
import { isAboutNamed, namesOf } from "../../src/relevance/words/names-in-facts.ts";

const isAbout = (message: string, text: string, subject: string | null = null) =>
  isAboutNamed(namesOf(message), { text, subject });

test.each([
  ["What should I cook for Ida?", "Ida isn't a vegetarian any more"],
  ["What do I need to know before I invite Lena for pizza?", "My daughter Lena is lactose intolerant"],
  ["Lena comes to dinner", "My daughter Lena is lactose intolerant"],
  ["What would please Sofie's brother?", "Sofie likes to hike"],
  ["¿Qué le regalo a Lucía?", "A mi hermana Lucía le gustan las plantas"],
])("%s names whom a fact tells of: %s", (message, text) => {
  expect(isAbout(message, text)).toBe(true);
});

test("a message names the subject of a fact in any letters", () => {
  expect(isAbout("what does mira drink?", "I can't stand coffee", "Mira")).toBe(true);
  expect(isAbout("Was koche ich für Ida?", "Ich esse kein Fleisch", "Ida")).toBe(true);
  expect(isAbout("what does miranda drink?", "I can't stand coffee", "Mira")).toBe(false);
  expect(isAbout("what does the user drink?", "I can't stand coffee", "The")).toBe(false);
});

test.each([
  ["Write a letter to the landlord", "Write tests before the code"],
  ["Can you come on Friday?", "No changes on Fridays, please: on Friday I am off"],
  ["Is May a good month?", "Omar changes jobs in May"],
  ["What's the difference between TCP and UDP?", "The probe uses TCP"],
  ["What do pandas eat?", "Ida isn't a vegetarian any more"],
  ["Wie schreibt man das Wort Fisch auf Polnisch richtig?", "Ich mag keinen Fisch"],
])("%s names nobody whom a fact tells of: %s", (message, text) => {
  expect(isAbout(message, text)).toBe(false);
});
