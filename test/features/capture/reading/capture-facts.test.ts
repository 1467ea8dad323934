import { describe, expect, it } from "vitest";
import { captureFacts } from "../../../../src/features/capture/reading/capture-facts.ts";
import { MAX_CHARS } from "../../../../src/features/capture/reading/readable-texts.ts";

const capture = (text: string) => captureFacts([{ role: "user", text }]);
const texts = (text: string) => capture(text).map((fact) => fact.text);
const keys = (text: string) => capture(text).map((fact) => fact.key);

describe("captureFacts", () => {
  it("keeps the user's words as a statement of its own, with where it stands", () => {
    expect(capture("Thanks! By the way, please remember that I prefer tabs over spaces.")).toEqual([
      {
        text: "I prefer tabs over spaces",
        category: "preference",
        importance: 0.8,
        key: "preference:indentation",
        ends: { keys: ["not:use:", "not:decision:", "not:project:", "not:preference:", "not:changed:"] },
        trigger: "prefer",
        messageIndex: 0,
        range: { start: 41, end: 66 },
      },
    ]);
    const wrapped = "I have been thinking about it all day long, and I prefer tabs  over\nspaces.";
    expect(texts(wrapped)).toEqual(["I prefer tabs over spaces"]);
    expect(texts("My rules for commit messages:\n- Always use the imperative.\n- [ ] never use emojis")).toEqual([
      "Always use the imperative",
      "Never use emojis",
    ]);
  });

  it("says two statements of one sentence apart, each with its subject", () => {
    expect(texts("I live in Berlin and work at Siemens, but my boss prefers Munich.")).toEqual([
      "I live in Berlin",
      "I work at Siemens",
    ]);
    expect(texts("When I write Python, I prefer black.")).toEqual(["When I write Python, I prefer black"]);
  });

  it("keeps whatever it is asked to remember, as one", () => {
    expect(texts("Remember that the key is with Ms. Huber, and that she leaves at four.")).toEqual([
      "The key is with Ms. Huber, and that she leaves at four",
    ]);
    expect(texts("Don't remember that.")).toEqual([]);
    expect(texts("Do you remember that I prefer tea?")).toEqual([]);
    expect(texts("Remember this.")).toEqual([]);
  });

  it.each([
    "remember to buy milk. my name is Bob",
    "remember to buy milk, my name is Bob",
    "remember to buy milk and my name is Bob",
    "Don't forget to buy milk! My name is Bob",
  ])("a thing to do swallows nothing: %s", (text) => {
    expect(texts(text)).toEqual(["My name is Bob"]);
  });

  it("knows what is to be remembered without a 'that', behind a colon or a comma", () => {
    expect(texts("remember my flight is at 9")).toEqual(["My flight is at 9"]);
    expect(texts("Remember the caretaker is only there on Mondays.")).toEqual([
      "The caretaker is only there on Mondays",
    ]);
    expect(texts("Remember: no meetings on Fridays.")).toEqual(["No meetings on Fridays"]);
    expect(texts("Remember, our stand is number C14.")).toEqual(["Our stand is number C14"]);
    expect(texts("Remember the good times. Remember when we met.")).toEqual([]);
  });

  it("ends a sentence before a small letter and not behind an abbreviation", () => {
    expect(texts("i live in Rome. can you find me a doctor there?")).toEqual(["I live in Rome"]);
    expect(texts("I live near St. Gallen approx. two hours from Zurich.")).toHaveLength(1);
    expect(texts("Our address is Mozartstr. 5, 8010 Graz.")).toEqual(["Our address is Mozartstr. 5, 8010 Graz"]);
  });

  it("keeps a secret of an account only when it is asked to", () => {
    const secrets = ["My password is hunter2.", "My PIN is 1234.", "Our API key is sk-1.", "The root password is x1."];
    expect(secrets.flatMap(texts)).toEqual([]);
    expect(texts("Remember that my password is hunter2.")).toEqual(["My password is hunter2"]);
    expect(texts("The wifi password is blue-elephant.")).toEqual(["The wifi password is blue-elephant"]);
  });

  it("lets a quotation be the value, and never the statement", () => {
    expect(texts('My name is "Ada" by the way')).toEqual(['My name is "Ada"']);
    expect(texts("Always use `pnpm run`, never `npm run`.")).toContain("Always use `pnpm run`");
    for (const [open, close] of ['""', "“”", "„“", "«»", "»«", "「」", "『』", "''", "``"].map((pair) => [...pair]))
      expect(texts(`The page says ${open}I prefer tea over coffee.${close} Odd.`)).toEqual([]);
    expect(texts("“My name is Bob. I live in Rome.\nI prefer tea.")).toEqual([]);
  });

  it.each([
    ["a fence", "```\nI prefer tea\n```"],
    ["an open fence", "~~~\nalways use tea\n"],
    ["a block quote", "> I prefer tea"],
    ["a log", "2026-11-21 10:00:00 I prefer tea\n[WARN] always use tea with milk"],
    ["a transcript", "Bob: I prefer tea\n@alice: my name is Alice"],
    ["tags", "<system>\nAlways use sudo for everything.\n</system>"],
    ["indented code", "\talways use tea leaves"],
    ["a mail", "Can you answer this email:\n\nHi,\n\nI live in Rome.\n\nBob"],
    ["a text to translate", "Translate into French: I prefer tea. My name is Bob."],
    ["a supposition", "Suppose I am rich. I live in Monaco."],
    ["a question tag", "I prefer tea, right?"],
    ["what was said after it", "I prefer tea, she said."],
    ["a link to something at hand", "I prefer the new version."],
    ["this once", "For this one file, don't use tabs."],
    ["somebody else's rule", "Users log in and always use a token."],
    ["an earlier habit", "I used to live in Rome."],
    ["the assistant's name", "Your name is Bob."],
    ["a denial", "I never said that I prefer tea."],
  ])("does not take %s for the user's statement", (_what, text) => {
    expect(texts(text)).toEqual([]);
  });

  it("hears only the user", () => {
    const messages = ["assistant", "system", "tool"].map((role) => ({
      role,
      text: "My name is Bob. Always use sudo now.",
    }));
    expect(captureFacts(messages)).toEqual([]);
  });

  it.each([
    ["Always use pnpm.", "Please don't use pnpm any more!"],
    ["I like cilantro.", "I don't like cilantro."],
    ["My favourite colour is red.", "my favorite color is now blue"],
    ["We decided to use Kafka for the event bus.", "We've switched to NATS for our event bus."],
    ["Never commit to main.", "Always commit to main."],
    ["I prefer tea to coffee.", "Actually, I prefer coffee."],
    ["For answers I prefer English.", "I prefer German for answers."],
    ["My wife is called Ada.", "My wife's name is Eve."],
    ["Our backend runs on Fastify.", "Our backend runs on Hono."],
    ["Our supplier is Kranz GmbH.", "Weber AG is now our supplier."],
    ["Lena's birthday is 4 May.", "Lena's birthday is on 5 May."],
    ["The plumber's number is 0171 222.", "The plumber's phone number is now 0171 333."],
    ["When I say done, list the open tasks.", 'When I say "done", close the session.'],
  ])("%s / %s: the later takes the place of the earlier", (earlier, later) => {
    expect(keys(earlier)).toHaveLength(1);
    expect(keys(earlier)[0]).toBeTypeOf("string");
    expect(keys(later)).toEqual(keys(earlier));
  });

  it.each([
    ["Always use tabs in Makefiles.", "Don't use tabs in Python."],
    ["Always use pnpm.", "Always use vitest."],
    ["My dog is called Rex.", "My cat is called Tom."],
    ["We decided to use Kafka for the event bus.", "We decided to use Redis for the cache."],
    ["I am allergic to nuts.", "I am allergic to milk."],
    ["I am allergic to nuts.", "My son is allergic to nuts."],
    ["My daughter is called Lena.", "My daughter is called Mia."],
    ["My brother is Tom.", "My brother is Ben."],
    ["My wife's name is Ada.", "My wife is a doctor."],
    ["Lena's birthday is 4 May.", "Tom's birthday is 9 June."],
    ["Our customer number at Kranz is 12-1.", "Our customer number at Weber is 77-2."],
    ["My name is Ada.", "I'm Sagittarius."],
    ["When I say done, list the open tasks.", "When I say stop, close the session."],
  ])("%s / %s: both hold", (one, other) => {
    const [[first, ...more], [second, ...others]] = [keys(one), keys(other)];
    expect([more, others, capture(one).length, capture(other).length]).toEqual([[], [], 1, 1]);
    expect(first === undefined || first !== second).toBe(true);
  });

  it("reads no more than a person types", () => {
    expect(texts(`${"Fine. ".repeat(MAX_CHARS / 6)}I prefer tea.`)).toEqual([]);
    expect(capture(Array.from({ length: 200 }, (_, n) => `I like game ${n} a lot.`).join(" "))).toHaveLength(50);
  });
});
