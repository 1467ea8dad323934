import { availableParallelism } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { EmbedInputType } from "./embedder.ts";
import { countTokens } from "./input-limit.ts";
import { type Engine, loadNativeEngine, loadWasmEngine, MAX_TOKENS } from "./minilm-engine.ts";
import { type Slice, sliceTexts } from "./slice-texts.ts";

/** What the worker is started with. */
export interface BuiltinWorkerData {
  cacheDir: string;
  /** For tests of the fallback. */
  forceWasm: boolean;
}

export interface EmbedMessage {
  id: number;
  texts: readonly string[];
  inputType: EmbedInputType;
}

export type WorkerMessage = EmbedMessage | { cancel: number } | { close: true };

export type WorkerReply =
  | { type: "ready"; kind: Engine["kind"]; problem?: string }
  /** Nothing is left to do. */
  | { type: "idle" }
  /** `tokens` as the model reads them, and how many texts it reads only the beginning of. */
  | { type: "vectors"; id: number; vectors: Float32Array[]; tokens: number; cutTexts: number }
  | { type: "error"; id: number; message: string };

/** Measured on two cores: 15 texts a second with one thread, 28 with two. A small model gains little beyond eight. */
const MAX_THREADS = 8;

/** A text of so many characters that are words is cut in any case; what follows white space alone is hardly ever met. */
const MOST_COUNTED = 200_000;

interface Task extends EmbedMessage {
  vectors: Float32Array[];
  /** What is still to do; set when the engine is known. */
  slices?: Slice[];
}

const { cacheDir, forceWasm } = workerData as BuiltinWorkerData;
const queries: Task[] = [];
const documents: Task[] = [];
const cancelled = new Set<number>();
const engine = load();
/** The work under way; undefined when there is none. */
let working: Promise<void> | undefined;

const reply = (message: WorkerReply) => parentPort?.postMessage(message);

parentPort?.on("message", (message: WorkerMessage) => {
  if ("close" in message) void close();
  else if ("cancel" in message) cancelled.add(message.cancel);
  else {
    (message.inputType === "query" ? queries : documents).push({ ...message, vectors: [] });
    working ??= run();
  }
});

/** Ends the thread when native code is done: neither loading the model nor computing can be cut short. */
async function close(): Promise<void> {
  for (const task of [...queries, ...documents]) cancelled.add(task.id);
  await Promise.allSettled([engine, working]);
  process.exit();
}

async function load(): Promise<Engine> {
  if (forceWasm) return announce(await loadWasmEngine(MAX_TOKENS));
  try {
    return announce(await loadNativeEngine(cacheDir, Math.min(MAX_THREADS, availableParallelism()), MAX_TOKENS));
  } catch (error) {
    return announce(await loadWasmEngine(MAX_TOKENS), error instanceof Error ? error.message : String(error));
  }
}

function announce(loaded: Engine, problem?: string): Engine {
  reply({ type: "ready", kind: loaded.kind, ...(problem === undefined ? {} : { problem }) });
  return loaded;
}

/** Works off one slice at a time, queries first: a query waits for a few short texts or one chunk, not for a batch. */
async function run(): Promise<void> {
  // Outside the try below: without an engine this thread must end, so that the next call starts another.
  const loaded = await engine;
  for (let task = next(); task; task = next()) {
    try {
      await embedSlice(task, loaded);
      if (task.slices?.length === 0) finish(task, answerTo(task));
    } catch (error) {
      finish(task, { type: "error", id: task.id, message: error instanceof Error ? error.message : String(error) });
    }
    // Messages that arrived meanwhile are read here: a query must overtake, a cancelled task must stop.
    await new Promise(setImmediate);
  }
  working = undefined;
  reply({ type: "idle" });
}

function answerTo({ id, texts, vectors }: Task): WorkerReply {
  const counts = texts.map(tokensOf);
  const tokens = counts.reduce((sum, count) => sum + Math.min(count, MAX_TOKENS), 0);
  return { type: "vectors", id, vectors, tokens, cutTexts: counts.filter((count) => count > MAX_TOKENS).length };
}

/** With [CLS] and [SEP]. Of a text that is longer than any that the model reads, no more than that is counted. */
function tokensOf(text: string): number {
  return countTokens({ counter: "minilm" })(text.slice(0, MOST_COUNTED)) + 2;
}

async function embedSlice(task: Task, loaded: Engine): Promise<void> {
  task.slices ??= sliceTexts(task.texts, loaded.slice);
  const slice = task.slices.shift() ?? [];
  const vectors = await loaded.embed(slice.map((position) => task.texts[position] ?? ""));
  for (const [i, position] of slice.entries()) task.vectors[position] = vectors[i] ?? new Float32Array();
}

function next(): Task | undefined {
  for (const list of [queries, documents]) {
    while (list[0] && cancelled.delete(list[0].id)) list.shift();
    if (list[0]) return list[0];
  }
  return undefined;
}

function finish(task: Task, message: WorkerReply): void {
  const list = task.inputType === "query" ? queries : documents;
  list.splice(list.indexOf(task), 1);
  cancelled.delete(task.id);
  reply(message);
}
