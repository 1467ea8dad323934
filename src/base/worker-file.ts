import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns the path of a worker's module beside the file that starts it: `.ts` when that file runs
 * from source, `.js` when it runs from `dist`.
 *
 * @param name the module's name without its ending, such as `model.worker`
 * @param beside `import.meta.url` of the file that starts the worker
 */
export function workerFile(name: string, beside: string): string {
  return fileURLToPath(new URL(`./${name}${extname(beside)}`, beside));
}
