import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answeringExcerpt, answeringSnippet, type HitPart } from "../../src/relevance/snippets/answering-snippet.ts";
import { type CountedTerm, createWordFinder, soughtWords } from "../../src/relevance/words/sought-words.ts";
import { processorTime } from "../support/processor-time.ts";

const soughtBy = (question: string, terms?: CountedTerm[]) => {
  const words = soughtWords(question, terms);
  return { words, find: createWordFinder(words) };
};
const termOf = (concept: number, lexeme: string, idf: number, prefix = false) => ({ concept, lexeme, idf, prefix });
const part = (text: string, weight = 0): HitPart => ({ text, weight });
const ofParts = (parts: readonly HitPart[], question: string, limit: number) => {
  const text = parts.map((one) => one.text).join("\n");
  return answeringSnippet({ text, parts, found: text }, soughtBy(question), limit);
};
const filler = Array.from({ length: 40 }, (_, n) => `Nothing of interest stands in line ${n}.`);

describe("the snippet of a conversation whose speaker the question names", () => {
  test("has the words of this speaker rather than those of others", () => {
    const talk = "They met on Monday and went through all of the open points of the list one by one.";
    const parts = [
      part(`Olaf: Hello all. ${talk} The budget is far too high for a small team. ${talk}`),
      part(`Petra: Hello Olaf. ${talk} ${talk} The budget has to stay as it is for now. ${talk}`),
      part(`Olaf: Fine. ${talk} Then the budget is what it is.`),
    ];
    const terms = [termOf(0, "petra", 0.5), termOf(1, "say", 1), termOf(2, "budget", 3)];
    const text = parts.map((one) => one.text).join("\n");
    const shown = answeringSnippet(
      { text, parts, found: text },
      soughtBy("What did Petra say about the budget?", terms),
      80,
    );
    expect(shown).toContain("The budget has to stay as it is");
  });
});

describe("the snippet of a document", () => {
  test("a hit that fits is shown whole", () => {
    const text = "# Ports\n\nThe gateway listens on port 8080.\n\n- one\n- two";
    expect(answeringSnippet({ text, found: text }, soughtBy("gateway"), 700)).toBe(text);
  });

  test("holds the lines that answer, wherever they stand, with … between them", () => {
    const text = [
      ...filler.slice(0, 20),
      "The staging proxy listens on port 8443.",
      ...filler,
      "The production proxy listens on port 9443.",
      ...filler,
    ].join("\n");
    const shown = answeringSnippet({ text, found: text }, soughtBy("ports of the staging and production proxies"), 300);
    expect(shown).toContain("The staging proxy listens on port 8443.\n");
    expect(shown).toContain("The production proxy listens on port 9443.\n");
    expect(shown).toMatch(/^…Nothing.*\n…\n.*…$/su);
  });

  test("a rare word weighs more than common ones", () => {
    const text = [...filler.slice(0, 30), "The budget of the year is done.", ...filler, "Ask Silas.", ...filler].join(
      "\n",
    );
    const sought = soughtBy("budget year Silas", [
      termOf(0, "budget", 0.3),
      termOf(1, "year", 0.3),
      termOf(2, "sila", 5),
    ]);
    const shown = answeringSnippet({ text, found: text }, sought, 110);
    expect(shown).toContain("Ask Silas.");
    expect(shown).not.toContain("budget");
  });

  test.each([
    ["Where did they deploy it?", "deploy", "It was deployed to Oslo."],
    ["happy", "happi", "That was her happiest day."],
    ["Wer hat die Reifen gewechselt?", "reif", "Die Winterreifen sind drauf."],
    ["大阪の会議", "大阪", "来週は大阪に行きます。"],
    ["café", "cafe", "The Café opens at nine."],
    ["src/memory/hybrid.ts", "src/memory/hybrid.ts", "See src/memory/hybrid.ts there."],
  ])("%s finds its word in another form", (question, lexeme, line) => {
    const text = [...filler, line, ...filler].join("\n");
    const terms = [termOf(0, lexeme, 3), termOf(0, `~${[...lexeme].reverse().join("")}`, 2, true)];
    expect(answeringSnippet({ text, found: text }, soughtBy(question, terms), 200)).toContain(line);
  });

  test("a heading comes with the line below it, a header with its row", () => {
    const rows = ["Ada", "Bo", "Silas", "Tom"].flatMap((name, n) =>
      Array.from({ length: 10 }, (_, i) => `| ${name}${i === 3 ? "" : i} | ${7000 + n * 10 + i} | floor ${i} |`),
    );
    const table = ["# Staff", "", "| name | badge number | place |", "|---|---|---|", ...rows].join("\n");
    const shown = answeringSnippet({ text: table, found: table }, soughtBy("Silas"), 150);
    expect(shown).toMatch(/^…\| name \| badge number \| place \|\n\|---\|---\|---\|\n…\n/);
    expect(shown).toContain("| Silas | 7023 | floor 3 |");
    const sections = ["# Houses", ...filler, "## Tavira", ...filler, "The key is under the frog.", ...filler].join(
      "\n",
    );
    expect(answeringSnippet({ text: sections, found: sections }, soughtBy("frog"), 60)).toBe(
      "…## Tavira\n…\nThe key is under the frog.…",
    );
  });

  test("rows without a header in the text get the given one", () => {
    const rows = Array.from({ length: 40 }, (_, n) => `| name${n} | ${7000 + n} |`).join("\n");
    const hit = { text: rows, found: rows, header: "| name | badge |" };
    expect(answeringSnippet(hit, soughtBy("name33"), 60)).toMatch(/^\| name \| badge \|\n…\n\| name33 \| 7033 \|/);
    const short = { ...hit, text: "| Ada | 1 |", found: "| Ada | 1 |" };
    expect(answeringSnippet(short, soughtBy("Ada"), 60)).toBe("| name | badge |\n…\n| Ada | 1 |");
  });

  test("a date or a title ends no sentence", () => {
    const text = `${"Das Wetter war schön und alle waren froh. ".repeat(12)}Die Platten kommen am 16. März von Dr. Lind. ${"Danach war Ruhe im Haus und im Hof. ".repeat(12)}`;
    expect(answeringSnippet({ text, found: text }, soughtBy("Platten"), 60)).toContain(
      "Die Platten kommen am 16. März von Dr. Lind.",
    );
  });

  test("without a sought word the piece that was found is shown", () => {
    const text = [...filler, "One.", "Two.", ...filler].join("\n");
    expect(answeringSnippet({ text, found: "One.\nTwo." }, soughtBy("zebra"), 100)).toContain("One.\nTwo.");
    expect(answeringSnippet({ text, found: text }, soughtBy(""), 100)).toMatch(/^Nothing .*…$/s);
  });
});

describe("the snippet of a conversation", () => {
  const six = [
    part("Ann: hello", 1),
    part("Bob: hi, how are you?", 1),
    part("Ann: fine, we adopted a cat", 1),
    part("Bob: nice weather today", 0.6),
    part("Ann: and we went camping", 0.6),
    part("Bob: camping and a cat, well"),
  ];

  test("shows what bears on the question in its order, with … for what is left out", () => {
    expect(ofParts(six, "What did they adopt?", 32)).toBe("…Ann: fine, we adopted a cat…");
    expect(ofParts(six, "adopt, camping", 62)).toBe("…Ann: fine, we adopted a cat\n…\nAnn: and we went camping…");
    expect(ofParts(six, "", 1000)).toBe(six.map(({ text }) => text).join("\n"));
  });

  test("words that every question has say nothing", () => {
    const parts = [part("Ann: what did you do with the"), part("Ann: a boat")];
    expect(ofParts(parts, "What did the boat do?", 20)).toBe("…Ann: a boat");
  });

  test("an answer is more likely after a question than in one", () => {
    const parts = [
      part("Ann: Have you booked the hotel in Lisbon?"),
      part("Bob: Yes, the Mundial."),
      part("Ann: Is the hotel in Lisbon expensive in spring, or is it not?"),
      part(`Bob: ${"I had a lot to do. ".repeat(6)}`),
    ];
    expect(ofParts(parts, "Which hotel in Lisbon?", 80)).toContain("Bob: Yes, the Mundial.");
  });

  test("a sentence from the middle of a message has its speaker", () => {
    const long = `Bob: ${"We talked about this and that for a while. ".repeat(8)}The key is in the frog. ${"Then we went home and slept. ".repeat(8)}`;
    const shown = ofParts([part("Ann: hello"), part(long.trim()), part("Ann: bye")], "frog", 60);
    expect(shown).toMatch(/^Bob: ….*The key is in the frog\..*…$/su);
  });
});

describe("any snippet", () => {
  test("property: is within the limit, well-formed, and of the text in its order", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.constantFrom("| a | b |", "|---|---|", "# Head", "```", "- item", "", "Ann: yes. No! Perhaps? 京都へ。"),
    );
    const lines = fc.array(line, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        lines,
        fc.integer({ min: 20, max: 700 }),
        fc.boolean(),
        fc.string({ maxLength: 20 }),
        (all, limit, isTalk, question) => {
          const text = all.join("\n").replaceAll("…", "").toWellFormed();
          const parts = isTalk ? text.split("\n").map((one, n) => part(one, n % 2)) : undefined;
          const shown = answeringSnippet({ text, parts, found: text }, soughtBy(`${question} a yes`), limit);
          expect(shown.length).toBeLessThanOrEqual(limit);
          expect(shown.isWellFormed()).toBe(true);
          // Blank lines between two shown lines may be left out.
          const flat = (one: string) => one.replace(/\s+/gu, " ").trim();
          for (const piece of shown.split("…")) expect(flat(text)).toContain(flat(piece));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of messages of several days: within the limit, each below its day, those of the wanted days first", () => {
    const words = fc.constantFrom("parser", "cache", "Monday.", "ship?", "we", "rewrote\n", "|", "the");
    const message = fc.record({
      text: fc.array(words, { minLength: 1, maxLength: 40 }).map((all) => all.join(" ")),
      day: fc.integer({ min: 1, max: 4 }).map((day) => `2026-11-0${day}`),
      isMeant: fc.boolean(),
    });
    const messages = fc.array(message, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(messages, fc.integer({ min: 40, max: 700 }), fc.boolean(), (said, limit, onlyMeant) => {
        const parts = said.map((one, at) => ({ ...one, text: `Ann: ${at}x ${one.text}`, weight: 0 }));
        const text = parts.map((one) => one.text).join("\n");
        const hit = { text, parts, found: text, onlyMeant };
        const excerpt = answeringExcerpt(hit, soughtBy("who rewrote the parser?"), limit);
        expect(excerpt.text.length).toBeLessThanOrEqual(limit);
        const shown = excerpt.shown.flatMap((at) => parts[at] ?? []);
        const days = new Set(shown.map(({ day }) => day));
        for (const day of days) expect(excerpt.text.includes(`[${day}]`)).toBe(days.size > 1);
        if (onlyMeant && parts.some(({ isMeant }) => isMeant)) expect(shown.every(({ isMeant }) => isMeant)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("takes little time for hostile texts", () => {
    const sought = soughtBy("When did Ann go camping with the children?");
    const texts = [
      "a".repeat(50_000),
      "camping ".repeat(7000),
      "camping\n".repeat(7000),
      "| a | camping |\n".repeat(4000),
      ". ".repeat(25_000),
      '."".'.repeat(12_000),
      `${" ".repeat(50_000)}x`,
      "東京タワーに行きました。".repeat(4000),
      "# a\n".repeat(12_000),
      "| x |\n|---|\n".repeat(4000),
    ];
    for (const text of texts) answeringSnippet({ text: text.slice(0, 6000), found: text }, sought, 700);
    const spent = processorTime();
    for (const text of texts)
      expect(answeringSnippet({ text, found: text }, sought, 700).length).toBeLessThanOrEqual(700);
    expect(spent()).toBeLessThan(500);
  });
});
