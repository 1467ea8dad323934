import { describe, expect, test } from "vitest";
import { answersFirst } from "../../src/relevance/ranking/answers-first.ts";
import { isCertain } from "../../src/relevance/ranking/certainty.ts";

describe("answers before passages that only ask", () => {
  const said = (text: string, score: number) => ({ path: "s", text, score, named: false, standsOut: true, around: [] });
  const note = (text: string, score: number, standsOut = true) => ({ path: "n", text, score, named: false, standsOut });
  const question = "what is the current rent?";
  const order = (...hits: (ReturnType<typeof said> | ReturnType<typeof note>)[]) =>
    answersFirst(hits, question, 10).map(({ text, score }) => [text, score]);

  test.each([
    ["the question itself", "user: what is the current rent?"],
    ["the question without its mark", "user: What is the current rent"],
    ["another question", "user: How much do we pay?"],
    ["a question in Chinese", "user: 现在的房租是多少？"],
    ["an assistant that does not know", "user: And the rent?\nassistant: Sorry, I don't know that."],
    [
      "an assistant that found nothing",
      "user: The rent?\nassistant: I could not find anything in your memory. Shall I note it?",
    ],
    ["an assistant without an answer in German", "user: wie hoch ist sie?\nassistant: Das weiß ich leider nicht."],
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
    ["a short answer", "user: What is the rent?\nassistant: 980 euros."],
    ["a shorter answer", "user: Is the key with Petra?\nassistant: Yes, certainly."],
    ["an answer in Chinese", "user: 我的房租是多少？\nassistant: 房租是九百元。"],
    ["an answer in Japanese", "user: 家賃はいくら？\nassistant: 家賃は九万円です。"],
    ["an answer that denies", "user: Does the flat have a garage?\nassistant: The flat does not have a garage."],
    ["a denial of the user's words", "user: Any nuts?\nassistant: You told me that you are unable to eat nuts."],
    ["a request that tells something", "user: Can you remember that my sister's name is Anna?"],
    ["a request with a number", "user: could you note that the train leaves at 7:40?"],
  ])("%s keeps its place", (_, text) => {
    expect(order(said(text, 0.9), note("The rent of the garage is 80.", 0.5))[0]).toEqual([text, 0.9]);
  });

  test("a question of a file keeps its place, because files are written to be found", () => {
    const text = "What is the current rent?";
    expect(order(note(text, 0.9), note("The rent is 1,180 euros.", 0.5))[0]).toEqual([text, 0.9]);
  });

  test("a question stays before hits that chance could give, and makes no answer certain", () => {
    const hits = answersFirst([said("user: the rent?", 0.9), note("The boat is blue.", 0.1, false)], question, 10);
    expect(hits.map(({ score }) => score)).toEqual([0.9, 0.1]);
    expect(isCertain(hits)).toBe(false);
  });

  test("a statement that is searched for by its own words keeps its place", () => {
    const text = "user: The gateway listens on 8080.";
    const hits = answersFirst([said(text, 0.9), note("The port is open.", 0.5)], "the gateway listens on 8080", 10);
    expect(hits[0]).toMatchObject({ text, score: 0.9 });
  });

  test("no passage is moved out of the hits that are shown, and a named one keeps its place", () => {
    const asks = "user: what is the current rent?";
    const notes = Array.from({ length: 6 }, (_, at) => note(`Rent ${at}`, 0.5 - at / 100));
    expect(answersFirst([said(asks, 0.9), ...notes], question, 6).findIndex(({ text }) => text === asks)).toBe(5);
    const named = { ...said(asks, 1), named: true };
    expect(answersFirst([named, ...notes], question, 6)[0]).toBe(named);
  });

  test("a text of marks takes no longer than others", () => {
    const begun = performance.now();
    answersFirst([said(`user: ${"?".repeat(100_000)}a`, 0.9)], question, 10);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});

test.each([
  ["What is my sister's name?", "My name is Petra.", false],
  ["What is the name of my dog?", "My name is Petra.", false],
  ["What is my sister's name?", "My sister is called Jule.", true],
  ["When is my mum's birthday?", "Mother's birthday is on 3 May.", true],
  ["What is our landlord's number?", "Landlords: Berger, 555 01", true],
  ["What's today's plan?", "The plan: paint the fence.", true],
  ["What's my son's name?", "The person is called Petra.", false],
  ["Who is my daughter's teacher?", "My son's teacher is Ms Berg.", false],
  ["Who is our son's teacher?", "The kids' teacher is Ms Berg.", true],
  ["What is the world's tallest mountain?", "Everest is the tallest mountain.", true],
  ["What's the company's address?", "Our firm sits at Rue 5.", true],
  ["What is Ida's shoe size?", "My shoe size is 38.", true],
])("whether an answer to %j is certain: %s", (question, text, isSure) => {
  const hit = { path: "facts/1", text, score: 0.6, named: false, standsOut: true };
  expect(isCertain(answersFirst([hit], question, 6))).toBe(isSure);
});
