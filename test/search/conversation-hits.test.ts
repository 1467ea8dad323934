import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { focusedSnippet } from "../../src/search/focused-snippet.ts";
import { growHits, type NearMessage } from "../../src/search/grow-hits.ts";
import { possibleNames, withoutSpeakers } from "../../src/search/without-speakers.ts";

const said = (texts: readonly string[]): NearMessage[] => {
  let firstLine = 1;
  return texts.map((text, i) => {
    const message = { seq: i + 1, firstLine, lineCount: text.split("\n").length, text };
    firstLine += message.lineCount;
    return message;
  });
};

/** A hit of the messages `from`..`to` (1-based). */
function hitOf(messages: readonly NearMessage[], from: number, to: number, path = "sessions/web:1") {
  const inside = messages.slice(from - 1, to);
  const last = inside.at(-1);
  return {
    ...{ path, around: messages, text: inside.map((one) => one.text).join("\n") },
    startLine: inside[0]?.firstLine ?? 0,
    endLine: last ? last.firstLine + last.lineCount - 1 : 0,
  };
}

describe("a hit of a conversation with the messages around it", () => {
  const ten = said(Array.from({ length: 10 }, (_, i) => `user: message ${i + 1}`));

  test("it grows on both sides as far as there is room, in whole messages", () => {
    const [hit] = growHits([hitOf(ten, 5, 5)], 3 * 16);
    expect(hit).toMatchObject({ startLine: 4, endLine: 6 });
    expect(hit?.text).toBe("user: message 4\nuser: message 5\nuser: message 6");
  });

  test("what an earlier hit has come to show is left out, and the next stops at its border", () => {
    const hits = growHits([hitOf(ten, 5, 5), hitOf(ten, 6, 6), hitOf(ten, 8, 8)], 3 * 16);
    expect(hits.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [4, 6],
      [7, 9],
    ]);
  });

  test("other conversations, files, pieces of a message and messages that are missing are no neighbours", () => {
    const file = { path: "notes.md", startLine: 5, endLine: 5, text: "user: message 5" };
    const other = hitOf(ten, 5, 5, "sessions/web:2");
    const piece = { ...hitOf(ten, 5, 5, "sessions/web:3"), text: "message 5" };
    const gap = ten.filter(({ seq }) => seq !== 4);
    const hits = growHits([hitOf(ten, 5, 5), file, other, piece, { ...hitOf(ten, 5, 5, "x"), around: gap }], 5 * 16);
    expect(hits.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [3, 7],
      [5, 5],
      [3, 7],
      [5, 5],
      [5, 9],
    ]);
  });

  test("property: a hit is the transcript of its lines, no longer than allowed, and shown texts are not repeated", () => {
    const text = fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 3 }).map((lines) => lines.join("|"));
    const texts = fc.array(fc.oneof(text, fc.constant("two\nlines")), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.nat(29), { maxLength: 10 }),
        fc.integer({ min: 1, max: 200 }),
        (all, places, max) => {
          const messages = said(all);
          const lines = all.join("\n").split("\n");
          const asked = places.map((at) => hitOf(messages, (at % all.length) + 1, (at % all.length) + 1));
          const hits = growHits(asked, max);
          const shown = hits.flatMap(({ startLine, endLine }) =>
            Array.from({ length: endLine - startLine + 1 }, (_, i) => startLine + i),
          );
          expect(new Set(shown).size).toBe(shown.length);
          for (const { startLine, endLine, text: whole } of hits) {
            expect(whole).toBe(lines.slice(startLine - 1, endLine).join("\n"));
            expect(whole.length <= max || asked.some((one) => one.text === whole)).toBe(true);
          }
          for (const one of asked) expect(shown).toContain(one.startLine);
        },
      ),
    );
  });
});

describe("the snippet of a hit", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i} of the hit`);
  const text = lines.join("\n");

  test("shows the piece that was found, with whole lines around it", () => {
    const shown = focusedSnippet(text, `${lines[20]}\n${lines[21]}`, ["line"], 100);
    expect(shown).toContain(`${lines[20]}\n${lines[21]}`);
    expect(shown.length).toBeLessThanOrEqual(100);
    expect(shown).toMatch(/^….*…$/su);
    for (const line of shown.slice(1, -1).split("\n")) expect(lines).toContain(line);
  });

  test("property: it is a part of the text and within the limit, and … stands where something is left out", () => {
    fc.assert(
      fc.property(
        fc.nat(39),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 20, max: 900 }),
        (from, more, limit) => {
          const focus = lines.slice(from, from + more + 1).join("\n");
          const shown = focusedSnippet(text, focus, ["20"], limit);
          const part = shown.replace(/^…|…$/gu, "");
          expect(text).toContain(part);
          if (focus.length <= limit - 2) {
            expect(shown.startsWith("…")).toBe(!text.startsWith(part));
            expect(shown.endsWith("…")).toBe(!text.endsWith(part));
          }
          expect(shown.length).toBeLessThanOrEqual(limit);
          if (focus.length <= limit) expect(shown).toContain(focus);
        },
      ),
    );
  });
});

describe("a question without the names of those who speak", () => {
  const without = (query: string, speakers: string[]) =>
    withoutSpeakers(
      query,
      speakers.filter((name) => possibleNames(query).includes(name)),
      true,
    );

  test("a speaker's name gives way, in any case of the question", () => {
    expect(without("When did Caroline move to Ann's house?", ["Caroline", "Ann"])).toBe(
      "When did someone move to someone's house?",
    );
    expect(without("when did caroline move?", ["Caroline"])).toBe("when did someone move?");
    expect(withoutSpeakers("Wann zog Anna um?", ["Anna"], false)).toBe("Wann zog um?");
  });

  test("other names, words that are like a name, and a question that is only a name stay", () => {
    expect(without("Does Melanie like May?", ["Will"])).toBe("Does Melanie like May?");
    expect(without("What will Ann do?", ["Will"])).toBe("What will Ann do?");
    expect(without("Caroline?", ["Caroline"])).toBe("Caroline?");
    expect(without("", ["Caroline"])).toBe("");
  });

  test("few words of a long text are asked about", () => {
    const long = Array.from({ length: 500 }, (_, i) => `Name${i}`).join(" ");
    expect(possibleNames(long)).toHaveLength(32);
  });
});
