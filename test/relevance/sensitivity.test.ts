import { describe, expect, test } from "vitest";
import { sensitivityOf, separationOf, unreadScripts } from "../../src/relevance/ranking/sensitivity.ts";
import { splitIntoHalves } from "../../src/relevance/words/split-into-halves.ts";
import { scriptOf } from "../../src/relevance/words/text-language.ts";
import { seededRandom } from "../support/seeded-random.ts";

describe("the script of a text", () => {
  test.each([
    ["The ferry leaves at noon", "Latin"],
    ["Паром уходит в полдень", "Cyrillic"],
    ["تغادر العبارة ظهرا", "Arabic"],
    ["渡轮中午出发", "Chinese"],
    ["フェリーは正午に出発する", "Japanese"],
    ["東京都港区の会議室は二階", "Japanese"],
    ["페리는 정오에 출발한다", "Hangul"],
    ["ბორანი შუადღისას გადის", "other"],
    ["Die Fähre Паром", "Latin"],
  ])("of %s", (text, script) => {
    expect(scriptOf(text)).toBe(script);
  });

  test("a text without letters has none", () => {
    expect(scriptOf("2026-11-22, 17:30")).toBeUndefined();
  });
});

describe("two halves of a text", () => {
  test("share no word, whatever its form", () => {
    const halves = splitIntoHalves(
      "The harbour crane stopped this morning and nobody was hurt. The cranes are inspected in spring. Nobody climbs them before.",
    );
    expect(halves?.script).toBe("Latin");
    expect(halves?.question).toContain("harbour");
    expect(halves?.question).not.toMatch(/crane|nobody|the\b/i);
  });

  test("of a script without spaces no character", () => {
    const halves = splitIntoHalves("エアコンの掃除は梅雨の前に業者へ頼むこと。二台まとめると一万八千円になる。");
    expect(halves?.script).toBe("Japanese");
    const rest = new Set(halves?.rest);
    expect([...(halves?.question ?? "")].filter((letter) => rest.has(letter))).toEqual([]);
  });

  test("are short, since their length is what measuring costs", () => {
    const letters = splitIntoHalves("Ferries leave. ".repeat(50) + "The harbour is closed at night. ".repeat(50));
    expect(letters?.rest.length).toBe(300);
    const characters = splitIntoHalves("渡轮中午出发。".repeat(50) + "港口夜间关闭，行人止步。".repeat(50));
    expect(characters?.rest.length).toBe(100);
  });

  test.each(["", "One sentence only", "Yes. No.", "12. 34. 56."])("of %j there are none", (text) => {
    expect(splitIntoHalves(text)).toBeUndefined();
  });

  test("a long text without an end costs little", () => {
    expect(splitIntoHalves("word ".repeat(1_000_000))).toBeUndefined();
    expect(splitIntoHalves(`${"a. ".repeat(500_000)}`)).toBeUndefined();
  });
});

describe("how well a model tells texts apart", () => {
  const random = seededRandom(7);
  const gauss = () => Math.sqrt(-2 * Math.log(random.next() || 0.5)) * Math.cos(2 * Math.PI * random.next());
  const unit = (values: number[]) => Float32Array.from(values, (value) => value / Math.hypot(...values));
  const noise = () => Array.from({ length: 64 }, gauss);
  /**
   * Makes pairs whose second vector contains a share of the first. All vectors have a part in
   * common, as a model's texts do.
   */
  const pairsOf = (n: number, share: number) => {
    const common = noise();
    const questions = Array.from({ length: n }, noise);
    const rests = questions.map((question) => noise().map((value, i) => value + share * (question[i] ?? 0)));
    const withCommon = (vector: number[]) => unit(vector.map((value, i) => value + 2 * (common[i] ?? 0)));
    return separationOf(questions.map(withCommon), rests.map(withCommon));
  };
  const unknown = () => undefined;

  test("a model of which nothing is known has its vote", () => {
    expect(sensitivityOf({}, "Latin", unknown)).toBe(1);
    expect(sensitivityOf({}, undefined, unknown)).toBe(1);
  });

  test("one that finds what belongs together has a vote, the greater the better it does", () => {
    const some = sensitivityOf({ Latin: pairsOf(64, 0.15) ?? { pairs: 0, sum: 0 } }, "Latin", unknown);
    const much = sensitivityOf({ Latin: pairsOf(64, 1) ?? { pairs: 0, sum: 0 } }, "Latin", unknown);
    expect(some).toBeGreaterThanOrEqual(1);
    expect(much).toBeGreaterThan(some);
    expect(much).toBeLessThanOrEqual(2.5);
  });

  test("one that finds nothing has none, once enough pairs say so", () => {
    const nothing = { pairs: 64, sum: 3 };
    expect(sensitivityOf({ Latin: nothing }, "Latin", unknown)).toBe(0);
    expect(sensitivityOf({ Latin: { pairs: 8, sum: 0 } }, "Latin", unknown)).toBe(1);
    expect(unreadScripts({ Latin: nothing }, unknown)).toEqual(["Latin"]);
  });

  test("a script that a model is known not to read has none from the first text on, unless the index shows otherwise", () => {
    const isRead = (script: string) => script === "Latin";
    expect(sensitivityOf({}, "Arabic", isRead)).toBe(0);
    expect(sensitivityOf({ Arabic: { pairs: 64, sum: 90 } }, "Arabic", isRead)).toBeGreaterThan(1);
    // Halves of two short notes have little in common in any language.
    expect(sensitivityOf({ Latin: { pairs: 64, sum: 3 } }, "Latin", isRead)).toBe(1);
  });

  test("a question in a script that no text is in counts as the texts do", () => {
    expect(sensitivityOf({ Latin: { pairs: 64, sum: 100 } }, "Arabic", unknown)).toBeGreaterThan(1);
    expect(sensitivityOf({ Latin: { pairs: 64, sum: 0 } }, undefined, unknown)).toBe(0);
  });

  test("equal vectors, and too few, tell nothing", () => {
    const same = Array.from({ length: 8 }, () => unit([1, 1, 1]));
    expect(separationOf(same, same)).toBeUndefined();
    expect(separationOf(same.slice(0, 2), same.slice(0, 2))).toBeUndefined();
  });
});
