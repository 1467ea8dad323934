import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import type * as Engine from "onnxruntime-common";
import type { InferenceSession, Tensor } from "onnxruntime-common";
import { requireNoTelemetry, switchTelemetryOff } from "./no-telemetry.ts";

/** The engine that runs graphs: native code or WebAssembly. */
export interface Runtime {
  readonly kind: "native" | "wasm";
  /** @param graph the path of a file, or its content */
  open(graph: string | Uint8Array): Promise<InferenceSession>;
  int64(data: BigInt64Array, shape: readonly number[]): Tensor;
  int32(data: Int32Array, shape: readonly number[]): Tensor;
}

/**
 * Options that silence onnxruntime's warnings about graphs, which go to standard error instead of
 * the log. Errors are thrown in any case.
 */
const QUIET = { logSeverityLevel: 4 as const };

/**
 * The command that installs the native code. Without the variable, the install script also fetches
 * CUDA's libraries.
 */
export const INSTALL_NATIVE = "`ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node@1` beside Recollect";

/**
 * Loads onnxruntime as native code. Rejects when the package is not installed, does not run on this
 * machine, or would send telemetry.
 *
 * @param threads the threads that one run may use
 */
export async function loadNative(threads: number): Promise<Runtime> {
  switchTelemetryOff();
  requireNoTelemetry();
  // The name is no literal, because the compiler has the package's types only where it is installed.
  const name: string = "onnxruntime-node";
  const ort = (await import(name)) as typeof Engine;
  const options: InferenceSession.SessionOptions = {
    ...QUIET,
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Threads that spin between operators would take cores from the database and the event loop.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  };
  return {
    kind: "native",
    // Two calls, because the overloads do not take a union.
    open: (graph) =>
      typeof graph === "string"
        ? ort.InferenceSession.create(graph, options)
        : ort.InferenceSession.create(graph, options),
    int64: (data, shape) => new ort.Tensor("int64", data, shape),
    int32: (data, shape) => new ort.Tensor("int32", data, shape),
  };
}

/**
 * The files of onnxruntime-web that `scripts/pack-wasm.ts` puts into the built package. The whole
 * of onnxruntime-web has 148 MB, so it is not a dependency.
 */
export const ENGINE_FILES = {
  module: "ort.node.min.mjs",
  glue: "ort-wasm-simd-threaded.mjs",
  engine: "ort-wasm-simd-threaded.wasm",
};
/** The packed files. They are found in the build from the source too, as in a clone. */
const ENGINE_FOLDER = new URL("../../dist/onnx/wasm/", import.meta.url);

/**
 * Loads onnxruntime in WebAssembly, which runs everywhere, with one thread. More threads spin while
 * they wait, and are slower on a machine with other work.
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

async function importWasm(): Promise<typeof Engine> {
  const ort = (await import(new URL(ENGINE_FILES.module, ENGINE_FOLDER).href)) as typeof Engine;
  ort.env.wasm.wasmBinary = brotliDecompressSync(readFileSync(new URL(`${ENGINE_FILES.engine}.br`, ENGINE_FOLDER)));
  return ort;
}

/** Returns which of the two runtimes are installed. */
export function findRuntimes(): { native: boolean; wasm: boolean } {
  return { native: isInstalled("onnxruntime-node"), wasm: existsSync(new URL(ENGINE_FILES.module, ENGINE_FOLDER)) };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
