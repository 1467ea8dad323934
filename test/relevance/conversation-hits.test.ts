import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expandHits, type NearMessage, type Surrounded } from "../../src/relevance/ranking/join-hits.ts";
import { possibleNames, withoutSpeakers } from "../../src/relevance/words/query-names.ts";

const said = (texts: readonly string[]): NearMessage[] => {
  let firstLine = 1;
  return texts.map((text, i) => {
    const message = { seq: i + 1, firstLine, lineCount: text.split("\n").length, text };
    firstLine += message.lineCount;
    return message;
  });
};

/** Returns a hit of the messages `from` to `to` (1-based). */
function hitOf(messages: readonly NearMessage[], from: number, to: number, path = "sessions/web:1") {
  const inside = messages.slice(from - 1, to);
  const last = inside.at(-1);
  return {
    path,
    around: messages,
    text: inside.map((one) => one.text).join("\n"),
    startLine: inside[0]?.firstLine ?? 0,
    endLine: last ? last.firstLine + last.lineCount - 1 : 0,
  };
}

describe("a hit of a conversation with the messages around it", () => {
  const ten = said(Array.from({ length: 10 }, (_, i) => `user: message ${i + 1}`));

  test("it grows on both sides as far as there is room, in whole messages", () => {
    const [hit] = expandHits([hitOf(ten, 5, 5)], 3 * 16);
    expect(hit).toMatchObject({ startLine: 4, endLine: 6 });
    expect(hit?.text).toBe("user: message 4\nuser: message 5\nuser: message 6");
  });

  test("what an earlier hit has come to show is left out, and the next stops at its border", () => {
    const hits = expandHits([hitOf(ten, 5, 5), hitOf(ten, 6, 6), hitOf(ten, 9, 9)], 3 * 16);
    expect(hits.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [5, 7],
      [8, 10],
    ]);
  });

  test("it grows first as far as hits close by, the better of them before the others", () => {
    const lines = (places: number[], max: number) =>
      expandHits(
        places.map((at) => hitOf(ten, at, at)),
        max * 16,
      ).map(({ startLine, endLine }) => [startLine, endLine]);
    expect(lines([5, 8], 4)).toEqual([[5, 8]]);
    expect(lines([5, 8], 5)).toEqual([[5, 9]]);
    expect(lines([5, 8, 2], 4)).toEqual([
      [5, 8],
      [1, 4],
    ]);
    expect(lines([5, 2, 8], 4)).toEqual([
      [2, 5],
      [7, 10],
    ]);
    // A hit that is too far away stays separate.
    expect(lines([5, 9], 3)).toEqual([
      [4, 6],
      [8, 10],
    ]);
  });

  test("it does not grow over what an earlier hit shows to one behind that", () => {
    const hits = expandHits([hitOf(ten, 5, 5), hitOf(ten, 3, 3), hitOf(ten, 7, 7)], 16);
    expect(hits.map(({ startLine }) => startLine)).toEqual([5, 3, 7]);
    // A hit of two messages is full. The next hit is before it, and cannot reach the one behind it.
    const [first, second] = expandHits([hitOf(ten, 5, 6), hitOf(ten, 4, 4), hitOf(ten, 8, 8)], 2 * 16);
    expect([first?.startLine, first?.endLine]).toEqual([5, 6]);
    expect([second?.startLine, second?.endLine]).toEqual([3, 4]);
  });

  test("each message weighs by the best of the hits that have it", () => {
    const [hit] = expandHits<Surrounded & { score: number }>(
      [
        { ...hitOf(ten, 4, 5), score: 0.8 },
        { ...hitOf(ten, 5, 6), score: 0.4 },
      ],
      4 * 16,
    );
    // Messages 4 to 6, then the message after them and none before.
    expect(hit?.parts?.map(({ weight }) => weight)).toEqual([1, 1, 0.5, 0]);
    expect(hit?.parts?.map(({ text }) => text).join("\n")).toBe(hit?.text);
  });

  test("other conversations, files, pieces of a message and messages that are missing are no neighbours", () => {
    const file = { path: "notes.md", startLine: 5, endLine: 5, text: "user: message 5" };
    const other = hitOf(ten, 5, 5, "sessions/web:2");
    const piece = { ...hitOf(ten, 5, 5, "sessions/web:3"), text: "message 5" };
    const gap = ten.filter(({ seq }) => seq !== 4);
    const hits = expandHits([hitOf(ten, 5, 5), file, other, piece, { ...hitOf(ten, 5, 5, "x"), around: gap }], 5 * 16);
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
          const hits = expandHits(asked, max);
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
