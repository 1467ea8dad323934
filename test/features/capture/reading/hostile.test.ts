import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { captureFacts } from "../../../../src/features/capture/reading/capture-facts.ts";
import { ENGLISH_RULES } from "../../../../src/features/capture/reading/english-rules.ts";
import { ownWords } from "../../../../src/features/capture/reading/own-words.ts";
import { capturePatterns } from "../../../../src/features/capture/reading/warm-rules.ts";
import { processorTime } from "../../../support/processor-time.ts";

const capture = (text: string) => captureFacts([{ role: "user", text }]);

// Each text takes 1 to 30 ms when the machine is idle. A quadratic step would take minutes, so the
// bound is loose on purpose.
const LIMIT_MS = 2000;

const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ["100,000 quotation marks", '"'.repeat(100_000)],
  ["100,000 open quotation marks", "“".repeat(100_000)],
  ["quotations in quotations", "“a „b «c ".repeat(20_000)],
  ["one quotation mark a line", "'a\n".repeat(40_000)],
  ["backticks", "` a ".repeat(30_000)],
  ["a million letters", "a".repeat(1_000_000)],
  ["a million spaces", " ".repeat(1_000_000)],
  ["a million blank lines", "\n".repeat(1_000_000)],
  ["stacked accents", `a${"\u0301".repeat(100_000)}`],
  ["lone surrogates", "\uD800".repeat(100_000)],
  ["triggers without an end", "I prefer ".repeat(10_000)],
  ["preferences over preferences", "I prefer a over ".repeat(10_000)],
  ["names", "my name is A ".repeat(10_000)],
  ["conditions", `if ${"I prefer ".repeat(90)}. `.repeat(30)],
  ["lead-ins", "please, ".repeat(20_000)],
  ["commas", ", ".repeat(50_000)],
  ["colons", ": ".repeat(50_000)],
  ["'and'", "and ".repeat(30_000)],
  ["fences", "```\na\n".repeat(20_000)],
  ["open tags", "<a>\n".repeat(20_000)],
  ["tags that close another", "<a>\n</b>\n".repeat(10_000)],
  ["labels", "A B C D: ".repeat(10_000)],
  ["bullets", "- ".repeat(50_000)],
  ["sentences of one letter", "a. ".repeat(30_000)],
  ["tasks", "translate this write a ".repeat(10_000)],
  ["sentences of the longest size", `I always use ${"x in ".repeat(170)}. `.repeat(30)],
  ["German ones", `Verwende bitte immer ${"a für ".repeat(130)}. `.repeat(30)],
  ["French ones", `je préfère ${"à a pour ".repeat(100)}. `.repeat(30)],
  ["Spanish ones", `prefiero ${"a b para ".repeat(100)}. `.repeat(30)],
  ["Japanese ones", "私は猫が好きです".repeat(10_000)],
  ["Chinese ones", "我喜欢".repeat(30_000)],
  ["denials", `I no longer ${"work at a any more ".repeat(50)}. `.repeat(30)],
  ["changes", `The a b c ${"moved from a to b ".repeat(50)}. `.repeat(30)],
  ["new things", `I bought a new car${", it's".repeat(40)} ${"x y ".repeat(180)}. `.repeat(10)],
  ["changes of one thing", `The dentist ${"moved it from a to b, and ".repeat(35)}. `.repeat(30)],
  ["envelopes", `[Telegram ${"09:15 ".repeat(3_000)}] I prefer tea.`],
  ["open envelopes", "[Telegram 09:15 ".repeat(6_000)],
  ["emphasis", "**_*I live in Porto*_** ".repeat(4_000)],
  ["heads of copied chats", "Ana Lima, [28.11.2026 09:15]\n".repeat(4_000)],
  ["memories", "Relevant memories:\n- a\n".repeat(4_000)],
  ["lines of a program", "x\n<media:image>\n".repeat(60_000)],
  ["rules", "My rules:\n1. a b\n".repeat(5_000)],
  ["requests", "请记住 запомни: merk dir: ".repeat(4_000)],
  ["points", "e.g. U.S. 3.14 ".repeat(6_000)],
  ["names of somebody", `${"Ada Bea ".repeat(120)}is my manager. `.repeat(20)],
  ["relations of relations", `${"my daughter's ".repeat(70)}birthday is 4 May. `.repeat(20)],
  ["owners without an end", "our a b c's number is ".repeat(5_000)],
  ["'when I say' without an end", `When I say ${"a, run ".repeat(130)}. `.repeat(20)],
  ["things to remember", `remember the ${"a b is ".repeat(130)}. `.repeat(20)],
  ["small sentences", "x. my name is a. i live in b. ".repeat(4_000)],
  ["German relations", `Meine Tochter ${"Ada Bea ".repeat(110)} ist allergisch. `.repeat(20)],
  ["Japanese relations", `${"娘の".repeat(300)}は卵アレルギーです。`.repeat(20)],
  ["Chinese relations", `${"我女儿".repeat(200)}对花生过敏。`.repeat(20)],
];

describe("captureFacts on hostile text", () => {
  // V8 compiles a pattern at its second use: 0.3 s for all patterns, once per process.
  beforeAll(() => {
    const sentences =
      "I always use x in y. Verwende immer a für b. Je préfère a pour b. Prefiero a para b. 私は猫が好き。我喜欢猫。";
    for (let time = 0; time < 3; time++) capture(sentences);
  });

  it.each(HOSTILE)("%s", (_name, text) => {
    const spent = processorTime();
    const found = capture(text);
    expect(spent()).toBeLessThan(LIMIT_MS);
    expect(found.length).toBeLessThanOrEqual(50);
  });

  const STATEMENTS = [
    "I prefer tea. ",
    "My name is Ada. ",
    "Always use pnpm. ",
    "Ich wohne in Graz. ",
    "我叫李明。",
    "Remember that X is Y. ",
  ];
  const MARKS = [
    '"',
    "“",
    "”",
    "„",
    "«",
    "»",
    "`",
    "```\n",
    "\n",
    "\n\n",
    "> ",
    "<a>",
    "</a>",
    "'",
    "’",
    ": ",
    ", ",
    "if ",
    "said ",
    "?",
    "\u0000",
    "😀",
    "\uD800",
  ];
  const talk = fc.array(fc.constantFrom(...STATEMENTS, ...MARKS), { maxLength: 30 }).map((parts) => parts.join(""));

  it("says where in the message a statement stands, in text that can be stored", () => {
    fc.assert(
      fc.property(fc.oneof(talk, fc.string({ unit: "binary", maxLength: 200 })), (text) => {
        for (const { text: stated, range, importance } of capture(text)) {
          expect(range.start).toBeLessThan(range.end);
          expect(range.end).toBeLessThanOrEqual(text.length);
          expect(stated.isWellFormed()).toBe(true);
          expect(stated).not.toMatch(/\p{Cc}/u);
          expect(stated.length).toBeLessThanOrEqual(500);
          expect(importance).toBe(0.8);
        }
      }),
    );
  });

  it("masks without moving anything", () => {
    fc.assert(
      fc.property(talk, (text) => {
        const mask = ownWords(text);
        expect(mask.length).toBe(text.length);
        for (let at = 0; at < mask.length; at++)
          if (mask[at] !== "\uE000" && !"’\r".includes(text[at] ?? "")) expect(mask[at]).toBe(text[at]);
      }),
    );
  });

  it("keeps nothing of what stands in a fence, a quotation or behind a task", () => {
    const inner = fc
      .array(fc.constantFrom(...STATEMENTS), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(""));
    const shown = (text: string) => [
      `\`\`\`\n${text}\n\`\`\``,
      `“${text}”`,
      `> ${text}`,
      `Translate this: ${text}`,
      `<doc>\n${text}\n</doc>`,
    ];
    fc.assert(fc.property(inner, (text) => shown(text).every((message) => capture(message).length === 0)));
  });
});

describe("the patterns", () => {
  it("are a hundred, and those of rules are held at the start of a clause", () => {
    expect(ENGLISH_RULES.length).toBeGreaterThan(80);
    expect(ENGLISH_RULES.filter(({ pattern }) => !/^\^/.test(pattern.source))).toEqual([]);
  });

  it("repeat nothing that repeats without an end", () => {
    expect(capturePatterns().filter(({ source }) => hasNestedRepetition(source))).toEqual([]);
    expect(hasNestedRepetition("a(?:b+c)*")).toBe(true);
    expect(hasNestedRepetition("a(?:b{1,3}[)+]c)*d+")).toBe(false);
  });
});

/** Returns whether a group with unbounded repetition contains another unbounded repetition. */
function hasNestedRepetition(source: string): boolean {
  const open: boolean[] = [];
  const tokens = source.matchAll(/\\.|\[(?:\\.|[^\]])*\]|\(|\)(?<repeated>[*+]|\{\d+,\})?|[*+]|\{\d+,\}/g);
  for (const { 0: token, groups } of tokens) {
    if (token === "(") open.push(false);
    else if (token.startsWith(")")) {
      const repeats = open.pop() ?? false;
      if (repeats && groups?.repeated !== undefined) return true;
      if (open.length > 0) open.push((open.pop() ?? false) || repeats || groups?.repeated !== undefined);
    } else if (/^[*+{]/.test(token) && open.length > 0) {
      open.pop();
      open.push(true);
    }
  }
  return false;
}
