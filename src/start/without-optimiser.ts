import { setFlagsFromString } from "node:v8";
import type { Config } from "../config/config.ts";
import { databaseBytes } from "../db/database-folder.ts";
import { findRuntimes } from "../onnx/runtime.ts";

/** The size of an embedded database, in bytes, from which a server optimises its code. */
const LARGE = 64 * 2 ** 20;

/**
 * Switches V8's optimiser of WebAssembly off in this process, if the embedded database is small or
 * the process makes few requests. One function of Postgres takes 600 MB while it is optimised, which
 * begins in the first seconds, and all of them take as much processor time as thousands of
 * searches. With the optimiser, statements take two thirds of the time, which counts for a large
 * database. Without the second flag V8 optimises all of the code at once. The flags hold for the
 * whole process, and a model that runs in WebAssembly needs the optimisation, so they are set only if
 * the models run natively.
 *
 * @param isBrief whether the process makes few requests and then ends
 */
export function goWithoutOptimiser({ databaseUrl, dataDir }: Config, isBrief: boolean): void {
  if (databaseUrl !== undefined || !findRuntimes().native) return;
  if (isBrief || databaseBytes(dataDir) < LARGE) setFlagsFromString("--no-wasm-tier-up --no-wasm-dynamic-tiering");
}
