/**
 * Writes the vectors that a built-in model gives to texts, for comparing models:
 *
 *     RECOLLECT_MODELS_DIR=…
 *       node bench/embed-texts.ts <model> <query | document> <texts.jsonl> <vectors.f32>
 *
 * A line of the input file is a JSON string, or an object with a `text` and an optional `title`,
 * which is put on a line before the text. The output has the vectors as float32, one after the
 * other, in the order of the lines.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { openModel } from "./support/open-model.ts";

const BATCH = 32;

const [model = "", inputType, from = "", to = ""] = process.argv.slice(2);
if (to === "" || (inputType !== "query" && inputType !== "document")) throw new Error("See the top of the file.");

const texts = readFileSync(from, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => {
    const parsed = JSON.parse(line) as string | { title?: string; text: string };
    return typeof parsed === "string" ? parsed : [parsed.title, parsed.text].filter(Boolean).join("\n");
  });
const embedder = await openModel(model);
const begun = performance.now();
const vectors: Float32Array[] = [];
for (let at = 0; at < texts.length; at += BATCH)
  vectors.push(...(await embedder.embed(texts.slice(at, at + BATCH), inputType)));
await embedder.close();
writeFileSync(to, Buffer.concat(vectors.map((vector) => new Uint8Array(vector.buffer))));
console.error(
  `${texts.length} texts · ${embedder.dimensions} dimensions · ${Math.round(performance.now() - begun)} ms`,
);
