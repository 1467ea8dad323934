import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Returns the command as a person types it in the folder `cwd`: in a clone the file `recollect` of its
 * top folder, and else the command on the PATH.
 *
 * @param here the URL of a file of this folder. It ends with `.ts` in a clone, also while the packed
 *   command runs (`scripts/pack-command.ts`)
 */
export function typedCommand(cwd: string, here: string = import.meta.url): string {
  if (!here.endsWith(".ts")) return "recollect";
  const command = fileURLToPath(new URL("../../recollect", here));
  return relative(resolve(cwd), command) === "recollect" ? "./recollect" : command;
}
