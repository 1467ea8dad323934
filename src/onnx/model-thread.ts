import { Worker } from "node:worker_threads";
import type { AppError } from "../base/errors.ts";
import { workerFile } from "../base/worker-file.ts";
import type { ModelInput } from "./encoder.ts";
import type { LocatedModel } from "./locate-model.ts";
import type { ModelWorkerData, WorkerMessage, WorkerReply } from "./model.worker.ts";
import { switchTelemetryOff } from "./no-telemetry.ts";
import { findRuntimes } from "./runtime.ts";

interface ModelThreadOptions {
  located: LocatedModel;
  /** The folder that keeps the graphs made here between runs. */
  cacheDir: string;
  onWarning?: ((message: string) => void) | undefined;
  /** Whether WebAssembly is used even where native code runs. */
  forceWasm?: boolean | undefined;
  /** Creates the error of a request; `rejected` means that a retry does not help. */
  failure(message: string, rejected: boolean, cause?: unknown): AppError;
}

/** The outputs of a request, and its token counts. */
type ModelAnswer = Pick<Extract<WorkerReply, { type: "answer" }>, "outputs" | "tokens" | "cutInputs">;

interface Pending {
  resolve: (answer: ModelAnswer) => void;
  reject: (error: Error) => void;
}

/**
 * Runs a model in a worker thread: with native code where onnxruntime-node is installed and runs,
 * else with WebAssembly. The thread starts with the first request, starts again after a crash, and
 * does not keep an idle process alive.
 */
export class ModelThread {
  readonly #options: ModelThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #closing: Promise<void> | undefined;
  #nextId = 1;
  #warned = false;

  constructor(options: ModelThreadOptions) {
    this.#options = options;
  }

  /**
   * Sends a request to the thread.
   *
   * @param urgent whether the request overtakes requests that are not urgent
   * @throws AppError the error that `failure` makes, or the abort reason of `signal`
   */
  ask(inputs: readonly ModelInput[], urgent: boolean, signal?: AbortSignal): Promise<ModelAnswer> {
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
        resolve: (answer) => {
          done();
          resolve(answer);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      worker.ref();
      worker.postMessage({ id, inputs, urgent } satisfies WorkerMessage);
    });
  }

  /**
   * Rejects pending requests and ends the thread after its current input: at most a few hundred
   * milliseconds.
   */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker) {
      this.#lose(worker, this.#ended());
      // Not terminate(): onnxruntime aborts the whole process if its thread is terminated while it
      // computes.
      this.#closing = new Promise((resolve) => worker.once("exit", () => resolve()));
      worker.ref();
      worker.postMessage({ close: true } satisfies WorkerMessage);
    }
    await this.#closing;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const { located, cacheDir, forceWasm = false } = this.#options;
    switchTelemetryOff();
    const workerData: ModelWorkerData = { located, cacheDir, forceWasm };
    const worker = new Worker(workerFile("model.worker", import.meta.url), { workerData });
    worker.on("message", (reply: WorkerReply) => this.#receive(worker, reply));
    worker.on("error", (cause) => this.#lose(worker, this.#ended(cause)));
    worker.on("exit", () => this.#lose(worker, this.#ended()));
    this.#worker = worker;
    return worker;
  }

  #receive(worker: Worker, reply: WorkerReply): void {
    if (reply.type === "ready") {
      // When onnxruntime-node is not installed, start/slow-engine.ts reports it at the start.
      if (reply.problem !== undefined && !this.#warned && findRuntimes().native) {
        this.#warned = true;
        this.#options.onWarning?.(
          `${this.#title} uses WebAssembly, several times slower: onnxruntime-node is installed and does not run here. ${reply.problem}`,
        );
      }
    } else if (reply.type === "idle") {
      // Waits for the reply `idle`, not only until no request is pending: after an abort the thread
      // still computes, and the process must not end before it stops.
      if (worker === this.#worker && this.#pending.size === 0) worker.unref();
    } else if (reply.type === "answer") this.#settle(reply.id)?.resolve(reply);
    else {
      const rejected = reply.type === "unusable" && reply.rejected;
      const error = this.#options.failure(
        rejected ? reply.message : `${this.#title} failed: ${reply.message}`,
        rejected,
      );
      if (reply.type === "error") this.#settle(reply.id)?.reject(error);
      else this.#lose(worker, error);
    }
  }

  get #title(): string {
    return `The model ${this.#options.located.model.name}`;
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #ended(cause?: unknown): AppError {
    return this.#options.failure(`${this.#title} ended its thread; try again.`, false, cause);
  }

  #lose(worker: Worker, error: AppError): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
  }
}
