import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";

const FOLDER = join(tmpdir(), "recollect-bench-vectors");
const BATCH = 32;

/**
 * Returns the vectors that the built-in model gives to texts, 384 dimensions. Keeps them in the
 * folder of temporary files for the next run.
 */
export async function textVectors(texts: readonly string[]): Promise<Float32Array[]> {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  const file = join(FOLDER, `${hash.digest("hex").slice(0, 32)}.f32`);
  mkdirSync(FOLDER, { recursive: true });
  const embedder = new BuiltinEmbedder({ cacheDir: FOLDER });
  const { dimensions } = embedder;
  if (existsSync(file)) {
    const all = new Float32Array(new Uint8Array(readFileSync(file)).buffer);
    return texts.map((_, i) => all.subarray(i * dimensions, (i + 1) * dimensions));
  }
  // Texts of similar length share a batch, because the model pads each text to the longest.
  const order = texts.map((_, i) => i).sort((a, b) => (texts[a] ?? "").length - (texts[b] ?? "").length);
  const vectors: Float32Array[] = [];
  for (let from = 0; from < order.length; from += BATCH) {
    const batch = order.slice(from, from + BATCH);
    const embedded = await embedder.embed(
      batch.map((i) => texts[i] ?? ""),
      "document",
    );
    for (const [at, vector] of embedded.entries()) vectors[batch[at] ?? 0] = vector;
    if ((from / BATCH) % 100 === 0) console.error(`${from} of ${texts.length} texts embedded`);
  }
  await embedder.close();
  writeFileSync(
    `${file}.part`,
    Buffer.concat(vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))),
  );
  renameSync(`${file}.part`, file);
  return vectors;
}

const MIN_CHARS = 80;
const MAX_CHARS = 200;

/**
 * Reads passages and questions from folders. The passages are about `most` paragraphs, taken evenly
 * from the Markdown files and from the texts in each corpus.jsonl; the questions come from each
 * queries.jsonl.
 */
export function passagesOf(folders: readonly string[], most: number): { passages: string[]; questions: string[] } {
  const all: string[] = [];
  const questions: string[] = [];
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
      const read = () => readFileSync(join(folder, name), "utf8");
      const texts = () =>
        read()
          .split("\n")
          .filter(Boolean)
          .map((line) => (JSON.parse(line) as { text: string }).text);
      if (name.endsWith(".md")) all.push(...read().split(/\n\s*\n/));
      if (basename(name) === "corpus.jsonl") all.push(...texts().flatMap((text) => text.split(/(?<=\.) (?=[A-Z])/)));
      if (basename(name) === "queries.jsonl") questions.push(...texts());
    }
  const long = [...new Set(all.map((text) => text.trim().slice(0, MAX_CHARS)))].filter(
    ({ length }) => length >= MIN_CHARS,
  );
  const step = Math.max(1, long.length / most);
  return {
    passages: Array.from({ length: Math.min(most, long.length) }, (_, i) => long[Math.floor(i * step)] ?? ""),
    questions,
  };
}
