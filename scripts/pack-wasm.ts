/**
 * Puts onnxruntime's WebAssembly beside the built code: three files of onnxruntime-web, with the
 * engine compressed. As a dependency, the package would bring engines for browsers and a dependency
 * with an install script: 148 MB instead of 2.5.
 * Runs in `npm run build`.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { ENGINE_FILES } from "../src/onnx/runtime.ts";

/** The Brotli quality. The next quality takes three times as long and saves a tenth. */
const QUALITY = 9;

const from = dirname(createRequire(import.meta.url).resolve("onnxruntime-web"));
const to = join(import.meta.dirname, "../dist/onnx/wasm");
mkdirSync(to, { recursive: true });
for (const name of [ENGINE_FILES.module, ENGINE_FILES.glue]) copyFileSync(join(from, name), join(to, name));
const engine = readFileSync(join(from, ENGINE_FILES.engine));
const compressed = brotliCompressSync(engine, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  },
});
writeFileSync(join(to, `${ENGINE_FILES.engine}.br`), compressed);
copyFileSync(join(import.meta.dirname, "onnxruntime-license.txt"), join(to, "LICENSE.txt"));
