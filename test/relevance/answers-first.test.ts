import { describe, expect, test } from "vitest";
import { answersFirst } from "../../src/relevance/ranking/answers-first.ts";
import { isCertain } from "../../src/relevance/ranking/certainty.ts";

describe("answers before passages that only ask", () => {
  const said = (text: string, score: number) => ({ text, score, named: false, standsOut: true, around: [] });
  const note = (text: string, score: number, standsOut = true) => ({ text, score, named: false, standsOut });
  const question = "what is the current rent?";
  const order = (...hits: (ReturnType<typeof said> | ReturnType<typeof note>)[]) =>
    answersFirst(hits, question).map(({ text, score }) => [text, score]);

  test.each([
    ["the question itself", "user: what is the current rent?"],
    ["the question without its mark", "user: What is the current rent"],
    ["another question", "user: How much do we pay?"],
    ["another question without its mark", "user: how much rent do we pay each month"],
    ["a question in Chinese", "user: 现在的房租是多少？"],
    ["an assistant that does not know", "user: And the rent?\nassistant: Sorry, I don't know that."],
    [
      "an assistant that found nothing",
      "user: The rent?\nassistant: I could not find anything in your memory. Shall I note it?",
    ],
    [
      "an assistant without an answer in German",
      "user: Wie hoch ist die Miete?\nassistant: Das weiß ich leider nicht.",
    ],
  ])("%s follows the answer, with its score", (_, text) => {
    expect(order(said(text, 0.9), note("The rent is 1,180 euros.", 0.5))).toEqual([
      ["The rent is 1,180 euros.", 0.5],
      [text, 0.5],
    ]);
  });

  test.each([
    ["an answer after the question", "user: what is the current rent?\nassistant: It is 1,180 euros."],
    ["an unsure answer", "user: what is the current rent?\nassistant: I am not sure, but I noted 1,180 euros."],
    ["a statement", "user: When I moved in, the rent was 900."],
    ["a user who does not know", "user: I don't know the rent any more."],
    ["a statement that begins like a question", "user: What we pay: 1,180 euros"],
  ])("%s keeps its place", (_, text) => {
    expect(order(said(text, 0.9), note("The rent of the garage is 80.", 0.5))[0]).toEqual([text, 0.9]);
  });

  test("a question of a file keeps its place, because files are written to be found", () => {
    const text = "What is the current rent?";
    expect(order(note(text, 0.9), note("The rent is 1,180 euros.", 0.5))[0]).toEqual([text, 0.9]);
  });

  test("a question stays before hits that chance could give, and makes no answer certain", () => {
    const hits = answersFirst([said("user: the rent?", 0.9), note("The boat is blue.", 0.1, false)], question);
    expect(hits.map(({ score }) => score)).toEqual([0.9, 0.1]);
    expect(isCertain(hits)).toBe(false);
  });
});
