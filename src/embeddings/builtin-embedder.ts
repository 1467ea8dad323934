import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { AppError } from "../base/errors.ts";
import type { BuiltinWorkerData, WorkerMessage, WorkerReply } from "./builtin.worker.ts";
import { INSTALL_NATIVE } from "./builtin-files.ts";
import type { Embedder, EmbedInputType, EmbedReport } from "./embedder.ts";
import { cutWarning } from "./input-limits.ts";
import { MAX_TOKENS } from "./minilm-engine.ts";

export const BUILTIN_MODEL = "all-MiniLM-L6-v2";

export interface BuiltinOptions {
  /** Where the compiled graph is kept between runs. */
  cacheDir: string;
  onWarning?: ((message: string) => void) | undefined;
  /** Uses the WebAssembly engine even where the native one runs. */
  forceWasm?: boolean;
}

/** What the thread made of texts. */
type Embedded = Pick<Extract<WorkerReply, { type: "vectors" }>, "vectors" | "tokens" | "cutTexts">;

interface Pending {
  resolve: (embedded: Embedded) => void;
  reject: (error: Error) => void;
}

/**
 * all-MiniLM-L6-v2 in a worker thread: no key, no network. Native code when onnxruntime-node is installed and runs here,
 * WebAssembly otherwise; both give the same vectors (cosine ≥ 0.9999998). The thread starts with the first text, starts
 * anew after a crash, and does not keep an idle process alive.
 */
export class BuiltinEmbedder implements Embedder {
  readonly provider: string = "builtin";
  readonly model: string = BUILTIN_MODEL;
  readonly dimensions: number = 384;
  readonly providerKey: string = "builtin";
  readonly maxBatchTexts: number = 32;
  readonly maxInputTokens: number = MAX_TOKENS;
  readonly #options: BuiltinOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #closing: Promise<void> | undefined;
  #nextId = 1;
  #warned = false;

  constructor(options: BuiltinOptions) {
    this.#options = options;
  }

  async embed(
    texts: readonly string[],
    inputType: EmbedInputType,
    signal?: AbortSignal,
    report?: EmbedReport,
  ): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    const { vectors, tokens, cutTexts } = await this.#ask(texts, inputType, signal);
    if (cutTexts > 0) this.#options.onWarning?.(cutWarning(cutTexts, BUILTIN_MODEL, MAX_TOKENS));
    report?.({ tokens, cutTexts });
    return vectors;
  }

  #ask(texts: readonly string[], inputType: EmbedInputType, signal?: AbortSignal): Promise<Embedded> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const worker = this.#start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const abort = () => {
        worker.postMessage({ cancel: id } satisfies WorkerMessage);
        this.#settle(id)?.reject(signal?.reason as Error);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const done = () => signal?.removeEventListener("abort", abort);
      this.#pending.set(id, {
        resolve: (embedded) => {
          done();
          resolve(embedded);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      worker.ref();
      worker.postMessage({ id, texts, inputType } satisfies WorkerMessage);
    });
  }

  /** Rejects what is under way and ends the thread, after the one text it may be at: at most a few hundred milliseconds. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker) {
      this.#lose(worker, undefined);
      // Not terminate(): onnxruntime aborts the whole process when its thread is ended while it computes.
      this.#closing = new Promise((resolve) => worker.once("exit", () => resolve()));
      worker.ref();
      worker.postMessage({ close: true } satisfies WorkerMessage);
    }
    await this.#closing;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const { cacheDir, forceWasm = false } = this.#options;
    const workerData: BuiltinWorkerData = { cacheDir, forceWasm };
    // The worker is .ts when run from source and .js when run from dist; so is this file.
    const worker = new Worker(new URL(`./builtin.worker${extname(import.meta.url)}`, import.meta.url), { workerData });
    worker.on("message", (reply: WorkerReply) => this.#receive(worker, reply));
    worker.on("error", (cause) => this.#lose(worker, cause));
    worker.on("exit", () => this.#lose(worker, undefined));
    this.#worker = worker;
    return worker;
  }

  #receive(worker: Worker, reply: WorkerReply): void {
    if (reply.type === "ready") {
      if (reply.problem !== undefined && !this.#warned) {
        this.#warned = true;
        this.#options.onWarning?.(
          `The built-in model uses WebAssembly, about ten times slower than onnxruntime-node, which does not run here; if it is not installed: ${INSTALL_NATIVE}. ${reply.problem}`,
        );
      }
    } else if (reply.type === "idle") {
      // Not as soon as nothing is awaited: after an abort it still computes, and the process must not end meanwhile.
      if (worker === this.#worker && this.#pending.size === 0) worker.unref();
    } else if (reply.type === "vectors") this.#settle(reply.id)?.resolve(reply);
    else
      this.#settle(reply.id)?.reject(
        new AppError("embedder_unavailable", `The built-in model failed: ${reply.message}`),
      );
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const id of [...this.#pending.keys()]) {
      this.#settle(id)?.reject(
        new AppError("embedder_unavailable", "The built-in model's thread ended; try again.", { cause }),
      );
    }
  }
}
