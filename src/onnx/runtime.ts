import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import type { InferenceSession, Tensor } from "onnxruntime-common";

/** What runs graphs: native code, or WebAssembly. */
export interface Runtime {
  readonly kind: "native" | "wasm";
  /** @param graph a file, or its content */
  open(graph: string | Uint8Array): Promise<InferenceSession>;
  int64(data: BigInt64Array, shape: readonly number[]): Tensor;
  int32(data: Int32Array, shape: readonly number[]): Tensor;
}

/** It writes warnings about graphs to standard error in a form of its own, past the log; errors are thrown in any case. */
const QUIET = { logSeverityLevel: 4 as const };

/** What an installation without the native code does about it; without the variable its script fetches CUDA's libraries too. */
export const INSTALL_NATIVE = "`ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node@1` beside Recollect";

/**
 * onnxruntime as native code; rejects when the package is not installed or does not run on this machine.
 *
 * @param threads that one run may use
 */
export async function loadNative(threads: number): Promise<Runtime> {
  const ort = await import("onnxruntime-node");
  const options: InferenceSession.SessionOptions = {
    ...QUIET,
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Threads that spin between operators take the cores from the database and the event loop.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  };
  return {
    kind: "native",
    // The overloads do not take a union.
    open: (graph) =>
      typeof graph === "string"
        ? ort.InferenceSession.create(graph, options)
        : ort.InferenceSession.create(graph, options),
    int64: (data, shape) => new ort.Tensor("int64", data, shape),
    int32: (data, shape) => new ort.Tensor("int32", data, shape),
  };
}

/** What is taken of onnxruntime-web into the built package, by `scripts/pack-wasm.ts`: it is no dependency, as it is 148 MB. */
export const ENGINE_FILES = {
  module: "ort.node.min.mjs",
  glue: "ort-wasm-simd-threaded.mjs",
  engine: "ort-wasm-simd-threaded.wasm",
};
const ENGINE_FOLDER = new URL("./wasm/", import.meta.url);

/**
 * onnxruntime in WebAssembly: everywhere, one thread. With more threads it spins while it waits and is slower on a machine that
 * has other work.
 */
export async function loadWasm(): Promise<Runtime> {
  const ort = await importWasm();
  ort.env.wasm.numThreads = 1;
  return {
    kind: "wasm",
    open: (graph) =>
      typeof graph === "string" ? ort.InferenceSession.create(graph, QUIET) : ort.InferenceSession.create(graph, QUIET),
    int64: (data, shape) => new ort.Tensor("int64", data, shape),
    int32: (data, shape) => new ort.Tensor("int32", data, shape),
  };
}

async function importWasm(): Promise<typeof import("onnxruntime-web")> {
  const module = new URL(ENGINE_FILES.module, ENGINE_FOLDER);
  // Run from source, the package is there for developing.
  if (!existsSync(module)) return import("onnxruntime-web");
  const ort = (await import(module.href)) as typeof import("onnxruntime-web");
  ort.env.wasm.wasmBinary = brotliDecompressSync(readFileSync(new URL(`${ENGINE_FILES.engine}.br`, ENGINE_FOLDER)));
  return ort;
}

/** Which of the two are there. */
export function findRuntimes(): { native: boolean; wasm: boolean } {
  const wasm = existsSync(new URL(ENGINE_FILES.module, ENGINE_FOLDER)) || isInstalled("onnxruntime-web");
  return { native: isInstalled("onnxruntime-node"), wasm };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
