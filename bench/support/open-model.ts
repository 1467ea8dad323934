import { tmpdir } from "node:os";
import { join } from "node:path";
import { BuiltinEmbedder } from "../../src/embeddings/builtin-embedder.ts";
import { locateModel } from "../../src/onnx/locate-model.ts";

/**
 * Opens an embedder of a built-in model, by its name in the model table. Its files come from
 * RECOLLECT_MODELS_DIR or a package.
 */
export async function openModel(name: string): Promise<BuiltinEmbedder> {
  const located = locateModel(name, "embedding", process.env.RECOLLECT_MODELS_DIR);
  const cacheDir = join(tmpdir(), "recollect-bench-vectors");
  return new BuiltinEmbedder({ cacheDir, located, onWarning: (message) => console.error(message) });
}
