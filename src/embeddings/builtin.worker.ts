import { availableParallelism } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { EmbedInputType } from "./embedder.ts";
import { type Engine, loadNativeEngine, loadWasmEngine, MAX_TOKENS } from "./minilm-engine.ts";

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
  | { type: "vectors"; id: number; vectors: Float32Array[] }
  | { type: "error"; id: number; message: string };

/** Measured on two cores: 15 texts a second with one thread, 28 with two. A small model gains little beyond eight. */
const MAX_THREADS = 8;

interface Task extends EmbedMessage {
  vectors: Float32Array[];
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

/**
 * Works off one text at a time, queries first: a batch of one is as fast as a padded batch of eight on a CPU, and a query
 * then waits for one text and not for a hundred.
 */
async function run(): Promise<void> {
  for (let task = next(); task; task = next()) {
    try {
      const [vector] = await (await engine).embed([task.texts[task.vectors.length] ?? ""]);
      if (vector) task.vectors.push(vector);
      if (task.vectors.length === task.texts.length)
        finish(task, { type: "vectors", id: task.id, vectors: task.vectors });
    } catch (error) {
      finish(task, { type: "error", id: task.id, message: error instanceof Error ? error.message : String(error) });
    }
    // Messages that arrived meanwhile are read here: a query must overtake, a cancelled task must stop.
    await new Promise(setImmediate);
  }
  working = undefined;
  reply({ type: "idle" });
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
