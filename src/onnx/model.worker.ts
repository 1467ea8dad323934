import { availableParallelism } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../base/errors.ts";
import { type Encoder, type ModelInput, openEncoder, type Slice, sliceTexts } from "./encoder.ts";
import type { LocatedModel } from "./locate-model.ts";
import { loadNative, loadWasm, type Runtime } from "./runtime.ts";
import { verifyFiles } from "./verify-files.ts";
import { createTokenCounter } from "./wordpiece-tokenizer.ts";

/** What the worker is started with. */
export interface ModelWorkerData {
  located: LocatedModel;
  cacheDir: string;
  /** For tests of the fallback. */
  forceWasm: boolean;
}

export interface ModelRequest {
  id: number;
  inputs: readonly ModelInput[];
  /** Overtakes tasks that are not urgent. */
  urgent: boolean;
}

export type WorkerMessage = ModelRequest | { cancel: number } | { close: true };

export type WorkerReply =
  | { type: "ready"; kind: Runtime["kind"]; problem?: string }
  /** Nothing is left to do. */
  | { type: "idle" }
  /** `tokens` as the model reads them, and how many inputs it reads only the beginning of. */
  | { type: "answer"; id: number; outputs: Float32Array[]; tokens: number; cutInputs: number }
  | { type: "error"; id: number; message: string }
  /** The thread ends; `rejected` means that the files are wrong, so a retry does not help. */
  | { type: "unusable"; message: string; rejected: boolean };

/** Measured on two cores: 15 texts a second with one thread, 28 with two. A small model gains little beyond eight. */
const MAX_THREADS = 8;

/** A text of so many characters that are words is cut in any case; what follows white space alone is hardly ever met. */
const MOST_COUNTED = 200_000;

interface Task extends ModelRequest {
  outputs: Float32Array[];
  /** The pending work; set when the model is loaded. */
  slices?: Slice[];
}

const { located, cacheDir, forceWasm } = workerData as ModelWorkerData;
const { model } = located;
const urgent: Task[] = [];
const patient: Task[] = [];
const cancelled = new Set<number>();
const encoder = load();
// The error is reported to each request.
encoder.catch(() => undefined);
/** The current work; undefined when there is none. */
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

/** Ends the thread when native code is done: neither loading the model nor computing can be cut short. */
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
    throw new Error(`Neither native code nor WebAssembly runs it here. ${problem} ${textOf(error)}`);
  }
}

function announce(loaded: Encoder, problem?: string): Encoder {
  reply({ type: "ready", kind: loaded.kind, ...(problem === undefined ? {} : { problem }) });
  return loaded;
}

/** Processes one slice at a time, urgent ones first: a query waits for a few short texts or one chunk, not for a batch. */
async function run(): Promise<void> {
  const loaded = await encoder.catch(giveUp);
  for (let task = next(); task; task = next()) {
    try {
      await encodeSlice(task, loaded);
      if (task.slices?.length === 0) finish(task, answerTo(task, loaded));
    } catch (error) {
      finish(task, { type: "error", id: task.id, message: textOf(error) });
    }
    // Messages that arrived meanwhile are read here: a query must overtake, a cancelled task must stop.
    await new Promise(setImmediate);
  }
  working = undefined;
  reply({ type: "idle" });
}

/** Without a model the thread ends. The next question starts another: the files may be there by then. */
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

/** With [CLS] and [SEP]. The part of a text beyond what the model reads is not counted. */
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
