import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyzeDocument, analyzeQuery, lettersIn } from "../../src/relevance/words/analyze.ts";
import { joinedWords } from "../../src/relevance/words/joined-words.ts";
import { commonWords } from "../../src/relevance/words/question-words.ts";
import { processorTime } from "../support/processor-time.ts";

const wordsOf = (text: string) => analyzeDocument(text).words.split(" ");
const termsOf = (text: string) =>
  [...analyzeDocument(text).terms.matchAll(/'((?:[^']|'')*)':/g)].map((match) => match[1]);
const spellings = (text: string, language = "english") =>
  analyzeQuery(text, [language]).concepts.map((concept) => [...concept.words, ...concept.exact]);

const weights = (text: string) =>
  Object.fromEntries(analyzeQuery(text, ["simple"]).concepts.map((concept) => [concept.exact.join(), concept.weight]));

const weightsOfWords = (text: string, language = "english", isMessage = false) =>
  Object.fromEntries(
    analyzeQuery(text, [language], isMessage).concepts.map((concept) => [concept.words[0], concept.weight]),
  );

describe("analyzeDocument", () => {
  test.each([
    ["useState", ["use", "state", "usestate"], []],
    ["getHTTPResponse", ["get", "http", "response", "gethttpresponse"], []],
    ["ERR_CONNECTION_REFUSED", ["err", "connection", "refused", "errconnectionrefused"], []],
    ["foo-bar", ["foo", "bar", "foobar"], []],
    ["light.bedroom_lamp", ["light", "bedroom", "lamp", "bedroomlamp"], ["light.bedroom_lamp"]],
    ["src/memory/hybrid.ts", ["src", "memory", "hybrid", "ts"], ["hybrid.ts", "src/memory/hybrid.ts"]],
    ["src\\memory\\hybrid.ts", ["src", "memory", "hybrid", "ts"], ["hybrid.ts", "src/memory/hybrid.ts"]],
    ["v2.3.1", ["v2", "3", "1"], ["v2.3.1", "2.3.1"]],
    ["2026-11-21", ["2026", "11", "21"], ["2026-11-21"]],
    ["net::ERR_FAILED", ["net", "err", "failed", "errfailed"], ["net::err_failed"]],
    ["C++ and C#.", ["c", "and", "c"], ["c++", "c#"]],
    ["DNAs", ["dnas"], []],
  ])("indexes %s whole and by part", (text, words, terms) => {
    expect(wordsOf(text)).toEqual(words);
    expect(termsOf(text)).toEqual(terms);
  });

  test.each([
    ["The roof cost $12,500.00.", "12500"],
    ["1.234.567 people", "1234567"],
    ["3 000 000 steps", "3000000"],
    ["a bonus of ₹1,25,000", "125000"],
    ["call +43 660 123 45 67 now", "6601234567"],
    ["call 0660 1234567 now", "6601234567"],
    ["IBAN AT61 1904 3002 3457 3201", "at611904300234573201"],
    ["ISBN 978-3-16-148410-0", "9783161484100"],
    ["serial AB-12-CD-34-EF", "ab12cd34ef"],
    ["the licence agree-\nment was signed", "agreement"],
  ])("numbers and codes are found without the signs between their groups, broken words whole: %s", (text, word) => {
    expect(wordsOf(text)).toContain(word);
  });

  test("words in capitals and dates are no codes, and joining takes time linear in the text", () => {
    const joined = ["THE CALL IS AT 12:30 ON 4 MAY 2026", "2026-03-14", "1,75 kg", "version 1.2.3"].flatMap(
      joinedWords,
    );
    expect(joined).toEqual([]);
    const spent = processorTime();
    for (const part of ["1 ", "A-", "1,", "1", "a-\n", "(1)"]) joinedWords(part.repeat(60_000 / part.length));
    expect(spent()).toBeLessThan(3000);
  });

  test("prose is words only: punctuation ties nothing across a space or a line", () => {
    expect(analyzeDocument("One fish. Two: fish\nit's red/ blue")).toEqual({
      words: "one fish two fish it s red blue",
      terms: "",
    });
  });

  test("an accented word is also indexed without accents, a Devanagari vowel sign is no accent", () => {
    expect(wordsOf("Café Straße Łódź")).toEqual(["café", "cafe", "straße", "strasse", "łódź", "lodz"]);
    expect(wordsOf("हिन्दी")).toEqual(["हिन्दी"]);
  });

  test("decomposed and full-width letters are the same words", () => {
    expect(wordsOf("cafe\u0301 ＡＢＣ soft\u00adhyphen")).toEqual(["café", "cafe", "abc", "softhyphen"]);
  });

  test("unspaced scripts are indexed by character and pair, apart from the letters beside them", () => {
    expect(analyzeDocument("猫カフェ2号 ok").words).toBe("2 ok");
    expect(termsOf("猫カフ")).toEqual(["猫", "カ", "フ", "猫カ", "カフ"]);
    expect(analyzeDocument("猫と猫").terms).toContain("'猫':1,2");
  });

  test.each([
    ["encoded data on one line", `${"QUJDREVGR0hJSktMTU5P/aZ9+".repeat(40_000)}==`],
    ["one long word", "a".repeat(1_000_000)],
    ["one long compound", "a/".repeat(500_000)],
    ["one long snake", "a_".repeat(500_000)],
    ["one long camel", "aB".repeat(500_000)],
    ["unspaced text", "日本語の文章".repeat(170_000)],
    ["quotes and backslashes", "'\\".repeat(500_000)],
  ])("a megabyte of %s stays within what a tsvector holds", (_, text) => {
    const { words, terms } = analyzeDocument(text);
    expect(Buffer.byteLength(words) + Buffer.byteLength(terms)).toBeLessThan(1_000_000);
    expect(Math.max(...words.split(" ").map((word) => Buffer.byteLength(word)))).toBeLessThan(2046);
  });

  test("words hold nothing that Postgres' parser or the tsvector syntax could act on", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        const { words, terms } = analyzeDocument(text);
        expect(words).toMatch(/^[\p{L}\p{N}\p{M} ]*$/u);
        expect(terms).not.toMatch(/\0/);
        expect(words.isWellFormed() && terms.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("lettersIn", () => {
  test.each([
    "Flutide 125, Straße, Ærø and the e-mail of İzmir",
    "call +43 660 123 45 67 or pay 12,500.00 EUR",
    "a re-\nadmission, getHTTPResponse, ERR_FAILED, C++, v2.3.1",
    "東京タワーに行った ｶﾞｷﾞ",
    "soft\u00adhyphen and zero\u200bwidth",
  ])("each word and term of a text is a part of its letters: %j", (text) => {
    const letters = lettersIn(text);
    for (const word of [...wordsOf(text), ...termsOf(text)]) expect(letters).toContain(lettersIn(word ?? ""));
  });

  test("of any text, too", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const letters = lettersIn(text);
        for (const word of [...wordsOf(text), ...termsOf(text)]) expect(letters).toContain(lettersIn(word ?? ""));
      }),
    );
  });
});

describe("analyzeQuery", () => {
  test("the whole name is a concept beside its parts, so that it adds to them", () => {
    expect(spellings("useState")).toEqual([["use"], ["state"], ["usestate"]]);
    expect(spellings("light.bedroom_lamp")).toEqual([
      ["light"],
      ["bedroom"],
      ["lamp"],
      ["bedroomlamp"],
      ["light.bedroom_lamp"],
    ]);
  });

  test("spellings with and without accents are one concept", () => {
    expect(spellings("café noir")).toEqual([["café", "cafe"], ["noir"]]);
  });

  test("umlauts are also asked for as they are typed without, and in German the reverse", () => {
    expect(spellings("Prüfung")).toEqual([["prüfung", "prufung", "pruefung"]]);
    expect(spellings("Pruefung value", "german")).toEqual([
      ["pruefung", "prufung"],
      ["value", "valu"],
    ]);
    expect(spellings("value")).toEqual([["value"]]);
  });

  test("unspaced runs ask for pairs, a lone character for itself", () => {
    expect(weights("カメラ 한국어")).toEqual({ カメ: 1, メラ: 1, 한국: 1, 국어: 1 });
    expect(weights("猫")).toEqual({ 猫: 1 });
    expect(weights("に")).toEqual({ に: 1 });
  });

  test("a pair with hiragana says little, a character of a word half, a character between kana is a word", () => {
    expect(weights("数据库")).toEqual({ 数据: 1, 据库: 1, 数: 0.5, 据: 0.5, 库: 0.5 });
    expect(weights("猫はいる")).toEqual({ 猫は: 0.25, はい: 0.25, いる: 0.25, 猫: 1 });
  });

  test("words that are common in the question's language, and not in the index's, say a quarter of what others say", () => {
    const common = { what: 0.25, is: 0.25, the: 0.25, colour: 1, of: 0.25, my: 0.25, dog: 1 };
    expect(weightsOfWords("What is the colour of my dog?", "german")).toEqual(common);
    // Postgres leaves out the words that are common in the index's own language.
    expect(weightsOfWords("What is the colour of my dog?")).toMatchObject({ what: 1, colour: 1, dog: 1 });
    expect(weightsOfWords("What is the colour of my dog?", "english", true)).toEqual(common);
    expect(weightsOfWords("Wie heisst der Hund von mir?")).toMatchObject({ wie: 0.25, der: 0.25, hund: 1, mir: 0.25 });
    expect(weightsOfWords("Hund Katze Lantern")).toEqual({ hund: 1, katze: 1, lantern: 1 });
  });

  test("a common word of one language is a word like others in a question of another", () => {
    // "die" is an article in German only.
    expect(weightsOfWords("When did the battery of my phone die?", "german")).toMatchObject({
      the: 0.25,
      die: 1,
      battery: 1,
    });
    expect(commonWords(["the", "battery", "of", "die"], ["german"])).toEqual(new Set(["the", "of"]));
    expect(commonWords([], ["english"])).toEqual(new Set());
  });

  test("operators, quotes and wildcards are text", () => {
    expect(spellings(`"foo" & !bar | (baz:*) <-> 'qux' %_\\`)).toEqual([["foo"], ["bar"], ["baz"], ["qux"]]);
  });

  test("repeated words ask once, long queries are bounded, empty ones ask nothing", () => {
    expect(spellings("dog Dog dog")).toEqual([["dog"]]);
    const long = Array.from({ length: 3000 }, (_, n) => `word${n}`).join(" ");
    expect(analyzeQuery(long, ["english"]).concepts.length).toBeLessThanOrEqual(128);
    expect(analyzeQuery(" \n?! ", ["english"]).concepts).toEqual([]);
  });

  test("every query finds the document with its text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const words = new Set(wordsOf(text));
        const terms = new Set(termsOf(text).map((term) => term?.replaceAll("''", "'")));
        for (const concept of analyzeQuery(text, ["simple"]).concepts) {
          // The first word is the word as written; the others are further spellings.
          for (const word of concept.words.slice(0, 1)) expect(words).toContain(word);
          for (const term of concept.exact) expect(terms).toContain(term);
        }
      }),
    );
  });
});
