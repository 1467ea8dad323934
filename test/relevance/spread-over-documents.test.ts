import { expect, test } from "vitest";
import { asksForSeveral, spreadOverDocuments } from "../../src/relevance/ranking/spread-over-documents.ts";

test.each([
  ["Who has allergies?", true],
  ["which of my friends play an instrument?", true],
  ["Which people help with the move?", true],
  ["Wer hat Allergien?", true],
  ["¿Quién toca un instrumento?", true],
  ["谁对花生过敏？", true],
  ["When is the dentist?", false],
  ["Which is the gate code?", false],
])("a question that may ask for several: %s is %s", (question, expected) => {
  expect(asksForSeveral(question)).toBe(expected);
});

test("from the third hit of a document on, hits of others with half of its score come first", () => {
  const hits = ["a9", "a8", "a7", "a6", "b5", "c4", "a3", "d2"].map((name) => ({ name, score: Number(name[1]) }));
  const ordered = spreadOverDocuments(hits, ({ name }) => name.charAt(0));
  expect(ordered.map(({ name }) => name)).toEqual(["a9", "a8", "b5", "c4", "a7", "a6", "d2", "a3"]);
});
