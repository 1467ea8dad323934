import { availableParallelism } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../base/errors.ts";
import { type Encoder, type ModelInput, openEncoder, type Slice, sliceTexts } from "./encoder.ts";
import type { LocatedModel } from "./locate-model.ts";
import { loadNative, loadWasm, type Runtime } from "./runtime.ts";
import { verifyFiles } from "./verify-files.ts";
import { createTokenCounter } from "./wordpiece-tokenizer.ts";

/** The data that the worker is started with. */
export interface ModelWorkerData {
  located: LocatedModel;
  cacheDir: string;
  /** Whether WebAssembly is used in any case; for tests of the fallback. */
  forceWasm: boolean;
}

export interface ModelRequest {
  id: number;
  inputs: readonly ModelInput[];
  /** Whether the request overtakes requests that are not urgent. */
  urgent: boolean;
}

export type WorkerMessage = ModelRequest | { cancel: number } | { close: true };

export type WorkerReply =
  | { type: "ready"; kind: Runtime["kind"]; problem?: string }
  /** No work is left. */
  | { type: "idle" }
  /**
   * The outputs; `tokens` as the model reads them; `cutInputs`, the number of inputs whose end the
   * model does not read.
   */
  | { type: "answer"; id: number; outputs: Float32Array[]; tokens: number; cutInputs: number }
  | { type: "error"; id: number; message: string }
  /** The thread ends. `rejected` means that the files are wrong, so a retry does not help. */
  | { type: "unusable"; message: string; rejected: boolean };

/**
 * The most threads of one run. Measured on two cores: 15 texts a second with one thread, 28 with
 * two. A small model gains little beyond eight.
 */
const MAX_THREADS = 8;

/**
 * The most characters of a text whose tokens are counted. A text with this many characters of words
 * is cut by the model in any case; text after this much white space is very rare.
 */
const MOST_COUNTED = 200_000;

interface Task extends ModelRequest {
  outputs: Float32Array[];
  /** The slices that are still to be encoded; set when the model is loaded. */
  slices?: Slice[];
}

const { located, cacheDir, forceWasm } = workerData as ModelWorkerData;
const { model } = located;
const urgent: Task[] = [];
const patient: Task[] = [];
const cancelled = new Set<number>();
const encoder = load();
// Each request gets the error, so it is not also an unhandled rejection.
encoder.catch(() => undefined);
/** The running loop; undefined when there is no work. */
let working: Promise<void> | undefined;

const reply = (message: WorkerReply) => parentPort?.postMessage(message);
let count: ReturnType<typeof createTokenCounter> | undefined;

parentPort?.on("message", (message: WorkerMessage) => {
  if ("close" in message) void close();
  else if ("cancel" in message) cancelled.add(message.cancel);
  else {
    (message.urgent ? urgent : patient).push({ ...message, outputs: [] });
    working ??= run();
  }
});

/**
 * Ends the thread once native code is done, because neither loading the model nor computing can be
 * interrupted.
 */
async function close(): Promise<void> {
  for (const task of [...urgent, ...patient]) cancelled.add(task.id);
  await Promise.allSettled([encoder, working]);
  process.exit();
}

async function load(): Promise<Encoder> {
  await verifyFiles(located);
  let problem: string | undefined;
  if (!forceWasm) {
    try {
      const runtime = await loadNative(Math.min(MAX_THREADS, availableParallelism()));
      return announce(await openEncoder(located, runtime, cacheDir));
    } catch (error) {
      problem = textOf(error);
    }
  }
  try {
    return announce(await openEncoder(located, await loadWasm(), cacheDir), problem);
  } catch (error) {
    if (problem === undefined) throw error;
    throw new Error(`Neither native code nor WebAssembly can run the model here. ${problem} ${textOf(error)}`);
  }
}

function announce(loaded: Encoder, problem?: string): Encoder {
  reply({ type: "ready", kind: loaded.kind, ...(problem === undefined ? {} : { problem }) });
  return loaded;
}

/**
 * Processes one slice at a time, urgent tasks first. A query waits for a few short texts or one
 * chunk, not for a whole batch.
 */
async function run(): Promise<void> {
  const loaded = await encoder.catch(giveUp);
  for (let task = next(); task; task = next()) {
    try {
      await encodeSlice(task, loaded);
      if (task.slices?.length === 0) finish(task, answerTo(task, loaded));
    } catch (error) {
      finish(task, { type: "error", id: task.id, message: textOf(error) });
    }
    // Lets messages arrive between slices, so that a query can overtake and a cancelled task stops.
    await new Promise(setImmediate);
  }
  working = undefined;
  reply({ type: "idle" });
}

/**
 * Ends the thread, which has no model. The next request starts another thread; the files may exist
 * by then.
 */
function giveUp(error: unknown): never {
  reply({ type: "unusable", message: textOf(error), rejected: error instanceof AppError });
  return process.exit();
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function answerTo({ id, inputs, outputs }: Task, { tokenizer }: Encoder): WorkerReply {
  count ??= createTokenCounter(tokenizer);
  const counts = inputs.map(tokensOf);
  const tokens = counts.reduce((sum, tokenCount) => sum + Math.min(tokenCount, model.maxTokens), 0);
  const cutInputs = counts.filter((tokenCount) => tokenCount > model.maxTokens).length;
  return { type: "answer", id, outputs, tokens, cutInputs };
}

/**
 * Counts an input's tokens with [CLS] and [SEP]. Characters beyond `MOST_COUNTED` are not counted.
 */
function tokensOf(input: ModelInput): number {
  const counts = [input].flat().map((text) => (count?.(text.slice(0, MOST_COUNTED)) ?? 0) + 1);
  return counts.reduce((sum, tokens) => sum + tokens, 1);
}

async function encodeSlice(task: Task, loaded: Encoder): Promise<void> {
  task.slices ??= sliceTexts(
    task.inputs.map((input) => (typeof input === "string" ? input : input.join(" "))),
    loaded.slice,
  );
  const slice = task.slices.shift() ?? [];
  const outputs = await loaded.encode(slice.map((position) => task.inputs[position] ?? ""));
  for (const [i, position] of slice.entries()) task.outputs[position] = outputs[i] ?? new Float32Array();
}

function next(): Task | undefined {
  for (const list of [urgent, patient]) {
    while (list[0] && cancelled.delete(list[0].id)) list.shift();
    if (list[0]) return list[0];
  }
  return undefined;
}

function finish(task: Task, message: WorkerReply): void {
  const list = task.urgent ? urgent : patient;
  list.splice(list.indexOf(task), 1);
  cancelled.delete(task.id);
  reply(message);
}
