import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The path of a worker's module beside the file that starts it: `.ts` when that runs from source, `.js` when it runs from
 * `dist`.
 *
 * @param name without its ending, such as `model.worker`
 * @param beside `import.meta.url` of the file that starts it
 */
export function workerFile(name: string, beside: string): string {
  return fileURLToPath(new URL(`./${name}${extname(beside)}`, beside));
}
