/**
 * Compares built-in models: texts of about 256 tokens a second, milliseconds a query, memory, and
 * how close the 8-bit versions come to the exact ones.
 *
 *     RECOLLECT_MODELS_DIR=… node bench/builtin-models.ts [--wasm] [model …]
 *
 * Calls the models in turn in one process, so that other work on the machine slows all of them
 * alike, and prints medians. The processor time of a text hardly depends on other work. Memory is
 * measured in a separate process for each model.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BuiltinEmbedder } from "../src/embeddings/builtin-embedder.ts";
import { countTokens, inputLimitOf } from "../src/embeddings/model-input.ts";
import { isHere, locateModel } from "../src/onnx/locate-model.ts";
import { MODEL_TABLE } from "../src/onnx/model-table.ts";

const ROUNDS = 15;
const TEXTS = 8;
const TOKENS = 256;
/** The number of texts whose vectors are compared. */
const COMPARED = 40;
const modelsDir = process.env.RECOLLECT_MODELS_DIR;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wasm: { type: "boolean", default: false }, memory: { type: "string" } },
});

const open = (name: string) =>
  new BuiltinEmbedder({
    cacheDir: join(tmpdir(), "recollect-bench-vectors"),
    located: locateModel(name, "embedding", modelsDir),
    forceWasm: values.wasm,
  });
const median = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
const dot = (a: Float32Array, b: Float32Array | undefined) =>
  a.reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0);

const linesOf = (file: string) =>
  readFileSync(new URL(`../test/data/sets/${file}`, import.meta.url), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { text: string }).text);

/** Joins passages of the sets into texts of the wanted number of tokens. */
function textsOf(embedder: BuiltinEmbedder): string[] {
  const count = countTokens(inputLimitOf(embedder));
  const passages = linesOf("code/corpus.jsonl");
  const texts: string[] = [];
  let text = "";
  for (const passage of [...passages, ...passages, ...passages]) {
    text += `${passage}\n`;
    if (count(text) < TOKENS - 20) continue;
    while (count(text) > TOKENS) text = text.slice(0, -10);
    texts.push(text);
    text = "";
  }
  return texts;
}

interface Timed {
  ms: number;
  /** The processor time of all threads. The process does nothing else meanwhile. */
  cpuMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - begun, cpuMs: (user + system) / 1000 };
}

async function memoryOf(name: string): Promise<void> {
  const embedder = open(name);
  const texts = textsOf(embedder);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 3; i++) await embedder.embed(texts.slice(0, TEXTS), "document");
  console.log(Math.round((process.memoryUsage().rss - before) / 1e6));
  await embedder.close();
}

function memoryOfProcess(name: string): string {
  const more = values.wasm ? ["--wasm"] : [];
  const run = () => execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--memory", name, ...more]);
  // The graph is already in the cache. Making it takes more memory than running it.
  return run().toString().trim();
}

async function compare(names: readonly string[]): Promise<void> {
  const models = names.map((name) => ({ name, embedder: open(name), batch: [] as Timed[], query: [] as Timed[] }));
  const [first] = models;
  if (!first) throw new Error("No model is here.");
  const texts = textsOf(first.embedder);
  const questions = linesOf("code/queries.jsonl");
  const vectors = new Map<string, Float32Array[]>();
  for (const { name, embedder } of models)
    vectors.set(name, await embedder.embed(texts.slice(0, COMPARED), "document"));
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: TEXTS }, (_, i) => texts[(round * TEXTS + i) % texts.length] ?? "");
    for (const { embedder, batch: times } of models) times.push(await timed(() => embedder.embed(batch, "document")));
    for (let i = 0; i < 4; i++) {
      const question = questions[(round * 4 + i) % questions.length] ?? "";
      for (const { embedder, query } of models) query.push(await timed(() => embedder.embed([question], "query")));
    }
  }
  console.log(
    "| model | texts/s | CPU ms a text | times the first | ms a query: wall / CPU | MB | cosine with exact: mean, least |\n|---|---|---|---|---|---|---|",
  );
  for (const { name, embedder, batch, query } of models) {
    const cpuMs = median(batch.map((call) => call.cpuMs)) / TEXTS;
    const ratio = cpuMs / (median(first.batch.map((call) => call.cpuMs)) / TEXTS);
    const exact = vectors.get(name.replace(/-int8$/, "")) ?? [];
    const near = (vectors.get(name) ?? []).map((vector, i) => dot(vector, exact[i]));
    const cosines = name.endsWith("-int8")
      ? `${(near.reduce((sum, value) => sum + value, 0) / near.length).toFixed(4)}, ${Math.min(...near).toFixed(4)}`
      : "–";
    const speed = ((1000 * TEXTS) / median(batch.map((call) => call.ms))).toFixed(1);
    const queryMs = median(query.map((call) => call.ms)).toFixed(1);
    const queryCpuMs = median(query.map((call) => call.cpuMs)).toFixed(1);
    await embedder.close();
    console.log(
      `| ${name} | ${speed} | ${cpuMs.toFixed(0)} | ${ratio.toFixed(2)} | ${queryMs} / ${queryCpuMs} | ${memoryOfProcess(name)} | ${cosines} |`,
    );
  }
}

const here = MODEL_TABLE.filter((model) => model.kind === "embedding" && isHere(model, modelsDir));
if (values.memory !== undefined) await memoryOf(values.memory);
else await compare(positionals.length > 0 ? positionals : here.map(({ name }) => name));
