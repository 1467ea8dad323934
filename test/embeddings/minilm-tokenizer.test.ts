import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Engine, loadNativeEngine, loadWasmEngine } from "../../src/embeddings/minilm-engine.ts";

// The WebAssembly engine holds the reference implementation of the tokenizer but does not show its tokens. Equal vectors
// of short texts are equal tokens: one other token moves the cosine by a thousandth and more.
let cacheDir: string;
let native: Engine;
let reference: Engine;
beforeAll(async () => {
  cacheDir = mkdtempSync(join(tmpdir(), "recollect-models-"));
  native = await loadNativeEngine(cacheDir, 1, 512);
  reference = await loadWasmEngine(512);
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
  const [mine] = await native.embed([text]);
  const [theirs] = await reference.embed([text]);
  const cosine = (mine ?? new Float32Array()).reduce((sum, value, i) => sum + value * (theirs?.[i] ?? 0), 0);
  expect(cosine).toBeGreaterThanOrEqual(0.999999);
});
