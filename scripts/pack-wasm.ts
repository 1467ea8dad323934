/**
 * Puts onnxruntime's WebAssembly beside the built code: three files of onnxruntime-web, with the
 * engine compressed. As a dependency, the package would bring engines for browsers and a dependency
 * with an install script: 148 MB instead of 2.5.
 * Runs in `npm run build`, before the tests, and after an install in a clone without native code.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { ENGINE_FILES } from "../src/onnx/runtime.ts";
import { withUnpacked } from "./unpack-package.ts";

/** The Brotli quality. The next quality takes three times as long and saves a tenth. */
const QUALITY = 9;

const to = join(import.meta.dirname, "../dist/onnx/wasm");
mkdirSync(to, { recursive: true });
const paths = Object.values(ENGINE_FILES).map((name) => `dist/${name}`);
withUnpacked("onnxruntime-web", paths, (folder) => {
  const engine = readFileSync(join(folder, "dist", ENGINE_FILES.engine));
  const compressed = brotliCompressSync(engine, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    },
  });
  writeFileSync(join(to, `${ENGINE_FILES.engine}.br`), compressed);
  copyFileSync(join(import.meta.dirname, "onnxruntime-license.txt"), join(to, "LICENSE.txt"));
  // The module stands for the whole engine where one is looked for, so it is copied last.
  for (const name of [ENGINE_FILES.glue, ENGINE_FILES.module]) copyFileSync(join(folder, "dist", name), join(to, name));
});
