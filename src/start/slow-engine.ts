import type { Logger } from "../base/logger.ts";
import { findRuntimes, INSTALL_NATIVE } from "../onnx/runtime.ts";
import type { Runtime } from "./compose.ts";

/**
 * Warns at the start if the built-in model will run in WebAssembly, and says which package to
 * install.
 */
export function warnOfSlowEngine(
  { provider, model }: Runtime["embedding"],
  logger: Pick<Logger, "warn">,
  runtimes = findRuntimes(),
): void {
  if (provider !== "builtin" || runtimes.native) return;
  logger.warn(
    `The built-in model ${model} runs in WebAssembly, several times slower than native code. For native code, run ${INSTALL_NATIVE}.`,
  );
}
