import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../base/errors.ts";
import { findModels, remedyFor } from "../../onnx/locate-model.ts";
import { DEFAULT_EMBEDDING_MODEL, MODEL_TABLE } from "../../onnx/model-table.ts";
import { findRuntimes, INSTALL_NATIVE } from "../../onnx/runtime.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

/**
 * The least free room. An empty embedded database takes 40 MB, and the built-in model's compiled
 * graph takes 90 MB.
 */
const LEAST_FREE_BYTES = 200_000_000;
const LITTLE_FREE_BYTES = 1_000_000_000;

/**
 * Checks the built-in models of this machine, which need no key, and their runtime.
 *
 * @param modelsDir RECOLLECT_MODELS_DIR
 */
export function diagnoseModel(modelsDir?: string, runtimes = findRuntimes()): Finding {
  let here: string[];
  try {
    here = findModels(modelsDir).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return warning(
      "model",
      error.message,
      "Correct the file or folder that the message names, or unset RECOLLECT_MODELS_DIR.",
    );
  }
  const usual = MODEL_TABLE.find(({ name }) => name === DEFAULT_EMBEDDING_MODEL);
  if (usual && !here.includes(usual.name))
    return warning(
      "model",
      `The built-in model ${usual.name} is not installed.`,
      `To install it, ${remedyFor(usual)}; or name another provider with RECOLLECT_PROVIDER.`,
    );
  const models = `Built-in models on this machine: ${here.join(", ")};`;
  if (runtimes.native) return ok("model", `${models} native code runs them.`);
  if (runtimes.wasm)
    return warning("model", `${models} WebAssembly runs them, several times slower.`, `Run ${INSTALL_NATIVE}.`);
  return warning("model", `${models} the package that runs them is not installed.`, `Run ${INSTALL_NATIVE}.`);
}

/** Returns the free bytes of the disk that a folder is on. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Checks whether a folder can be written to and its disk has room.
 *
 * @param use what the folder is for
 * @param folder need not exist yet
 */
export async function diagnoseDisk(use: string, folder: string, freeBytes = freeBytesOf): Promise<Finding> {
  const existing = await nearestExisting(resolve(folder));
  try {
    await access(existing, constants.W_OK);
  } catch {
    return failed(
      "disk",
      `${existing} cannot be written to, and ${use} belongs there.`,
      "Correct the folder's permissions, or name another folder.",
    );
  }
  const free = await freeBytes(existing);
  const text = `${use} (${folder}): ${Math.floor(free / 1_000_000)} MB are free.`;
  const remedy = "Make room, or name a folder on another disk (RECOLLECT_DATA_DIR, RECOLLECT_CACHE_DIR).";
  if (free < LEAST_FREE_BYTES) return failed("disk", text, remedy);
  return free < LITTLE_FREE_BYTES ? warning("disk", text, remedy) : ok("disk", text);
}

async function nearestExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const isThere = await access(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "ENOENT" && error.code !== "ENOTDIR",
    );
    if (isThere || dirname(at) === at) return at;
  }
}

/** Warns if the folder for archives, which workers never create, cannot be written to. */
export async function diagnoseExports(folder: string | undefined): Promise<Finding[]> {
  if (folder === undefined) return [];
  try {
    // A file cannot be entered like a folder.
    await access(join(folder, "."), constants.W_OK);
    return [];
  } catch {
    return [
      warning(
        "disk",
        `The folder of RECOLLECT_EXPORT_DIR, ${folder}, does not exist or is not writable, so workers write no archives.`,
        "Make the folder or mount its share, writable for the workers.",
      ),
    ];
  }
}
